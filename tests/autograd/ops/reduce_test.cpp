#include "autograd/ops/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "autograd/ops/arithmetic.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
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

struct Case {
  const char* name;
  std::function<Variable(const Variable&, const Axes&, bool)> op;
  std::function<Tensor(const Tensor&, const Axes&, bool)> value;
};

std::vector<Case> cases() {
  return {
      {"sum", [](const Variable& x, const Axes& a, bool k) { return sum(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return sum(x, a, k); }},
      {"mean", [](const Variable& x, const Axes& a, bool k) { return mean(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return mean(x, a, k); }},
      {"var", [](const Variable& x, const Axes& a, bool k) { return var(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return var(x, a, k); }},
      {"var of a population",
       [](const Variable& x, const Axes& a, bool k) { return var(x, a, k, 0); },
       [](const Tensor& x, const Axes& a, bool k) { return var(x, a, k, 0); }},
      {"std", [](const Variable& x, const Axes& a, bool k) { return lectern::std(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return lectern::std(x, a, k); }},
      {"norm", [](const Variable& x, const Axes& a, bool k) { return norm(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return norm(x, a, k); }},
      {"prod", [](const Variable& x, const Axes& a, bool k) { return prod(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return prod(x, a, k); }},
      {"max", [](const Variable& x, const Axes& a, bool k) { return max(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return max(x, a, k); }},
      {"min", [](const Variable& x, const Axes& a, bool k) { return min(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return min(x, a, k); }},
      {"logsumexp", [](const Variable& x, const Axes& a, bool k) { return logsumexp(x, a, k); },
       [](const Tensor& x, const Axes& a, bool k) { return logsumexp(x, a, k); }},
  };
}

TEST(ReduceOps, ValuesAndGradientsOverEverySetOfAxes) {
  for (const Case& c : cases()) {
    for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}, Axes{-1}, Axes{0, 2}, Axes{2, 1}}) {
      for (const bool keepdim : {false, true}) {
        const auto f = [&](Inputs x) { return c.op(x[0], axes, keepdim); };
        for (const Tensor& x : {random({3, 2, 4}), permute(random({4, 3, 2}), {1, 2, 0})}) {
          EXPECT_TRUE(gradients_match(f, {x})) << c.name << " over " << to_string(axes);
          EXPECT_TRUE(
              same_bits(c.op(Variable(x), axes, keepdim).value(), c.value(x, axes, keepdim)))
              << c.name;
        }
      }
    }
  }
}

TEST(ReduceOps, BitsDoNotDependOnTheThreads) {
  const Tensor x = Rng(1).normal({37, 301});
  for (const Case& c : cases()) {
    for (const Axes& axes : {Axes{0}, Axes{1}}) {
      EXPECT_TRUE(same_bits_for_any_threads([&] {
        const Variable leaf(x, true);
        const Variable y = c.op(leaf, axes, false);
        backward(y, Rng(2).normal(y.shape()));
        return leaf.grad();
      })) << c.name;
    }
  }
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable leaf(x, true);
    backward(cumsum(leaf, 0), Rng(2).normal(x.shape()));
    return leaf.grad();
  }));
}

TEST(ReduceOps, TakeEmptyInputs) {
  const Variable x(Tensor::zeros({0, 3}), true);
  backward(sum(x, 0) + mean(x, 0) + prod(x, 0) + norm(x, 0) + logsumexp(x, 0) + var(x, 0),
           Tensor::ones({3}));
  EXPECT_EQ(x.grad().shape(), Shape({0, 3}));
  const Variable y(Tensor::zeros({0, 3}), true);
  backward(max(y, 1) + min(y, 1), Tensor::zeros({0}));
  EXPECT_EQ(y.grad().shape(), Shape({0, 3}));
  EXPECT_EQ(cumsum(y, 0).shape(), Shape({0, 3}));
}

TEST(ReduceOps, ProdSeesThroughZeros) {
  const auto gradient = [](std::initializer_list<double> values) {
    const Variable x(Tensor::from(values, {static_cast<std::int64_t>(values.size())}, DType::f64),
                     true);
    backward(prod(x));
    return values_of(x.grad());
  };
  EXPECT_EQ(gradient({2, 3, 4}), (Values{12, 8, 6}));
  EXPECT_EQ(gradient({2, 0, 4}), (Values{0, 8, 0}));
  EXPECT_EQ(gradient({0, 3, 0}), (Values{0, 0, 0}));
  const Tensor x = Tensor::from({1, 0, 2, 0, 3, 0, 4, 5, 6}, {3, 3}, DType::f64);
  EXPECT_TRUE(gradients_match([](Inputs in) { return prod(in[0], 0); }, {x}));
  EXPECT_TRUE(gradients_match([](Inputs in) { return prod(in[0], 1, true); }, {x}));
}

TEST(ReduceOps, LogSumExpOfMinusInfinity) {
  const Variable x(Tensor::from({-kInf, 0, -kInf, -kInf}, {2, 2}), true);
  backward(logsumexp(x, 1), Tensor::ones({2}));
  EXPECT_EQ(values_of(x.grad()), (Values{0, 1, 0, 0}));
}

TEST(ReduceOps, StdOfEqualElementsHasGradientZero) {
  const Variable x(Tensor::full({3}, 7), true);
  backward(lectern::std(x));
  EXPECT_EQ(values_of(x.grad()), (Values{0, 0, 0}));
}

TEST(ReduceOps, CumsumGradientsMatchFiniteDifferences) {
  for (const int axis : {0, 1, -1}) {
    const auto f = [&](Inputs x) { return cumsum(x[0], axis); };
    EXPECT_TRUE(gradients_match(f, {random({3, 2, 4})}));
    EXPECT_TRUE(gradients_match(f, {permute(random({4, 3, 2}), {1, 2, 0})}));
  }
}

TEST(ReduceOps, RefuseWithTheNumbers) {
  const Variable x(Tensor::zeros({2, 3}));
  EXPECT_THROW_TEXT(
      sum(x, 2), ShapeError,
      "sum: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
  EXPECT_THROW_TEXT(norm(x, {1, -1}), ShapeError,
                    "norm: axis -1 is named twice: x is [2, 3], axes are [1, -1]");
  EXPECT_THROW_TEXT(sum(Variable(Tensor::zeros({2}, DType::i64))), DTypeError,
                    "sum: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(cumsum(Variable(Tensor::zeros({2}, DType::boolean)), 0), DTypeError,
                    "cumsum: x is bool; it must be f32 or f64");
  EXPECT_THROW_TEXT(max(Variable(Tensor::zeros({0, 3})), 0), ShapeError,
                    "max: nothing to choose from: x is [0, 3], reduced over axes [0]");
}

TEST(Cases, Cases_5_5_MaximaShareTheGradient) {
  const Variable x(Tensor::from({3, 1, 3, 3}, {4}, DType::f64), true);
  backward(max(x));
  const Values grad = values_of(x.grad());
  EXPECT_EQ(grad, (Values{1.0 / 3, 0, 1.0 / 3, 1.0 / 3}));  // each an equal share
  EXPECT_EQ(grad[0] + grad[1] + grad[2] + grad[3], 1.0);
}

TEST(Cases, Cases_5_6_NormOfZeros) {
  const Variable x(Tensor::zeros({3}), true);
  const Variable y = norm(x);
  EXPECT_EQ(y.value().item(), 0.0);
  backward(y);
  EXPECT_EQ(values_of(x.grad()), (Values{0, 0, 0}));
}

}  // namespace
}  // namespace lectern
