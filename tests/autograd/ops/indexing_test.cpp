#include "autograd/ops/indexing.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "tensor/indexing.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;
using Inputs = std::span<const Variable>;

Tensor random(const Shape& shape) { return Rng(3).normal(shape, DType::f64); }

// Each op on a dense input and on one whose strides are not row-major.
TEST(Indexing, GradientsMatchFiniteDifferences) {
  const auto check = [](const DifferentiableFunction& f) {
    EXPECT_TRUE(gradients_match(f, {random({2, 3, 4})}));
    EXPECT_TRUE(gradients_match(f, {permute(random({4, 2, 3}), {1, 2, 0})}));
  };
  const Tensor ids = Tensor::from({2, 0, 2, 2, 1}, {5}, DType::i64);
  const Tensor places = Rng(4).integers({2, 6, 4}, 0, 3);
  const Tensor mask = Rng(5).bernoulli({3, 1}, 0.5);
  check([&](Inputs x) { return index_select(x[0], 1, ids); });
  check([&](Inputs x) { return index_select(x[0], -1, ids); });
  check([&](Inputs x) { return gather(x[0], -2, places); });
  check([&](Inputs x) { return masked_fill(x[0], mask, 7); });
  check([](Inputs x) { return tril(x[0], 1); });
  check([](Inputs x) { return triu(x[0], -1); });
  const auto scatter = [&](Inputs x) { return scatter_add(x[0], 1, places, x[1]); };
  EXPECT_TRUE(gradients_match(scatter, {random({2, 3, 4}), random({2, 6, 4})}));
  EXPECT_TRUE(gradients_match(
      scatter, {transpose(random({2, 4, 3}), 1, 2), transpose(random({4, 6, 2}), 0, 2)}));
}

// index_select adds into the running sum: after, before, and beside other gradients.
TEST(Indexing, GradientsAddUpWithOthers) {
  const Tensor ids = Tensor::from({1, 1}, {2}, DType::i64);
  const auto both = [&](Inputs x) {
    const Variable rows = index_select(x[0], 0, ids), again = index_select(x[0], 0, ids);
    return index_select(x[0] * x[0], 0, ids) + x[0] + rows * again;
  };
  EXPECT_TRUE(gradients_match(both, {random({2, 3})}));
}

TEST(Indexing, EmptyInputs) {
  const Variable x(Tensor::zeros({3, 2}), true);
  backward(index_select(x, 0, Tensor::zeros({0}, DType::i64)), Tensor::zeros({0, 2}));
  EXPECT_EQ(values_of(x.grad()), Values(6, 0));
  const Variable y(Tensor::zeros({0, 2}), true);
  backward(tril(y), Tensor::zeros({0, 2}));
  EXPECT_EQ(y.grad().shape(), Shape({0, 2}));
  const Variable z(Tensor::zeros({2, 3}), true);
  backward(gather(z, 1, Tensor::zeros({2, 0}, DType::i64)), Tensor::zeros({2, 0}));
  EXPECT_EQ(values_of(z.grad()), Values(6, 0));
}

TEST(Indexing, AChangedIndexIsRefused) {
  const Variable x(Tensor::zeros({3}), true);
  Tensor ids = Tensor::zeros({2}, DType::i64);
  const Variable y = index_select(x, 0, ids);
  ids.fill(1);
  EXPECT_THROW_TEXT(backward(y, Tensor::ones({2})), GradError,
                    "backward of index_select: a saved i64 of shape [2] was written to after it "
                    "was used; compute from a clone, or write before the use");
}

TEST(Indexing, ErrorsAreThoseOfTensors) {
  const Variable x(Tensor::zeros({2, 3}), true);
  EXPECT_THROW_TEXT(index_select(x, 1, Tensor::from({3}, {1}, DType::i64)), IndexError,
                    "index_select: index 3 at position [0] is out of range: x is [2, 3]; "
                    "0 <= index < 3 on axis 1");
  EXPECT_THROW_TEXT(masked_fill(x, Tensor::zeros({2, 3}), 1), DTypeError,
                    "masked_fill: mask is f32; it must be bool, true = fill");
}

TEST(Indexing, GradientsHaveTheSameBitsForAnyNumberOfThreads) {
  const Tensor ids = Rng(1).integers({57}, 0, 5);
  const Tensor places = Rng(2).integers({5, 57}, 0, 5);
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable x(Rng(3).normal({5, 5}), true);
    const Variable y = index_select(x, 1, ids) + gather(x, 1, places);
    backward(y, Rng(4).normal({5, 57}));
    return x.grad();
  }));
}

}  // namespace
}  // namespace lectern
