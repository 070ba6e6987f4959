#include "autograd/ops/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/ops/reduce.h"
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

double gelu_by_definition(double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }
double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * std::pow(x, 3))));
}

struct Function {
  const char* name;
  Variable (*op)(const Variable&);
  double (*reference)(double);
};

const Function kFunctions[] = {
    {"relu", relu, [](double x) { return x > 0 ? x : 0; }},
    {"gelu", [](const Variable& x) { return gelu(x); }, gelu_by_definition},
    {"gelu", [](const Variable& x) { return gelu(x, Gelu::tanh_formula); }, gelu_by_tanh},
    {"silu", silu, [](double x) { return x / (1 + std::exp(-x)); }},
};

/// -6 to 6 without 0, so many that registers have tails.
Tensor samples(DType dtype) {
  Tensor x = counting({5, 7}, DType::f64);
  for (double& v : x.mutable_data<double>()) v = (v - 17.25) * 0.35;
  return x.to(dtype);
}

TEST(Activation, ValuesAreTheFormula) {
  for (const Function& f : kFunctions) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = samples(dtype);
      Values want;
      for (const double v : values_of(x)) want.push_back(f.reference(v));
      const double rtol = dtype == DType::f32 ? 1e-6 : 1e-14;
      const double atol = dtype == DType::f32 ? 5e-7 : 1e-15;
      const Variable y = f.op(Variable(x));
      EXPECT_TRUE(all_close(y.value(), Tensor::from(want, x.shape()).to(dtype), rtol, atol))
          << f.name;
    }
    EXPECT_EQ(f.op(leaf(samples(DType::f32))).node()->op, f.name);
  }
}

TEST(Activation, ValuesWorkedElsewhere) {  // Φ(1) = 0.8413447461, σ(1) = 0.7310585786
  const Variable x(Tensor::from({1, -1, 0}, {3}, DType::f64));
  EXPECT_TRUE(all_close(gelu(x).value(),
                        Tensor::from({0.8413447461, -0.1586552539, 0}, {3}, DType::f64), 0, 1e-10));
  EXPECT_TRUE(all_close(silu(x).value(),
                        Tensor::from({0.7310585786, -0.2689414214, 0}, {3}, DType::f64), 0, 1e-10));
}

TEST(Activation, GradientsMatchDifferences) {
  for (const Function& f : kFunctions) {
    const auto apply = [&](Inputs x) { return f.op(x[0]); };
    const Tensor x = samples(DType::f64);
    EXPECT_TRUE(gradients_match(apply, {x})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {transpose(x, 0, 1)})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {slice(x, 1, 0, kEnd, 2)})) << f.name;
    EXPECT_TRUE(gradients_match(apply, {Tensor::empty({0, 3}, DType::f64)})) << f.name;
  }
}

TEST(Activation, F32GradientsAgreeWithF64) {
  for (const Function& f : kFunctions) {
    const Variable x = leaf(samples(DType::f32));
    const Variable x64 = leaf(x.value().to(DType::f64));
    backward(sum(f.op(x)));
    backward(sum(f.op(x64)));
    EXPECT_TRUE(all_close(x.grad(), x64.grad().to(DType::f32), 2e-6, 2e-6)) << f.name;
  }
}

TEST(Activation, SameBitsForAnyThreads) {
  for (const Function& f : kFunctions) {
    const Tensor x = samples(DType::f32);
    EXPECT_TRUE(same_bits_for_any_threads([&] { return f.op(Variable(x)).value(); })) << f.name;
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const Variable v = leaf(x);
      backward(f.op(v), x);
      return v.grad();
    })) << f.name;
  }
}

TEST(Cases, Cases_5_5_ReluAtZero) {
  const Variable x = leaf(Tensor::from({-1, 0, 2}, {3}));
  const Variable y = relu(x);
  EXPECT_EQ(values_of(y.value()), Values({0, 0, 2}));
  backward(sum(y));
  EXPECT_EQ(values_of(x.grad()), Values({0, 0, 1}));
}

TEST(Activation, NaNStaysVisible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Function& f : kFunctions) {
    EXPECT_TRUE(std::isnan(f.op(Variable(Tensor::scalar(nan))).value().item())) << f.name;
  }
}

TEST(Activation, RefusesIntegers) {
  for (const Function& f : kFunctions) {
    EXPECT_THROW_TEXT(f.op(Variable(counting({2}, DType::i64))), DTypeError,
                      std::string(f.name) + ": x is i64; it must be f32 or f64");
  }
}

}  // namespace
}  // namespace lectern
