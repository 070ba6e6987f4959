#include "autograd/ops/losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops/views.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Inputs = std::span<const Variable>;
using Values = std::vector<double>;

Tensor random(const Shape& shape, std::uint64_t seed = 3) {
  return Rng(seed).normal(shape, DType::f64);
}

Tensor ids(std::initializer_list<double> values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())}, DType::i64);
}

TEST(CrossEntropy, MatchesValuesWorkedByHand) {  // p = 1/8, 2/8, 5/8
  const Variable logits(Tensor::from({0, std::log(2.0), std::log(5.0)}, {3}, DType::f64));
  const auto loss = [&](double target, double smoothing) {
    return cross_entropy(logits, Tensor::scalar(target, DType::i64), {.label_smoothing = smoothing})
        .value()
        .item();
  };
  EXPECT_NEAR(loss(2, 0), std::log(8.0 / 5), 1e-14);
  const double uniform = (std::log(8.0) + std::log(4.0) + std::log(8.0 / 5)) / 3;
  EXPECT_NEAR(loss(0, 0.4), 0.6 * std::log(8.0) + 0.4 * uniform, 1e-14);
  EXPECT_NEAR(loss(1, 1), uniform, 1e-14);
}

TEST(CrossEntropy, GradientsMatchFiniteDifferences) {
  const Tensor targets = Tensor::from({1, 4, 0, -100, 2, 4}, {2, 3}, DType::i64);
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    for (const double smoothing : {0.0, 0.3}) {
      const CrossEntropyOptions options{.label_smoothing = smoothing, .reduction = reduction};
      const auto f = [&](Inputs x) { return cross_entropy(x[0], targets, options); };
      EXPECT_TRUE(gradients_match(f, {random({2, 3, 5})}));
      EXPECT_TRUE(gradients_match(f, {permute(random({5, 2, 3}), {1, 2, 0})}));
      const auto turned = [&](Inputs x) {
        return cross_entropy(x[0], transpose(targets, 0, 1), options);
      };
      EXPECT_TRUE(gradients_match(turned, {random({3, 2, 5})}));
    }
  }
}

TEST(CrossEntropy, IsFiniteForAnyFiniteLogits) {
  const Variable logits(Tensor::from({0, -3e38, 3e38}, {1, 3}), true);
  const Variable loss = cross_entropy(logits, ids({0}));
  EXPECT_FLOAT_EQ(static_cast<float>(loss.value().item()), 3e38F);
  backward(loss);
  EXPECT_EQ(values_of(logits.grad()), (Values{-1, 0, 1}));
}

TEST(CrossEntropy, TakesEmptyBatches) {
  const Variable logits(Tensor::zeros({0, 3}), true);
  const Variable loss = cross_entropy(logits, Tensor::zeros({0}, DType::i64));
  EXPECT_EQ(loss.value().item(), 0.0);
  backward(loss);
  EXPECT_EQ(logits.grad().shape(), Shape({0, 3}));
}

TEST(CrossEntropy, BitsDoNotDependOnTheThreads) {
  const Tensor logits = Rng(1).normal({61, 203});
  const Tensor targets = Rng(2).integers({61}, 0, 203);
  EXPECT_TRUE(same_bits_for_any_threads(
      [&] { return cross_entropy(Variable(logits), targets, {.label_smoothing = 0.1}).value(); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable x(logits, true);
    backward(cross_entropy(x, targets, {.label_smoothing = 0.1}));
    return x.grad();
  }));
}

TEST(CrossEntropy, RefusesWithTheNumbers) {
  const Variable logits(Tensor::zeros({4, 20, 80}));
  Tensor targets = Tensor::zeros({4, 20}, DType::i64);
  targets.mutable_data<std::int64_t>()[3 * 20 + 17] = 83;
  EXPECT_THROW_TEXT(cross_entropy(logits, targets), IndexError,
                    "cross_entropy: target 83 at position [3, 17] is outside the vocabulary: "
                    "logits is [4, 20, 80]");
  EXPECT_THROW_TEXT(cross_entropy(logits, Tensor::zeros({4}, DType::i64)), ShapeError,
                    "cross_entropy: shapes do not belong together: logits is [4, 20, 80], targets "
                    "is [4]; logits must be targets.shape and one axis of classes more");
  EXPECT_THROW_TEXT(cross_entropy(Variable(Tensor::scalar(1)), Tensor::scalar(0, DType::i64)),
                    ShapeError,
                    "cross_entropy: shapes do not belong together: logits is [], targets is []; "
                    "logits must be targets.shape and one axis of classes more");
  EXPECT_THROW_TEXT(cross_entropy(logits, Tensor::zeros({4, 20})), DTypeError,
                    "cross_entropy: targets is f32; it must be i64, the numbers of the classes");
  EXPECT_THROW_TEXT(
      cross_entropy(Variable(Tensor::zeros({2, 3}, DType::i64)), Tensor::zeros({2}, DType::i64)),
      DTypeError, "cross_entropy: logits is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(
      cross_entropy(logits, Tensor::zeros({4, 20}, DType::i64), {.label_smoothing = 1.5}),
      ValueError, "cross_entropy: label_smoothing is 1.5; it must be within 0..1");
}

TEST(MseLoss, MatchesValuesAndGradients) {
  const Variable x(Tensor::from({1, 2, 4}, {3})), t(Tensor::from({0, 4, 4}, {3}));
  EXPECT_EQ(values_of(mse_loss(x, t, Reduction::none).value()), (Values{1, 4, 0}));
  EXPECT_EQ(mse_loss(x, t, Reduction::sum).value().item(), 5.0);
  EXPECT_FLOAT_EQ(static_cast<float>(mse_loss(x, t).value().item()), 5.0F / 3);
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    const auto f = [&](Inputs in) { return mse_loss(in[0], in[1], reduction); };
    EXPECT_TRUE(gradients_match(f, {random({2, 3}), transpose(random({3, 2}, 4), 0, 1)}));
  }
  EXPECT_TRUE(std::isnan(
      mse_loss(Variable(Tensor::zeros({0})), Variable(Tensor::zeros({0}))).value().item()));
  EXPECT_THROW_TEXT(mse_loss(x, Variable(Tensor::zeros({1}))), ShapeError,
                    "mse_loss: shapes differ: x is [3], target is [1]; nothing broadcasts here");
  EXPECT_THROW_TEXT(
      mse_loss(x, Variable(Tensor::zeros({3}, DType::f64))), DTypeError,
      "mse_loss: dtypes differ: x is f32, target is f64; convert one with .to(DType::f32)");
}

TEST(MseLoss, BitsDoNotDependOnTheThreads) {
  const Tensor x = Rng(1).normal({9001}), t = Rng(2).normal({9001});
  EXPECT_TRUE(
      same_bits_for_any_threads([&] { return mse_loss(Variable(x), Variable(t)).value(); }));
}

TEST(Cases, Cases_4_2_TargetsOutOfRange) {
  const Variable logits(Tensor::from({1, 2, 0, 0, 0, 3}, {2, 3}));
  EXPECT_THROW_TEXT(cross_entropy(logits, ids({1, 3})), IndexError,
                    "cross_entropy: target 3 at position [1] is outside the vocabulary: logits is "
                    "[2, 3]");
  EXPECT_THROW_TEXT(cross_entropy(logits, ids({1, -7})), IndexError,
                    "cross_entropy: target -7 at position [1] is outside the vocabulary: logits is "
                    "[2, 3]");
  const Tensor targets = ids({1, 255});
  const Tensor each =
      cross_entropy(logits, targets, {.ignore_index = 255, .reduction = Reduction::none}).value();
  EXPECT_TRUE(all_close(each, Tensor::from({0.407605964, 0}, {2})));
  EXPECT_EQ(values_of(each)[1], 0.0);
  EXPECT_TRUE(all_close(cross_entropy(logits, targets, {.ignore_index = 255}).value(),
                        Tensor::scalar(0.407605964)));
}

TEST(Cases, Cases_4_3_NothingLeftToCount) {
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    const Variable logits(Tensor::from({1, 2, 0, 0, 0, 3}, {2, 3}), true);
    const Variable loss = cross_entropy(logits, ids({-100, -100}), {.reduction = reduction});
    for (const double value : values_of(loss.value())) EXPECT_EQ(value, 0.0);  // as documented
    backward(loss, Tensor::ones(loss.shape()));
    EXPECT_EQ(values_of(logits.grad()), Values(6, 0.0));
  }
  const Variable logits(Tensor::from({1, 2, 0, 0, 0, 3}, {2, 3}), true);
  const Variable loss = cross_entropy(logits, ids({-100, 2}));
  EXPECT_TRUE(all_close(loss.value(), Tensor::scalar(0.0949229564)));
  backward(loss);
  EXPECT_TRUE(all_close(
      logits.grad(), Tensor::from({0, 0, 0, 0.0452785007, 0.0452785007, -0.0905570015}, {2, 3})));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values_of(logits.grad())[i], 0.0);
}

TEST(Cases, Cases_4_4_LabelSmoothingWithIgnoredItems) {
  const Tensor rows = Tensor::from({2, 0.5, -1, 0.25, 5, 5, 5, -5, 0, 1, 2, 3}, {3, 4});
  const Tensor targets = ids({2, -100, 0});
  struct Row {
    double smoothing, first, third, sum, mean;
  };
  for (const Row& r : {Row{0, 3.369279, 3.4401897, 6.8094687, 3.40473435},
                       Row{0.1, 3.225529, 3.2901897, 6.5157187, 3.25785935},
                       Row{0.3, 2.938029, 2.9901897, 5.9282187, 2.96410935}}) {
    const auto loss = [&](Reduction reduction) {
      return cross_entropy(Variable(rows), targets,
                           {.label_smoothing = r.smoothing, .reduction = reduction})
          .value();
    };
    EXPECT_TRUE(all_close(loss(Reduction::none), Tensor::from({r.first, 0, r.third}, {3})));
    EXPECT_TRUE(all_close(loss(Reduction::sum), Tensor::scalar(r.sum)));
    EXPECT_TRUE(all_close(loss(Reduction::mean), Tensor::scalar(r.mean)));
  }
  const Variable logits(rows, true);
  backward(cross_entropy(logits, targets, {.label_smoothing = 0.1}));
  EXPECT_TRUE(all_close(
      logits.grad(), Tensor::from({0.333116265, 0.0646174126, -0.445292779, 0.0475591014, 0, 0, 0,
                                   0, -0.446470698, 0.0310721594, 0.105941409, 0.30945713},
                                  {3, 4})));
}

// Micro-batches of one, three and no counted items against one batch of all of them.
TEST(Cases, Cases_6_5_MicroBatchesOfCrossEntropy) {
  const Tensor logits = random({6, 5});
  const Tensor targets = ids({4, 1, 2, 3, -100, -100});
  const Variable whole(logits, true), parts(logits, true);
  backward(cross_entropy(whole, targets, {.label_smoothing = 0.1}));
  for (const auto& [first, last] : {std::pair{0, 1}, {1, 4}, {4, 6}}) {
    const Variable loss =
        cross_entropy(slice(parts, 0, first, last), slice(targets, 0, first, last),
                      {.label_smoothing = 0.1, .reduction = Reduction::sum});
    backward(loss, Tensor::scalar(1.0 / 4, DType::f64));
  }
  EXPECT_TRUE(all_close(parts.grad(), whole.grad(), 1e-14, 1e-16));
}

}  // namespace
}  // namespace lectern
