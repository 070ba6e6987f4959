#include "examples/translate/heat_map.h"

#include <gtest/gtest.h>

#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::translate {
namespace {

using Words = std::vector<std::string>;

TEST(HeatMap, ShadesByWeight) {
  const Tensor weights = Tensor::from({0.04, 0.06, 0.3,  //
                                       0.5, 0.8, 0.0},
                                      {1, 2, 3});
  EXPECT_EQ(heat_maps(weights, Words{"été", "</s>"}),
            "       head 1\n"
            "        1 2 3\n"
            "été     ·░░▒▒\n"
            "</s>   ▓▓██ ·\n");
}

TEST(HeatMap, PutsHeadsSideBySideAsFarAsTheyFit) {
  const Tensor weights = Tensor::zeros({3, 1, 2});
  EXPECT_EQ(heat_maps(weights, Words{"a"}, 21),
            "    head 1    head 2\n"
            "     1 2       1 2\n"
            "a    · ·       · ·\n"
            "    head 3\n"
            "     1 2\n"
            "a    · ·\n");
}

TEST(HeatMap, ShortensLongNames) {
  const std::string map = heat_maps(Tensor::zeros({1, 1, 1}), Words{"anticonstitutionnellement"});
  EXPECT_NE(map.find("anticonstitutio…    ·\n"), std::string::npos) << map;
}

TEST(HeatMap, ChecksTheShape) {
  EXPECT_THROW_TEXT(
      heat_maps(Tensor::zeros({1, 2, 3}), Words{"a"}), ShapeError,
      "heat_maps: weights is [1, 2, 3], and there are 1 queries; it must be [H, 1, Tk]");
}

TEST(NumberedWords, BreaksLines) {
  EXPECT_EQ(numbered_words(Words{"I", "love", "tea"}), "1 I  2 love  3 tea\n");
  EXPECT_EQ(numbered_words(Words{"I", "love", "tea"}, 11), "1 I  2 love\n3 tea\n");
  EXPECT_EQ(numbered_words(Words{}), "\n");
}

}  // namespace
}  // namespace lectern::translate
