#include "examples/translate/data.h"

#include <gtest/gtest.h>

#include <set>

#include "tensor/error.h"
#include "tests/examples/text/temporary_file.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::translate {
namespace {

using text::TemporaryFile;

Pairs numbered_pairs(int count) {
  Pairs pairs;
  for (int i = 0; i < count; ++i) {
    pairs.push_back({"sentence " + std::to_string(i), "phrase " + std::to_string(i), i + 1});
  }
  return pairs;
}

TEST(HoldOut, TakesAboutTwoPerCent) {
  const Division division = hold_out(numbered_pairs(10000));
  EXPECT_NEAR(static_cast<double>(division.held_out.size()), 200, 45);  // three standard deviations
  EXPECT_EQ(division.kept.size() + division.held_out.size(), 10000U);
}

TEST(HoldOut, DependsOnTheSourceAlone) {
  Pairs pairs = numbered_pairs(1000);
  std::set<std::string> held_out;
  for (const auto& pair : hold_out(pairs).held_out) held_out.insert(pair.source);
  std::reverse(pairs.begin(), pairs.end());
  pairs.resize(500);
  for (const auto& pair : hold_out(pairs).held_out) EXPECT_EQ(held_out.count(pair.source), 1U);
  for (auto& pair : pairs) pair.target = "other";
  for (const auto& pair : hold_out(pairs).held_out) EXPECT_EQ(held_out.count(pair.source), 1U);
}

TEST(HoldOut, KeepsCopiesOfASentenceTogether) {
  Pairs pairs;
  for (int i = 0; i < 2000; ++i) {
    pairs.push_back({"Sentence no. " + std::to_string(i) + "!", "a", 1});
    pairs.push_back({"sentence  NO " + std::to_string(i), "b", 2});
  }
  const Division division = hold_out(pairs);
  EXPECT_GT(division.held_out.size(), 0U);
  for (std::size_t i = 0; i < division.held_out.size(); i += 2) {
    EXPECT_EQ(division.held_out[i].line, 1);
    EXPECT_EQ(division.held_out.at(i + 1).line, 2);
  }
}

TEST(HoldOut, TakesOneAtLeastAndLeavesOne) {
  const Division division = hold_out(numbered_pairs(3));
  EXPECT_EQ(division.held_out.size(), 1U);
  EXPECT_EQ(division.kept.size(), 2U);
  EXPECT_THROW_TEXT(hold_out(Pairs{{"Hi!", "Salut !", 1}, {"hi", "Bonjour", 2}}), IoError,
                    "train: with 2 pairs held out for validation nothing is left to learn from; "
                    "give more data, or --valid");
}

TEST(ChooseData, ReadsTheNamedFiles) {
  const TemporaryFile train("a\tb\n\nc\td\ne\tf\n"), valid("x\ty\n"), source("s\n"), target("t\n");
  TrainOptions options;
  options.data = {train.path()};
  options.valid = {valid.path()};
  options.test = {source.path(), target.path()};
  options.max_pairs = 2;
  const TrainingData data = choose_data(options);
  ASSERT_EQ(data.train.size(), 2U);
  EXPECT_EQ(data.train[1].target, "d");
  ASSERT_EQ(data.valid.size(), 1U);
  EXPECT_EQ(data.valid[0].source, "x");
  ASSERT_EQ(data.test.size(), 1U);
  EXPECT_EQ(data.test[0].target, "t");
  EXPECT_EQ(data.notes,
            (std::vector<std::string>{
                "training: 2 pairs of " + train.name() + "; 1 lines with an empty side skipped",
                "validation: 1 pairs of " + valid.name(),
                "test: 1 pairs of " + source.name() + " and " + target.name()}));
}

TEST(ChooseData, DrawsFromTheGrammarWithoutAFile) {
  TrainOptions options;
  options.max_pairs = 50;
  const TrainingData data = choose_data(options);
  EXPECT_EQ(data.train.size(), 50U);
  EXPECT_EQ(data.valid.size(), 500U);
  EXPECT_TRUE(data.test.empty());
  EXPECT_EQ(data.notes, (std::vector<std::string>{
                            "training: 50 pairs of the built-in grammar; validation: 500 others"}));
  EXPECT_EQ(data.train[49].line, 50);
}

TEST(DrawFrom, KnowsTheParts) {
  for (const auto* part : {"train", "valid", "test", "compositions", "demo"}) {
    EXPECT_EQ(draw_from(part, 3, 1).size(), 3U) << part;
  }
  EXPECT_EQ(draw_from("demo", 100, 1).size(), 10U);
  EXPECT_EQ(draw_from("demo", 1, 1).at(0).english, "I love artificial intelligence.");
  EXPECT_THROW_TEXT(draw_from("dev", 3, 1), ValueError,
                    "split dev: there is none of this name; there are train, valid, test, "
                    "compositions and demo");
}

TEST(ChooseData, HoldsOutAndSaysSo) {
  const TemporaryFile train("a\tb\nc\td\ne\tf\n");
  TrainOptions options;
  options.data = {train.path()};
  const TrainingData data = choose_data(options);
  EXPECT_EQ(data.train.size(), 2U);
  EXPECT_EQ(data.valid.size(), 1U);
  EXPECT_EQ(data.notes.at(1),
            "validation: 1 of these 3 pairs held out, chosen by a hash of the source");
}

}  // namespace
}  // namespace lectern::translate
