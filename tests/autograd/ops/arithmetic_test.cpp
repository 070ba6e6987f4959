#include "autograd/ops/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops/reduce.h"
#include "tensor/elementwise.h"
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

Tensor f64(std::initializer_list<double> values, const Shape& shape) {
  return Tensor::from(values, shape, DType::f64);
}

/// Numbers of size 0.5 to 2 and both signs.
Tensor samples(const Shape& shape) {
  Tensor x = Tensor::empty(shape, DType::f64);
  int i = 0;
  for (double& v : x.mutable_data<double>()) {
    v = (0.5 + 1.5 * std::abs(std::sin(3.7 * i))) * (i % 3 == 1 ? -1 : 1);
    ++i;
  }
  return x;
}

Variable add(Inputs x) { return x[0] + x[1]; }
Variable subtract(Inputs x) { return x[0] - x[1]; }
Variable multiply(Inputs x) { return x[0] * x[1]; }
Variable divide(Inputs x) { return x[0] / x[1]; }

TEST(Arithmetic, GradientsMatchDifferencesUnderBroadcasting) {
  const std::pair<Shape, Shape> shapes[] = {{{2, 3}, {2, 3}},    {{2, 3}, {3}},   {{3}, {2, 3}},
                                            {{2, 1, 3}, {4, 1}}, {{}, {2, 2}},    {{2, 2}, {}},
                                            {{1}, {1, 1}},       {{0, 3}, {1, 3}}};
  for (const auto& [a, b] : shapes) {
    for (Variable (*f)(Inputs) : {add, subtract, multiply, divide}) {
      EXPECT_TRUE(gradients_match(f, {samples(a), samples(b)})) << to_string(a) << to_string(b);
    }
  }
}

TEST(Arithmetic, GradientsMatchDifferencesOnStridedInputs) {
  const Tensor a = transpose(samples({3, 2}), 0, 1);
  const Tensor b = slice(samples({2, 6}), 1, 0, kEnd, 2);
  for (Variable (*f)(Inputs) : {add, subtract, multiply, divide}) {
    EXPECT_TRUE(gradients_match(f, {a, b}));
  }
}

TEST(Arithmetic, GradientsMatchDifferencesWithNumbers) {
  const Tensor x = samples({2, 3});
  EXPECT_TRUE(gradients_match([](auto v) { return v[0] + 3; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return 3 + v[0]; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return v[0] - 3; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return 3 - v[0]; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return v[0] * 3; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return 3 * v[0]; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return v[0] / 3; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return 3 / v[0]; }, {x}));
  EXPECT_TRUE(gradients_match([](auto v) { return -v[0]; }, {x}));
  for (const double exponent : {-1.0, 0.0, 1.0, 2.0, 3.0}) {
    EXPECT_TRUE(gradients_match([=](auto v) { return pow(v[0], exponent); }, {x})) << exponent;
  }
  EXPECT_TRUE(gradients_match([](auto v) { return pow(v[0] * v[0], 0.3); }, {x}));
}

TEST(Arithmetic, ValuesWithNumbersOnEitherSide) {
  const Variable x(Tensor::from({2, -4}, {2}));
  EXPECT_EQ(values_of((x + 3).value()), std::vector<double>({5, -1}));
  EXPECT_EQ(values_of((3 + x).value()), std::vector<double>({5, -1}));
  EXPECT_EQ(values_of((x - 3).value()), std::vector<double>({-1, -7}));
  EXPECT_EQ(values_of((3 - x).value()), std::vector<double>({1, 7}));
  EXPECT_EQ(values_of((x * 3).value()), std::vector<double>({6, -12}));
  EXPECT_EQ(values_of((3 * x).value()), std::vector<double>({6, -12}));
  EXPECT_EQ(values_of((x / 4).value()), std::vector<double>({0.5, -1}));
  EXPECT_EQ(values_of((4 / x).value()), std::vector<double>({2, -1}));
}

TEST(Arithmetic, GradientsOfPowersMatchDifferences) {
  const auto positive = [](Inputs x) { return pow(x[0] * x[0], x[1]); };
  EXPECT_TRUE(gradients_match(positive, {samples({2, 3}), samples({2, 3})}));
  EXPECT_TRUE(gradients_match(positive, {samples({2, 1}), samples({3})}));
  EXPECT_TRUE(gradients_match(positive, {samples({}), samples({3})}));
}

TEST(Cases, Cases_5_4_EachGradientHasTheShapeOfItsOperand) {
  const Variable a = leaf(counting({3, 1}));
  const Variable b = leaf(counting({1, 4}) + 1);
  const Variable w(counting({3, 4}) - 4);
  backward(sum(a * b * w));
  EXPECT_EQ(a.grad().shape(), Shape({3, 1}));
  EXPECT_EQ(b.grad().shape(), Shape({1, 4}));
  EXPECT_EQ(values_of(a.grad()), Values({-20, 20, 60}));
  EXPECT_EQ(values_of(b.grad()), Values({8, 11, 14, 17}));

  const Variable scalar = leaf(Tensor::scalar(2));
  const Variable tensor = leaf(counting({2, 3, 4}));
  backward(sum(scalar * tensor));
  EXPECT_EQ(scalar.grad().shape(), Shape({}));
  EXPECT_EQ(scalar.grad().item(), 276);
  EXPECT_TRUE(all_close(tensor.grad(), Tensor::full({2, 3, 4}, 2), 0, 0));

  const Variable row = leaf(Tensor::zeros({4}));
  backward(sum((row + Variable(Tensor::zeros({2, 3, 4}))) * Variable(counting({2, 3, 4}))));
  EXPECT_EQ(values_of(row.grad()), Values({60, 66, 72, 78}));

  const Variable one = leaf(Tensor::ones({1}));
  backward(sum(one / Variable(counting({5, 4}) + 1)));
  EXPECT_TRUE(all_close(one.grad(), Tensor::from({3.59773966}, {1})));
}

TEST(Cases, Cases_5_6_PowersAtZero) {
  struct Case {
    double base, exponent, by_base;
  };
  for (const auto& [base, exponent, by_base] :
       {Case{0, 2, 0}, Case{0, 1, 1}, Case{0, 0, 0}, Case{2, 1, 1}, Case{-2, 3, 12}}) {
    const Variable b = leaf(Tensor::scalar(base));
    const Variable e = leaf(Tensor::scalar(exponent));
    const Variable y = pow(b, e);
    EXPECT_EQ(y.value().item(), std::pow(base, exponent));
    backward(y);
    EXPECT_EQ(b.grad().item(), by_base) << base << '^' << exponent;
    const Variable c = leaf(Tensor::scalar(base));
    backward(pow(c, exponent));  // the exponent as a number
    EXPECT_EQ(c.grad().item(), by_base) << base << '^' << exponent;
  }
  const auto by_exponent = [](double base, double exponent) {
    const Variable e = leaf(Tensor::scalar(exponent));
    backward(pow(Variable(Tensor::scalar(base)), e));
    return e.grad();
  };
  EXPECT_EQ(by_exponent(0, 2).item(), 0);
  EXPECT_EQ(by_exponent(0, 1).item(), 0);
  EXPECT_TRUE(all_close(by_exponent(2, 1), Tensor::scalar(1.38629436)));
  const Variable x = leaf(Tensor::from({0, -2, 3}, {3}));
  backward(sum(pow(x, 2)));
  EXPECT_EQ(values_of(x.grad()), Values({0, -4, 6}));
}

TEST(Arithmetic, SameBitsForAnyThreads) {
  const Tensor a = samples({5, 7}).to(DType::f32), b = samples({7}).to(DType::f32);
  for (Variable (*f)(Inputs) : {add, subtract, multiply, divide}) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const std::vector<Variable> x{leaf(a), leaf(b)};
      backward(f(x), a);
      return x[1].grad();
    }));
  }
}

TEST(Arithmetic, RefusesAsTensorsDo) {
  const Variable a(Tensor::ones({2})), b(Tensor::ones({3})), c(Tensor::ones({2}, DType::f64));
  EXPECT_THROW_TEXT(a + b, ShapeError,
                    "add: shapes do not broadcast: a is [2], b is [3]; axis -1 has 2 and 3");
  EXPECT_THROW_TEXT(a - b, ShapeError,
                    "sub: shapes do not broadcast: a is [2], b is [3]; axis -1 has 2 and 3");
  EXPECT_THROW_TEXT(a * c, DTypeError,
                    "mul: dtypes differ: a is f32, b is f64; convert one with .to(DType::f32)");
  EXPECT_THROW_TEXT(a / c, DTypeError,
                    "div: dtypes differ: a is f32, b is f64; convert one with .to(DType::f32)");
  EXPECT_THROW_TEXT(pow(a, b), ShapeError,
                    "pow: shapes do not broadcast: a is [2], b is [3]; axis -1 has 2 and 3");
}

TEST(Arithmetic, NamesItsOpsInTheGraph) {
  const Variable x = leaf(f64({2}, {1}));
  EXPECT_EQ((x + x).node()->op, "add");
  EXPECT_EQ((x - 1).node()->op, "sub");
  EXPECT_EQ((2 * x).node()->op, "mul");
  EXPECT_EQ((2 / x).node()->op, "div");
  EXPECT_EQ((-x).node()->op, "neg");
  EXPECT_EQ(pow(x, 2).node()->op, "pow");
}

}  // namespace
}  // namespace lectern
