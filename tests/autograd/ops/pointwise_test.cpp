#include "autograd/ops/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/pointwise.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;
using Inputs = std::span<const Variable>;

Variable leaf(const Tensor& value) { return Variable(value, /*requires_grad=*/true); }

struct Function {
  const char* name;
  Variable (*op)(const Variable&);
  Tensor (*of_tensor)(const Tensor&);
  bool positive;  ///< defined for positive numbers alone
};

const Function kFunctions[] = {
    {"abs", abs, abs, false},    {"exp", exp, exp, false},
    {"log", log, log, true},     {"log1p", log1p, log1p, true},
    {"sqrt", sqrt, sqrt, true},  {"rsqrt", rsqrt, rsqrt, true},
    {"sin", sin, sin, false},    {"cos", cos, cos, false},
    {"tanh", tanh, tanh, false}, {"sigmoid", sigmoid, sigmoid, false},
    {"erf", erf, erf, false},
};

/// Numbers of size 0.2 to 2.2, none near 0.
Tensor samples(const Shape& shape, bool positive = false) {
  Tensor x = Tensor::empty(shape, DType::f64);
  int i = 0;
  for (double& v : x.mutable_data<double>()) {
    ++i;
    v = (0.2 + 2 * std::abs(std::sin(3.7 * i))) * (!positive && i % 3 == 1 ? -1 : 1);
  }
  return x;
}

TEST(PointwiseGradients, MatchDifferencesOnDenseStridedAndEmptyInputs) {
  for (const Function& f : kFunctions) {
    const auto apply = [&](Inputs x) { return f.op(x[0]); };
    const Tensor x = samples({3, 5}, f.positive);
    EXPECT_TRUE(gradients_match(apply, {x})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {transpose(x, 0, 1)})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {slice(x, 1, 1, kEnd, 2)})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {samples({}, f.positive)})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {Tensor::empty({0, 2}, DType::f64)})) << f.name;
  }
}

TEST(PointwiseGradients, ValuesAreThoseOfTensorsAndF32GradientsAgreeWithF64) {
  for (const Function& f : kFunctions) {
    const Variable x = leaf(samples({4, 7}, f.positive));
    const Variable x32 = leaf(x.value().to(DType::f32));
    EXPECT_TRUE(same_bits(f.op(x).value(), f.of_tensor(x.value()))) << f.name;
    EXPECT_TRUE(same_bits(f.op(x32).value(), f.of_tensor(x32.value()))) << f.name;
    EXPECT_EQ(f.op(x).node()->op, f.name);
    backward(sum(f.op(x)));
    backward(sum(f.op(x32)));
    EXPECT_TRUE(all_close(x32.grad(), x.grad().to(DType::f32), 1e-5, 2e-6)) << f.name;
  }
}

TEST(PointwiseGradients, SameBitsForAnyThreads) {
  for (const Function& f : kFunctions) {
    const Tensor x = samples({5, 7}, f.positive).to(DType::f32);
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const Variable v = leaf(x);
      backward(f.op(v), x);
      return v.grad();
    })) << f.name;
  }
}

TEST(PointwiseGradients, IntegersAreRefused) {
  const Variable i(counting({2}, DType::i64));
  EXPECT_THROW_TEXT(exp(i), DTypeError, "exp: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(sigmoid(i), DTypeError, "sigmoid: x is i64; it must be f32 or f64");
  EXPECT_EQ(values_of(abs(-i).value()), Values({0, 1}));  // needs no gradient
}

TEST(Cases, Cases_5_6_AbsAndSqrtAtZero) {
  const Variable x = leaf(Tensor::from({0, -3, 2}, {3}));
  backward(sum(abs(x)));
  EXPECT_EQ(values_of(x.grad()), Values({0, -1, 1}));
  const Variable zero = leaf(Tensor::scalar(0));
  backward(sqrt(zero));
  EXPECT_EQ(zero.grad().item(), std::numeric_limits<double>::infinity());
  const Variable unused = leaf(Tensor::scalar(0));
  backward(sqrt(unused) * 0);  // what gets no gradient passes none on, and no NaN
  EXPECT_EQ(unused.grad().item(), 0);
}

TEST(Cases, Cases_5_5_ElementwiseMaximumSharesTies) {
  const Variable a = leaf(Tensor::from({2, 5}, {2}));
  const Variable b = leaf(Tensor::from({2, 1}, {2}));
  backward(sum(maximum(a, b)));
  EXPECT_EQ(values_of(a.grad()), Values({0.5, 1}));
  EXPECT_EQ(values_of(b.grad()), Values({0.5, 0}));
}

TEST(PointwiseGradients, MinimumAndMaximum) {
  const auto smaller = [](Inputs x) { return minimum(x[0], x[1]); };
  const auto larger = [](Inputs x) { return maximum(x[0], x[1]); };
  const Tensor a = samples({3, 4});
  const Tensor b = samples({3, 4}) * -0.9 + 0.1;
  EXPECT_TRUE(gradients_match(smaller, {a, b}));
  EXPECT_TRUE(gradients_match(larger, {a, b}));
  EXPECT_TRUE(gradients_match(smaller, {slice(a, 0, 0, 1), slice(b, 1, 0, 1)}));
  EXPECT_TRUE(gradients_match(larger, {transpose(samples({4, 3}), 0, 1), b}));
  EXPECT_TRUE(gradients_match([](auto x) { return minimum(x[0], 0.05); }, {a}));
  EXPECT_TRUE(gradients_match([](auto x) { return maximum(x[0], 0.05); }, {a}));
  const Variable x = leaf(Tensor::from({1, 2, 3}, {3}));
  backward(sum(minimum(x, 2)));
  EXPECT_EQ(values_of(x.grad()), Values({1, 0.5, 0}));
  EXPECT_THROW_TEXT(maximum(x, Variable(Tensor::ones({2}))), ShapeError,
                    "maximum: shapes do not broadcast: a is [3], b is [2]; axis -1 has 3 and 2");
}

TEST(PointwiseGradients, Clamp) {
  const Variable x = leaf(Tensor::from({-2, -1, 0, 1, 2}, {5}));
  const Variable y = clamp(x, -1, 1);
  EXPECT_EQ(values_of(y.value()), Values({-1, -1, 0, 1, 1}));
  backward(sum(y));
  EXPECT_EQ(values_of(x.grad()), Values({0, 1, 1, 1, 0}));
  EXPECT_TRUE(gradients_match([](auto v) { return clamp(v[0], -0.7, 1.1); }, {samples({3, 5})}));
  EXPECT_TRUE(gradients_match([](auto v) { return clamp(v[0], -0.7, 1.1); },
                              {transpose(samples({3, 5}), 0, 1)}));
  EXPECT_THROW_TEXT(clamp(x, 1, -1), ValueError,
                    "clamp: low is 1, high is -1; low must not be above high");
}

TEST(PointwiseGradients, WhereSendsTheGradientToTheChosen) {
  const Tensor c = greater(samples({3, 4}), 0);
  const auto choose = [&](Inputs x) { return where(c, x[0], x[1]); };
  EXPECT_TRUE(gradients_match(choose, {samples({3, 4}), samples({3, 4}) + 1}));
  EXPECT_TRUE(gradients_match(choose, {samples({4}), samples({3, 1})}));
  EXPECT_TRUE(gradients_match(choose, {samples({2, 3, 4}), samples({})}));
  EXPECT_TRUE(gradients_match([&](auto x) { return where(c, x[0], 2); }, {samples({4})}));
  EXPECT_TRUE(gradients_match([&](auto x) { return where(c, 2, x[0]); }, {samples({3, 1})}));
  const Variable bad = leaf(Tensor::from({-1, 4}, {2}));
  const Tensor positive = Tensor::from({0, 1}, {2}, DType::boolean);
  backward(sum(where(positive, sqrt(bad), 0)));  // the square root of -1 is not chosen
  EXPECT_EQ(values_of(bad.grad()), Values({0, 0.25}));
  EXPECT_THROW_TEXT(where(bad.value(), bad, bad), DTypeError,
                    "where: condition is f32; it must be bool, as comparisons give");
}

}  // namespace
}  // namespace lectern
