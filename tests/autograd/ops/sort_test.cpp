#include "autograd/ops/sort.h"

#include <gtest/gtest.h>

#include "tensor/random.h"
#include "tensor/sort.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Inputs = std::span<const Variable>;
using Values = std::vector<double>;

Tensor random(const Shape& shape) { return Rng(3).normal(shape, DType::f64); }

TEST(SortOps, TheGradientGoesWhereTheValueCameFrom) {
  const Variable x(Tensor::from({3, 1, 2}, {3}), true);
  const SortedVariable sorted = sort(x);
  EXPECT_EQ(values_of(sorted.values.value()), (Values{1, 2, 3}));
  EXPECT_EQ(values_of(sorted.indices), (Values{1, 2, 0}));
  backward(sorted.values, Tensor::from({10, 20, 30}, {3}));
  EXPECT_EQ(values_of(x.grad()), (Values{30, 10, 20}));

  const Variable y(Tensor::from({3, 1, 2}, {3}), true);
  backward(topk(y, 2).values, Tensor::from({10, 20}, {2}));
  EXPECT_EQ(values_of(y.grad()), (Values{10, 0, 20}));
}

TEST(SortOps, GradientsMatchFiniteDifferences) {
  for (const int axis : {0, 1, -1}) {
    for (const Tensor& x : {random({3, 2, 4}), permute(random({4, 3, 2}), {1, 2, 0})}) {
      EXPECT_TRUE(gradients_match([&](Inputs in) { return sort(in[0], axis).values; }, {x}));
      EXPECT_TRUE(gradients_match([&](Inputs in) { return sort(in[0], axis, true).values; }, {x}));
      EXPECT_TRUE(gradients_match([&](Inputs in) { return topk(in[0], 2, axis).values; }, {x}));
      EXPECT_TRUE(
          gradients_match([&](Inputs in) { return topk(in[0], 1, axis, false).values; }, {x}));
    }
  }
}

TEST(SortOps, TakeEmptyInputs) {
  const Variable x(Tensor::zeros({2, 0}), true);
  backward(sort(x).values, Tensor::zeros({2, 0}));
  EXPECT_EQ(x.grad().shape(), Shape({2, 0}));
  const Variable y(Tensor::ones({2, 3}), true);
  backward(topk(y, 0).values, Tensor::zeros({2, 0}));
  EXPECT_EQ(values_of(y.grad()), Values(6, 0.0));
}

TEST(SortOps, BitsDoNotDependOnTheThreads) {
  const Tensor x = Rng(1).normal({13, 41});
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable leaf(x, true);
    backward(topk(leaf, 7, 0).values, Rng(2).normal({7, 41}));
    return leaf.grad();
  }));
}

TEST(SortOps, RefuseWithTheNumbers) {
  const Variable x(Tensor::zeros({2, 3}));
  EXPECT_THROW_TEXT(
      sort(x, 2), ShapeError,
      "sort: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
  EXPECT_THROW_TEXT(
      topk(x, 4), ValueError,
      "topk: k is 4; it must be within 0..3, the extent of axis -1 of x, which is [2, 3]");
  EXPECT_THROW_TEXT(sort(Variable(Tensor::zeros({2}, DType::i64))), DTypeError,
                    "sort: x is i64; it must be f32 or f64");
}

}  // namespace
}  // namespace lectern
