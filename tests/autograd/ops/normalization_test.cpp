#include "autograd/ops/normalization.h"

#include <gtest/gtest.h>

#include <cmath>

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

using Inputs = std::span<const Variable>;

Tensor random(const Shape& shape, std::uint64_t seed = 3) {
  return Rng(seed).normal(shape, DType::f64);
}

Tensor vector(std::initializer_list<double> values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
}

Tensor normalized(std::initializer_list<double> values) {
  return layer_norm(Variable(vector(values))).value();
}

TEST(LayerNorm, GradientsMatchFiniteDifferences) {
  const auto affine = [](Inputs x) { return layer_norm(x[0], x[1], x[2]); };
  EXPECT_TRUE(gradients_match(affine, {random({2, 3, 5}), random({5}, 4), random({5}, 5)}));
  EXPECT_TRUE(gradients_match(affine, {permute(random({5, 2, 3}), {1, 2, 0}),
                                       slice(random({10}, 4), 0, 0, 10, 2), random({5}, 5)}));
  EXPECT_TRUE(gradients_match(affine, {random({40, 3}), random({3}, 4), random({3}, 5)}));
  EXPECT_TRUE(gradients_match([](Inputs x) { return layer_norm(x[0], 0.1); }, {random({4, 3})}));
  EXPECT_TRUE(gradients_match([](Inputs x) { return layer_norm(x[0], x[1], Variable()); },
                              {random({4, 3}), random({3})}));
  EXPECT_TRUE(gradients_match([](Inputs x) { return layer_norm(x[0], Variable(), x[1]); },
                              {random({4, 3}), random({3})}));
}

TEST(LayerNorm, GivesEachGradientByItself) {
  const Tensor g = random({4, 3}, 9);
  const auto grads = [&](bool dx, bool dgamma, bool dbeta) {
    const Variable x(random({4, 3}), dx), gamma(random({3}), dgamma), beta(random({3}), dbeta);
    backward(layer_norm(x, gamma, beta), g);
    return std::vector<Variable>{x, gamma, beta};
  };
  const auto all = grads(true, true, true);
  EXPECT_TRUE(same_bits(grads(true, false, false)[0].grad(), all[0].grad()));
  EXPECT_TRUE(same_bits(grads(false, true, false)[1].grad(), all[1].grad()));
  EXPECT_TRUE(same_bits(grads(false, false, true)[2].grad(), all[2].grad()));
}

TEST(LayerNorm, BitsDoNotDependOnTheThreads) {
  const Tensor x = Rng(1).normal({131, 37});
  const Tensor gamma = Rng(2).normal({37}), g = Rng(3).normal({131, 37});
  EXPECT_TRUE(same_bits_for_any_threads(
      [&] { return layer_norm(Variable(x), Variable(gamma), Variable(gamma)).value(); }));
  for (const bool of_gamma : {false, true}) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const Variable a(x, true), b(gamma, true);
      backward(layer_norm(a, b, b) + rms_norm(a, b), g);
      return (of_gamma ? b : a).grad();
    }));
  }
}

TEST(LayerNorm, TakesEmptyInputs) {
  for (const Shape& shape : {Shape{0, 3}, Shape{2, 0}}) {
    const Variable x(Tensor::zeros(shape), true);
    const Variable gamma(Tensor::ones({shape[-1]}), true), beta(Tensor::ones({shape[-1]}), true);
    const Variable y = layer_norm(x, gamma, beta) + rms_norm(x, gamma);
    EXPECT_EQ(y.shape(), shape);
    backward(y, Tensor::zeros(shape));
    EXPECT_EQ(x.grad().shape(), shape);
    EXPECT_TRUE(all_close(gamma.grad(), Tensor::zeros({shape[-1]})));
    EXPECT_TRUE(all_close(beta.grad(), Tensor::zeros({shape[-1]})));
  }
}

TEST(LayerNorm, RefusesWithTheNumbers) {
  const Variable x(Tensor::zeros({2, 3})), three(Tensor::ones({3})), four(Tensor::ones({4}));
  EXPECT_THROW_TEXT(layer_norm(x, four, three), ShapeError,
                    "layer_norm: widths differ: x is [2, 3], gamma is [4]; gamma must be "
                    "[x.shape[-1]] = [3]");
  EXPECT_THROW_TEXT(layer_norm(x, three, four), ShapeError,
                    "layer_norm: widths differ: x is [2, 3], beta is [4]; beta must be "
                    "[x.shape[-1]] = [3]");
  EXPECT_THROW_TEXT(layer_norm(Variable(Tensor::scalar(1))), ShapeError,
                    "layer_norm: x is a scalar; it must be [..., E]");
  EXPECT_THROW_TEXT(layer_norm(x, Variable(Tensor::ones({3}, DType::f64)), three), DTypeError,
                    "layer_norm: dtypes differ: x is f32, gamma is f64");
  EXPECT_THROW_TEXT(rms_norm(Variable(Tensor::zeros({2}, DType::i64))), DTypeError,
                    "rms_norm: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(rms_norm(x, four), ShapeError,
                    "rms_norm: widths differ: x is [2, 3], gamma is [4]; gamma must be "
                    "[x.shape[-1]] = [3]");
}

TEST(RmsNorm, DividesByTheRootMeanSquare) {  // mean of squares (9 + 16) / 2 = 12.5
  const double rms = std::sqrt(12.5);
  EXPECT_TRUE(
      all_close(rms_norm(Variable(vector({3, -4})), 0).value(), vector({3 / rms, -4 / rms})));
  EXPECT_TRUE(all_close(rms_norm(Variable(vector({3, -4})), Variable(vector({2, 10})), 0).value(),
                        vector({6 / rms, -40 / rms})));
  EXPECT_TRUE(all_close(rms_norm(Variable(vector({0, 0}))).value(), vector({0, 0})));
}

TEST(RmsNorm, GradientsMatchFiniteDifferences) {
  EXPECT_TRUE(gradients_match([](Inputs x) { return rms_norm(x[0], x[1]); },
                              {random({2, 3, 5}), random({5}, 4)}));
  EXPECT_TRUE(gradients_match([](Inputs x) { return rms_norm(x[0], x[1], 0.1); },
                              {transpose(random({5, 4}), 0, 1), random({5}, 4)}));
  EXPECT_TRUE(gradients_match([](Inputs x) { return rms_norm(x[0]); }, {random({4, 3})}));
}

TEST(Cases, Cases_3_6_LayerNorm) {
  EXPECT_TRUE(all_close(normalized({70000, 70001, 70002, 70003}),
                        vector({-1.34163542, -0.447211807, 0.447211807, 1.34163542})));
  EXPECT_EQ(values_of(normalized({4321, 4321, 4321, 4321, 4321, 4321, 4321, 4321})),
            std::vector<double>(8, 0.0));
  EXPECT_TRUE(all_close(normalized({0, 0, 0, 1e-4}),
                        vector({-0.0079049531, -0.0079049531, -0.0079049531, 0.0237148593})));
  EXPECT_TRUE(
      all_close(normalized({-3, 1, 2, 8}), vector({-1.27000086, -0.254000172, 0, 1.52400103})));
  EXPECT_EQ(layer_norm(Variable(vector({5})), Variable(vector({3})), Variable(vector({0.5})))
                .value()
                .item(),
            0.5);

  const Variable flat(vector({4321, 4321, 4321, 4321}), true);
  backward(layer_norm(flat), vector({1, 0, 0, 0}));
  EXPECT_TRUE(all_close(flat.grad(), vector({237.170825, -79.0569415, -79.0569415, -79.0569415})));

  const Variable x(vector({-3, 1, 2, 8}), true), gain(vector({1, 2, 1, 0.5}), true),
      bias(Tensor::zeros({4}), true);
  backward(layer_norm(x, gain, bias), vector({1, -1, 2, 0}));
  EXPECT_TRUE(all_close(x.grad(), vector({0.129048514, -0.58379071, 0.444500301, 0.0102418948})));
  EXPECT_TRUE(all_close(gain.grad(), vector({-1.27000086, 0.254000172, 0, 0})));
  EXPECT_TRUE(all_close(bias.grad(), vector({1, -1, 2, 0})));
}

}  // namespace
}  // namespace lectern
