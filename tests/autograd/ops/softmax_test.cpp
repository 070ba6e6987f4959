#include "autograd/ops/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/ops/arithmetic.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
using Inputs = std::span<const Variable>;
using Values = std::vector<double>;

Tensor random(const Shape& shape) { return Rng(3).normal(shape, DType::f64); }

Variable vector(std::initializer_list<double> values) {
  return Variable(Tensor::from(values, {static_cast<std::int64_t>(values.size())}), true);
}

Tensor softmax_of(std::initializer_list<double> values) {
  return softmax(vector(values), 0).value();
}
Tensor log_softmax_of(std::initializer_list<double> values) {
  return log_softmax(vector(values), 0).value();
}

testing::AssertionResult close(const Tensor& got, std::initializer_list<double> want) {
  return all_close(got, Tensor::from(want, got.shape(), got.dtype()));
}

TEST(Softmax, MatchesValuesWorkedByHand) {  // exp gives 1, 2, 5; they sum to 8
  EXPECT_TRUE(close(softmax_of({0, std::log(2.0), std::log(5.0)}), {1.0 / 8, 2.0 / 8, 5.0 / 8}));
  EXPECT_TRUE(close(log_softmax_of({0, std::log(2.0), std::log(5.0)}),
                    {-std::log(8.0), -std::log(4.0), std::log(5.0 / 8)}));
}

TEST(Softmax, GradientsMatchFiniteDifferencesOnEveryAxis) {
  for (const int axis : {0, 1, 2, -1}) {
    for (const Tensor& x : {random({2, 3, 4}), permute(random({4, 2, 3}), {1, 2, 0})}) {
      EXPECT_TRUE(gradients_match([&](Inputs in) { return softmax(in[0], axis); }, {x})) << axis;
      EXPECT_TRUE(gradients_match([&](Inputs in) { return log_softmax(in[0], axis); }, {x}))
          << axis;
    }
  }
}

TEST(Softmax, TakesWideRowsAndShortOnes) {
  for (const std::int64_t n : {1, 3, 17, 1000}) {
    const Tensor x = random({3, n});
    const Tensor y = softmax(Variable(x), -1).value();
    const Tensor logs = log_softmax(Variable(x), -1).value();
    for (std::int64_t row = 0; row < 3; ++row) {
      double total = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(row * n + k);
        total += y.data<double>()[at];
        EXPECT_NEAR(std::log(y.data<double>()[at]), logs.data<double>()[at], 1e-12);
      }
      EXPECT_NEAR(total, 1, 1e-14);
    }
  }
}

TEST(Softmax, BitsDoNotDependOnTheThreads) {
  const Tensor x = Rng(1).normal({37, 5, 43});
  const Tensor weights = Rng(2).normal(x.shape());
  const Mask mask{.causal = true};
  for (const int axis : {0, 1, 2}) {
    EXPECT_TRUE(same_bits_for_any_threads([&] { return softmax(Variable(x), axis).value(); }));
    EXPECT_TRUE(same_bits_for_any_threads([&] { return log_softmax(Variable(x), axis).value(); }));
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const Variable leaf(x, true);
      backward(softmax(leaf, axis) + log_softmax(leaf, axis), weights);
      return leaf.grad();
    }));
  }
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable leaf(x, true);
    backward(masked_softmax(leaf, mask), weights);
    return leaf.grad();
  }));
}

TEST(Softmax, RefusesWithTheNumbers) {
  const Variable x(Tensor::zeros({2, 3}));
  EXPECT_THROW_TEXT(
      softmax(x, 2), ShapeError,
      "softmax: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
  EXPECT_THROW_TEXT(softmax(Variable(Tensor::scalar(1)), 0), ShapeError,
                    "softmax: axis 0 is out of range for x of shape [] (rank 0)");
  EXPECT_THROW_TEXT(softmax(Variable(Tensor::zeros({2}, DType::i64)), 0), DTypeError,
                    "softmax: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(
      log_softmax(x, -3), ShapeError,
      "log_softmax: axis -3 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
  EXPECT_THROW_TEXT(
      masked_softmax(vector({1, 2}), {}), ShapeError,
      "masked_softmax: scores is [2]; it must be [Tq, Tk], [B, Tq, Tk] or [B, H, Tq, Tk]");
  EXPECT_THROW_TEXT(masked_softmax(Variable(Tensor::zeros({2, 3}, DType::boolean)), {}), DTypeError,
                    "masked_softmax: scores is bool; it must be f32 or f64");
  EXPECT_THROW_TEXT(
      masked_softmax(x, {.allowed = Tensor::ones({2, 4}, DType::boolean)}), ShapeError,
      "masked_softmax: mask does not broadcast to the scores: mask is [2, 4], scores are "
      "[1, 1, 2, 3]; axis -1 has 4 and 3");
}

TEST(MaskedSoftmax, HiddenKeysWeighExactlyNothing) {
  const Tensor allowed = Tensor::from({1, 0, 1, 0, 0, 0}, {2, 3}, DType::boolean);
  const Variable scores(Tensor::from({0, kInf, std::log(3.0), 1, 2, 3}, {2, 3}), true);
  const Variable y = masked_softmax(scores, {.allowed = allowed});
  EXPECT_TRUE(close(y.value(), {0.25, 0, 0.75, 0, 0, 0}));
  EXPECT_EQ(y.value().data<float>()[1], 0.0F);
  backward(y, Tensor::from({1, 5, 2, 1, 2, 3}, {2, 3}));
  EXPECT_TRUE(close(scores.grad(), {-0.1875, 0, 0.1875, 0, 0, 0}));
  EXPECT_EQ(values_of(scores.grad())[1], 0.0);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(values_of(scores.grad())[i], 0.0);
}

TEST(MaskedSoftmax, AgreesWithSoftmaxOverTheVisibleKeys) {
  const Tensor scores = random({2, 3, 4, 5});
  const Mask mask{.causal = true, .key_lengths = Tensor::from({5, 3}, {2}, DType::i64)};
  const Tensor y = masked_softmax(Variable(scores), mask).value();
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t q = 0; q < 4; ++q) {
      const std::int64_t keys = std::min<std::int64_t>(b == 0 ? 5 : 3, q + 2);
      const Tensor row = select(select(scores, 0, b), 1, q);  // [H, Tk]
      const Tensor want = softmax(Variable(slice(row, 1, 0, keys)), 1).value();
      const Tensor got = select(select(y, 0, b), 1, q);
      EXPECT_TRUE(all_close(slice(got, 1, 0, keys), want, 1e-14, 1e-15));
      for (const double hidden : values_of(slice(got, 1, keys))) EXPECT_EQ(hidden, 0.0);
    }
  }
}

TEST(MaskedSoftmax, GradientsMatchFiniteDifferences) {
  const Mask mask{.causal = true, .key_lengths = Tensor::from({0, 2}, {2}, DType::i64)};
  const auto f = [&](Inputs x) { return masked_softmax(x[0], mask); };
  EXPECT_TRUE(gradients_match(f, {random({2, 2, 3, 4})}));
  EXPECT_TRUE(gradients_match(f, {permute(random({4, 2, 3, 2}), {1, 3, 2, 0})}));
  EXPECT_TRUE(gradients_match(f, {random({2, 3, 4})}));
  EXPECT_TRUE(gradients_match([](Inputs x) { return masked_softmax(x[0], {}); }, {random({3, 4})}));
}

TEST(MaskedSoftmax, TakesEmptyScores) {
  const Variable none(Tensor::zeros({1, 2, 0, 3}), true);
  const Variable y = masked_softmax(none, {});
  EXPECT_EQ(y.shape(), Shape({1, 2, 0, 3}));
  backward(y, Tensor::zeros({1, 2, 0, 3}));
  EXPECT_EQ(none.grad().shape(), Shape({1, 2, 0, 3}));
  EXPECT_EQ(masked_softmax(Variable(Tensor::zeros({2, 0})), {}).shape(), Shape({2, 0}));
}

TEST(Cases, Cases_3_4_NumbersAreNoMask) {
  EXPECT_THROW_TEXT(
      masked_softmax(Variable(Tensor::zeros({2, 3})), {.allowed = Tensor::ones({2, 3})}),
      DTypeError,
      "masked_softmax: mask is f32; it must be bool, true = may be seen; numbers to add to the "
      "scores are a bias");
}

TEST(Cases, Cases_2_1_SoftmaxReadsTheView) {
  const Tensor s = Tensor::from({0, 0.5, 1, 1.5, 2, 2.5}, {2, 3});
  const Tensor y = softmax(Variable(transpose(s, 0, 1)), -1).value();
  EXPECT_TRUE(
      close(y, {0.182425524, 0.817574476, 0.182425524, 0.817574476, 0.182425524, 0.817574476}));
}

TEST(Cases, Cases_3_1_SoftmaxAndLogSoftmax) {
  EXPECT_TRUE(close(softmax_of({1000, 999, 998}), {0.665240956, 0.244728471, 0.0900305732}));
  EXPECT_TRUE(close(softmax_of({-1000, -1001}), {0.731058579, 0.268941421}));
  EXPECT_TRUE(close(log_softmax_of({0, -200}), {0, -200}));
  EXPECT_TRUE(close(log_softmax_of({10000, 0}), {0, -10000}));
  EXPECT_EQ(values_of(softmax_of({0, -kInf})), (Values{1, 0}));

  const Variable x = vector({0, -kInf, 1});
  const Variable logs = log_softmax(x, 0);
  EXPECT_TRUE(close(logs.value(), {-1.31326169, -kInf, -0.313261688}));
  backward(logs, Tensor::from({1, 0, 0}, {3}));
  EXPECT_TRUE(close(x.grad(), {0.731058579, 0, -0.731058579}));

  const Variable z = vector({0, -kInf, 1});
  backward(softmax(z, 0), Tensor::from({1, 5, -1}, {3}));
  EXPECT_TRUE(close(z.grad(), {0.393223866, 0, -0.393223866}));

  const Tensor rows = Tensor::from({-kInf, -kInf, 0, 1}, {2, 2});
  const Values two = values_of(softmax(Variable(rows), 1).value());
  EXPECT_TRUE(std::isnan(two[0]) && std::isnan(two[1]));
  EXPECT_NEAR(two[2], 0.268941421, 1e-6);
  EXPECT_NEAR(two[3], 0.731058579, 1e-6);
  for (const double value : values_of(softmax_of({kInf, 0}))) EXPECT_TRUE(std::isnan(value));

  EXPECT_TRUE(close(softmax(Variable(counting({2, 2})), -2).value(),
                    {0.119202922, 0.119202922, 0.880797078, 0.880797078}));
  for (const int axis : {0, 1}) {
    const Variable none(Tensor::zeros({2, 0}), true);
    const Variable y = softmax(none, axis) + log_softmax(none, axis);
    EXPECT_EQ(y.shape(), Shape({2, 0}));
    backward(y, Tensor::zeros({2, 0}));
    EXPECT_EQ(none.grad().shape(), Shape({2, 0}));
  }
}

}  // namespace
}  // namespace lectern
