#include "nn/search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/variable.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern::nn {
namespace {

constexpr std::int64_t kEnd = 0, kA = 1, kB = 2, kBegin = 3;

/// Log-probabilities (E, A, B) that depend on the position only.
NextScores from_table(const std::vector<std::vector<double>>& table) {
  return [table](const SearchStep& step) {
    Tensor scores = Tensor::empty({step.tokens.shape()[0], 3}, DType::f64);
    std::size_t i = 0;
    for (double& score : scores.mutable_data<double>()) {
      score = std::log(table[static_cast<std::size_t>(step.position)][i++ % 3]);
    }
    return scores;
  };
}

TEST(Cases, Cases_10_2_Greedy) {
  const std::int64_t four[] = {4};
  const auto first = from_table({{.5, .5, 0}, {.2, .5, .3}, {0, .1, .9}, {1, 0, 0}});
  const Found e = greedy_search(first, {kBegin, kEnd}, four).front();
  EXPECT_EQ(e.tokens, std::vector<std::int64_t>({kEnd}));  // equal probabilities: the lower id
  EXPECT_NEAR(e.score, -0.693147, 1e-6);
  EXPECT_TRUE(e.ended);

  const auto second = from_table({{.1, .6, .3}, {.3, .3, .4}, {.2, .2, .6}, {.9, .05, .05}});
  const Found abbe = greedy_search(second, {kBegin, kEnd}, four).front();
  EXPECT_EQ(abbe.tokens, std::vector<std::int64_t>({kA, kB, kB, kEnd}));
  EXPECT_NEAR(abbe.score, -2.043303, 1e-6);
  EXPECT_TRUE(abbe.ended);
}

/// A decoder with state: row r counts down from starts[r] and ends at 0. It records what it is
/// told, and only works if finished rows are taken out of its state.
struct Countdown {
  Tensor operator()(const SearchStep& step) {
    EXPECT_FALSE(is_recording());
    if (step.rows.defined()) {
      std::vector<std::int64_t> kept;
      for (const double row : values_of(step.rows))
        kept.push_back(left[static_cast<std::size_t>(row)]);
      left = kept;
    }
    live.push_back(left.size());
    tokens.push_back(values_of(step.tokens));
    Tensor scores = Tensor::zeros({static_cast<std::int64_t>(left.size()), 4});
    for (std::size_t row = 0; row < left.size(); ++row) {
      scores.mutable_data<float>()[4 * row + static_cast<std::size_t>(left[row] > 0 ? kA : kEnd)] =
          1;
      --left[row];
    }
    return scores;
  }

  std::vector<std::int64_t> left;
  std::vector<std::size_t> live = {};
  std::vector<std::vector<double>> tokens = {};
};

TEST(GreedySearch, EachSequenceStopsAtItsEndAndLeavesTheBatch) {
  Countdown decoder{{2, 0, 5, 1}};
  const std::int64_t lengths[] = {9, 9, 3, 9};
  const std::vector<Found> found = greedy_search(std::ref(decoder), {kBegin, kEnd}, lengths);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].tokens, std::vector<std::int64_t>({kA, kA, kEnd}));
  EXPECT_EQ(found[1].tokens, std::vector<std::int64_t>({kEnd}));
  EXPECT_EQ(found[2].tokens, std::vector<std::int64_t>({kA, kA, kA}));  // cut at its length
  EXPECT_EQ(found[3].tokens, std::vector<std::int64_t>({kA, kEnd}));
  EXPECT_TRUE(found[0].ended && found[1].ended && found[3].ended);
  EXPECT_FALSE(found[2].ended);
  EXPECT_EQ(found[0].score, 3);
  EXPECT_EQ(decoder.live, std::vector<std::size_t>({4, 3, 2}));
  EXPECT_EQ(decoder.tokens[0], std::vector<double>(4, kBegin));
  EXPECT_EQ(decoder.tokens[1], std::vector<double>(3, kA));
}

TEST(GreedySearch, MayBeOfOneToken) {
  Countdown decoder{{5}};
  const std::int64_t one[] = {1};
  EXPECT_EQ(greedy_search(std::ref(decoder), {kBegin, kEnd}, one).front().tokens,
            std::vector<std::int64_t>({kA}));
}

TEST(GreedySearch, OfNothingAsksNothing) {
  EXPECT_TRUE(greedy_search(
                  [](const SearchStep&) -> Tensor {
                    ADD_FAILURE() << "asked";
                    return {};
                  },
                  {kBegin, kEnd}, {})
                  .empty());
}

TEST(GreedySearch, RefusesWithTheNumbers) {
  const std::int64_t zero[] = {0}, two[] = {2, 2};
  const auto constant = [](const Tensor& scores) {
    return [scores](const SearchStep&) { return scores; };
  };
  EXPECT_THROW_TEXT(greedy_search(constant(Tensor::ones({1, 3})), {kBegin, kEnd}, zero), ValueError,
                    "greedy_search: a maximum length is 0; it must be at least 1");
  EXPECT_THROW_TEXT(greedy_search(constant(Tensor::ones({1, 3})), {kBegin, kEnd}, two), ShapeError,
                    "greedy_search: the scores are [1, 3]; for 2 live rows they must be [2, V]");
  EXPECT_THROW_TEXT(greedy_search(constant(Tensor::ones({2, 3}, DType::i64)), {kBegin, kEnd}, two),
                    DTypeError, "greedy_search: scores is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(
      greedy_search(constant(Tensor::full({2, 3}, std::nan(""))), {kBegin, kEnd}, two), ValueError,
      "greedy_search: the score of token 0 is NaN");
}

}  // namespace
}  // namespace lectern::nn
