#include "examples/text/vocabulary.h"

#include <gtest/gtest.h>

#include "tensor/error.h"
#include "tests/examples/text/temporary_file.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

using Words = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

TEST(Vocabulary, OrdersByFrequencyThenByCodePoint) {
  const std::vector<Words> sentences{{"b", "é", "a", "z"},
                                     {"z", "é", "b", "a"},
                                     {"z", "rare"},
                                     {"\U0001F600", "\uFB01", "\U0001F600", "\uFB01"}};
  const Vocabulary v = Vocabulary::count(sentences, 2);
  EXPECT_EQ(v.text(), "<pad>\n<bos>\n<eos>\n<unk>\nz\na\nb\né\n\uFB01\n\U0001F600\n");
  EXPECT_EQ(v.size(), 10);
  EXPECT_EQ(Vocabulary::count(sentences, 1).size(), 11);
  EXPECT_EQ(Vocabulary::count({}, 1).size(), kControlTokens);
  EXPECT_THROW_TEXT(Vocabulary::count(sentences, 0), ValueError,
                    "Vocabulary: minimum frequency is 0; it must be at least 1");
}

TEST(Vocabulary, EncodesAndDecodes) {
  const Vocabulary v(Words{"le", "chat"});
  EXPECT_EQ(v.encode(Words{"le", "chien", "chat"}), (Ids{4, kUnknown, 5, kEnd}));
  EXPECT_EQ(v.encode(Words{}), Ids{kEnd});
  EXPECT_EQ(v.decode(Ids{kBegin, 5, kUnknown, 4, kPad, kEnd, 4, 99}),
            (Words{"chat", "<unk>", "le"}));
  EXPECT_EQ(v.decode(Ids{}), Words{});
  EXPECT_EQ(v.word(kPad), "<pad>");
  EXPECT_THROW_TEXT(v.word(6), IndexError, "Vocabulary: id 6 is outside 0..5");
  EXPECT_THROW_TEXT(v.decode(Ids{-1}), IndexError, "Vocabulary: id -1 is outside 0..5");
}

TEST(Vocabulary, WordsThatLookLikeControlTokensAreWords) {
  const Vocabulary without(Words{"le"});
  for (const auto* name : {"<pad>", "<bos>", "<eos>", "<unk>"})
    EXPECT_EQ(without.id(name), kUnknown);

  const Vocabulary with =
      Vocabulary::count(std::vector<Words>{{"<eos>", "<eos>", "le", "<pad>"}}, 1);
  EXPECT_EQ(with.encode(Words{"<eos>", "<pad>", "le"}), (Ids{4, 5, 6, kEnd}));
  EXPECT_EQ(with.decode(Ids{4, 5, 6, kEnd}), (Words{"<eos>", "<pad>", "le"}));

  const TemporaryFile file(with.text());
  EXPECT_EQ(Vocabulary::load(file.path()).encode(Words{"<pad>", "<unk>"}),
            (Ids{5, kUnknown, kEnd}));
}

TEST(Vocabulary, RefusesWordsThatItsFileCannotHold) {
  EXPECT_THROW_TEXT(Vocabulary(Words{"a", ""}), ValueError, "Vocabulary: word 5 is empty");
  EXPECT_THROW_TEXT(Vocabulary(Words{"a\r"}), ValueError,
                    "Vocabulary: word 4 holds a line end; words stand one a line");
  EXPECT_THROW_TEXT(Vocabulary(Words{"a\xFF"}), ValueError, "Vocabulary: word 4 is not UTF-8");
  EXPECT_THROW_TEXT(Vocabulary(Words{"a", "b", "a"}), ValueError,
                    "Vocabulary: \"a\" is word 4 and word 6; each may stand once");
}

TEST(Vocabulary, LoadsWhatItWrote) {
  const Vocabulary v(Words{"l'", "été", "a\u2028b", "\u00A0"});
  const TemporaryFile file(v.text());
  EXPECT_EQ(Vocabulary::load(file.path()).text(), v.text());
}

// The line rules of case 8.2 hold for vocabulary files too, except that an empty line is refused.
TEST(Cases, Cases_8_2_LinesOfAVocabulary) {
  const TemporaryFile file(
      "\xEF\xBB\xBF<pad>\r\n<bos>\r\n<eos>\n<unk>\nA\xE2\x80\xA8"
      "B\nC\xC2\x85"
      "D\nlast");
  const Vocabulary v = Vocabulary::load(file.path());
  EXPECT_EQ(v.size(), 7);
  EXPECT_EQ(v.word(kPad), "<pad>");
  EXPECT_EQ(v.word(4), "A\u2028B");
  EXPECT_EQ(v.word(5), "C\u0085D");
  EXPECT_EQ(v.word(6), "last");

  const TemporaryFile gap("<pad>\n<bos>\n<eos>\n<unk>\na\n\nb\n");
  EXPECT_THROW_TEXT(Vocabulary::load(gap.path()), IoError,
                    "Vocabulary: " + gap.name() + " line 6: empty line");
}

TEST(Vocabulary, NamesTheLineThatIsWrong) {
  const TemporaryFile twice("<pad>\n<bos>\n<eos>\n<unk>\na\nb\na\n");
  EXPECT_THROW_TEXT(Vocabulary::load(twice.path()), IoError,
                    "Vocabulary: " + twice.name() + " line 7: \"a\" stands on line 5 already");
  const TemporaryFile words("<pad>\n<bos>\nle\n");
  EXPECT_THROW_TEXT(Vocabulary::load(words.path()), IoError,
                    "Vocabulary: " + words.name() +
                        " line 3: expected <eos>; a vocabulary file begins with <pad> <bos> <eos> "
                        "<unk>, one a line");
  const TemporaryFile bytes("<pad>\n<bos>\n<eos>\n<unk>\nab\xFF\n");
  EXPECT_THROW_TEXT(
      Vocabulary::load(bytes.path()), IoError,
      "Vocabulary: " + bytes.name() + " line 5: invalid UTF-8 at byte 3; save the file as UTF-8");
  EXPECT_THROW_TEXT(Vocabulary::load("no/such/file"), IoError,
                    "Vocabulary: file not found: no/such/file");
}

}  // namespace
}  // namespace lectern::text
