#include "autograd/trace.h"

#include <gtest/gtest.h>

#include <sstream>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Named = std::vector<std::pair<std::string, Variable>>;

Variable leaf(std::initializer_list<double> values, const Shape& shape, DType dtype = DType::f64) {
  return Variable(Tensor::from(values, shape, dtype), /*requires_grad=*/true);
}

// h = x W + b = [3, 4], loss = Σ h². So dh = 2h = [6, 8] of norm 10, db = [6, 8], dW = xᵀ dh =
// [[6, 8], [12, 16]] of norm sqrt(500) = 22.36. Seed 1 gives each h² gradient 1: norm sqrt(2).
TEST(Trace, IsATableOfTheBackwardPass) {
  const Variable x(Tensor::from({1, 2}, {1, 2}));  // a constant: no gradient goes to it
  const Variable w = leaf({1, 2, 1, 1}, {2, 2}, DType::f32), b = leaf({0, 0}, {2}, DType::f32);
  const Variable h = matmul(x, w) + b;
  const Variable loss = sum(h * h);
  const std::string text = to_string(trace(loss, Named{{"linear.weight", w}, {"linear.bias", b}}));
  EXPECT_EQ(text,
            "#  node           result      |gradient|  to  input          shape   |gradient|\n"
            "0  sum            f32 []               1   1  mul            [1, 2]       1.414\n"
            "1  mul            f32 [1, 2]       1.414   2  add            [1, 2]          10\n"
            "2  add            f32 [1, 2]          10   4  matmul         [1, 2]          10\n"
            "                                           3  linear.bias    [2]             10\n"
            "3  linear.bias    f32 [2]             10\n"
            "4  matmul         f32 [1, 2]          10   5  linear.weight  [2, 2]       22.36\n"
            "5  linear.weight  f32 [2, 2]       22.36\n");
  EXPECT_EQ(values_of(w.grad()), std::vector<double>({6, 8, 12, 16}));  // it is the pass itself
  EXPECT_THROW_TEXT(trace(loss), GradError,
                    "backward: the graph through sum of shape [] was used by an earlier backward "
                    "and given up; pass {.retain_graph = true} to the first one");
}

// u = 3x, v = 4x, loss = u + v: x gets 3 and then 4 more, told apart, and 7 in all.
TEST(Trace, TellsTheParts) {
  const Variable x = leaf({5}, {});
  const Variable u = 3 * x, v = 4 * x;
  const Trace steps = trace(u + v, Named{{"x", x}});
  ASSERT_EQ(steps.steps.size(), 4U);
  std::vector<double> to_x;
  for (const TraceStep& step : steps.steps) {
    for (const TraceStep::Sent& sent : step.sent) {
      if (sent.to == "x") to_x.push_back(sent.norm);
    }
  }
  std::ranges::sort(to_x);
  EXPECT_EQ(to_x, std::vector<double>({3, 4}));
  EXPECT_EQ(steps.steps.back().name, "x");
  EXPECT_EQ(steps.steps.back().norm, 7);
  EXPECT_TRUE(steps.steps.back().sent.empty());
  EXPECT_EQ(steps.steps.front().sent[0].step + steps.steps.front().sent[1].step, 3);
}

TEST(Trace, MayKeepTheGraphAndTakesASeed) {
  const Variable x = leaf({1, 2}, {2});
  const Variable y = x * 3;
  const Tensor seed = Tensor::from({4, 0}, {2}, DType::f64);
  const Trace first = trace(y, seed, {}, {.retain_graph = true});
  EXPECT_EQ(first.steps.front().norm, 4);
  EXPECT_EQ(first.steps.front().sent.front().norm, 12);
  EXPECT_EQ(first.steps.back().name, "leaf");
  trace(y, seed);
  EXPECT_EQ(values_of(x.grad()), std::vector<double>({24, 0}));
  EXPECT_THROW_TEXT(trace(x * 3), ShapeError,
                    "backward: loss has shape [2]; without a seed it must have one element");
}

TEST(Trace, ShowsWhatReceivesNothing) {
  const Variable x = leaf({1, 2}, {2});
  const auto none = [](const Tensor&, Gradient&) {};
  const Variable y = record("odd", x.value() * 1, wrt(x, none));
  EXPECT_EQ(to_string(trace(sum(y), Named{{"x", x}})),
            "#  node  result   |gradient|  to  input  shape  |gradient|\n"
            "0  sum   f64 []            1   1  odd    [2]         1.414\n"
            "1  odd   f64 [2]       1.414   -  x      [2]             0\n");
}

TEST(Trace, PrintsNormsThatAreNoNumbers) {
  const Variable x = leaf({0, 4}, {2});
  std::ostringstream out;
  out << trace(sum(sqrt(x)), Named{{"x", x}});
  EXPECT_EQ(out.str(),
            "#  node  result   |gradient|  to  input  shape  |gradient|\n"
            "0  sum   f64 []            1   1  sqrt   [2]         1.414\n"
            "1  sqrt  f64 [2]       1.414   2  x      [2]           inf\n"
            "2  x     f64 [2]         inf\n");
  EXPECT_EQ(fmt::format("{}", Trace{}),
            "#  node  result  |gradient|  to  input  shape  |gradient|\n");
}

/// A graph with views, products that add into a sum, and a joint derivative.
Variable attended(const Variable& w) {
  Rng rng(5);
  const Variable x(rng.normal({2, 5, 6}));
  const Variable qkv = reshape(matmul(x, w), {2, 5, 3, 6});  // [B, T, 3, D]
  const auto part = [&](int i) { return transpose(slice(qkv, 2, i, i + 1), 1, 2); };
  const Variable y = scaled_dot_product_attention(part(0), part(1), part(2), {});
  return sum(y * y) + sum(w * w);
}

TEST(Trace, ChangesNoBits) {
  Rng rng(3);
  const Tensor weight = rng.normal({6, 18});
  const Variable plain(weight, true), traced(weight.clone(), true);
  backward(attended(plain));
  trace(attended(traced));
  EXPECT_TRUE(same_bits(plain.grad(), traced.grad()));
}

TEST(Trace, LongChainsNeedNoStack) {
  const Variable x = leaf({1}, {});
  Variable y = x;
  for (int i = 0; i < 20000; ++i) y = -y;
  EXPECT_EQ(trace(y).steps.size(), 20001U);
}

}  // namespace
}  // namespace lectern
