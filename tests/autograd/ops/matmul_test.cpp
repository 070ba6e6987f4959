#include "autograd/ops/matmul.h"

#include <gtest/gtest.h>

#include "autograd/ops/linear.h"
#include "tensor/broadcast.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

Tensor normal(const Shape& shape, std::uint64_t seed, DType dtype = DType::f64) {
  return Rng(seed).normal(shape, dtype);
}

TEST(Cases, Cases_2_2_GradientsOfAnEmptyProduct) {
  const Variable a(Tensor::empty({2, 0}), true), b(Tensor::empty({0, 3}), true);
  const Variable c = matmul(a, b);
  EXPECT_TRUE(all_close(c.value(), Tensor::zeros({2, 3})));
  backward(c, Tensor::ones({2, 3}));
  EXPECT_EQ(a.grad().shape(), Shape({2, 0}));
  EXPECT_EQ(b.grad().shape(), Shape({0, 3}));
}

TEST(MatmulOp, GradientMatchesValuesWorkedByHand) {
  const Variable a(Tensor::from({1, 2, 3, 4}, {2, 2}), true);
  const Variable b(Tensor::from({5, 6, 7, 8}, {2, 2}), true);
  backward(matmul(a, b), Tensor::from({1, 0, 0, 2}, {2, 2}));              // G = diag(1, 2)
  EXPECT_TRUE(all_close(a.grad(), Tensor::from({5, 7, 12, 16}, {2, 2})));  // G Bᵀ
  EXPECT_TRUE(all_close(b.grad(), Tensor::from({1, 6, 2, 8}, {2, 2})));    // Aᵀ G
}

TEST(MatmulOp, GradientMatchesDifferencesForEveryKindOfOperands) {
  const std::pair<Shape, Shape> operands[] = {
      {{3}, {3}},
      {{2, 3}, {3}},
      {{3}, {3, 2}},
      {{3}, {2, 3, 4}},
      {{2, 4, 3}, {3}},
      {{2, 3}, {3, 4}},
      {{2, 2, 3}, {3, 4}},  // b's batch is summed
      {{2, 3}, {2, 3, 4}},  // a's batch is summed
      {{2, 2, 3}, {2, 3, 2}},
      {{2, 1, 2, 3}, {3, 3, 2}},  // both broadcast
      {{1, 2, 3}, {2, 3, 2}},
      {{2, 2, 0}, {0, 3}},
  };
  for (const auto& [a, b] : operands) {
    EXPECT_TRUE(
        gradients_match([](auto x) { return matmul(x[0], x[1]); }, {normal(a, 1), normal(b, 2)}))
        << to_string(a) << " " << to_string(b);
  }
}

TEST(MatmulOp, GradientMatchesDifferencesForStridedOperands) {
  const Tensor q = transpose(normal({2, 3, 2, 2}, 1), 1, 2);  // heads split as views
  const Tensor k = transpose(transpose(normal({2, 2, 2, 2}, 2), 1, 2), -2, -1);
  EXPECT_TRUE(gradients_match([](auto x) { return matmul(x[0], x[1]); }, {q, k}));
  const Tensor weight = transpose(normal({3, 2}, 3), 0, 1);
  EXPECT_TRUE(gradients_match([](auto x) { return matmul(x[0], x[1]); }, {q, weight}));
}

TEST(MatmulOp, GradientsAddUpOverUses) {
  const Tensor at = normal({3, 3}, 1);
  EXPECT_TRUE(gradients_match([](auto x) { return matmul(matmul(x[0], x[0]), x[0]); }, {at}));
}

TEST(MatmulOp, NothingIsLeftBehindByTheBatchOfAWeight) {
  const Variable x(Tensor::ones({64, 8, 16})), w(Tensor::ones({16, 16}), true);
  const Variable y = matmul(x, w);
  const Tensor seed = Tensor::ones({64, 8, 16});
  reset_peak_memory();
  const std::int64_t before = memory_stats().live_bytes;
  backward(y, seed);
  // dW and the panels of the product; a gradient for each of the batch would be 64 KiB.
  EXPECT_LT(memory_stats().peak_bytes - before, 60'000);
  EXPECT_TRUE(all_close(w.grad(), Tensor::full({16, 16}, 512)));
}

TEST(MatmulOp, SameBitsForAnyNumberOfThreads) {
  const Tensor g = normal({3, 37, 21}, 3, DType::f32);
  const auto gradient = [&](bool of_weight) {
    return [&, of_weight] {
      const Variable a(normal({3, 37, 65}, 1, DType::f32), true);
      const Variable b(normal({65, 21}, 2, DType::f32), true);
      backward(matmul(a, b), g);
      return of_weight ? b.grad() : a.grad();
    };
  };
  EXPECT_TRUE(same_bits_for_any_threads(gradient(true)));
  EXPECT_TRUE(same_bits_for_any_threads(gradient(false)));
}

TEST(MatmulOp, RefusesWithTheNumbers) {
  EXPECT_THROW_TEXT(
      matmul(Variable(Tensor::ones({32, 10, 128})), Variable(Tensor::ones({64, 256}))), ShapeError,
      "matmul: inner dimensions differ: a is [32, 10, 128], b is [64, 256]; a.shape[-1] = 128 must "
      "equal b.shape[-2] = 64");
}

TEST(LinearOp, ValuesWorkedByHand) {
  const Variable x(Tensor::from({1, 2, 3, 4}, {2, 2}), true);
  const Variable w(Tensor::from({1, 0, 0, 1, 1, 1}, {3, 2}), true);
  const Variable b(Tensor::from({10, 20, 30}, {3}), true);
  const Variable y = linear(x, w, b);
  EXPECT_TRUE(all_close(y.value(), Tensor::from({11, 22, 33, 13, 24, 37}, {2, 3})));
  backward(y, Tensor::from({1, 0, 2, 0, 1, 0}, {2, 3}));
  EXPECT_TRUE(all_close(x.grad(), Tensor::from({3, 2, 0, 1}, {2, 2})));
  EXPECT_TRUE(all_close(w.grad(), Tensor::from({1, 2, 3, 4, 2, 4}, {3, 2})));
  EXPECT_TRUE(all_close(b.grad(), Tensor::from({1, 1, 2}, {3})));
}

TEST(LinearOp, GradientMatchesDifferences) {
  const Tensor w = normal({3, 4}, 1), b = normal({3}, 2);
  const Tensor strided = transpose(normal({4, 2, 3}, 3), 0, 2);  // [3, 2, 4]
  for (const Tensor& x :
       {normal({4}, 3), normal({2, 4}, 3), normal({2, 3, 4}, 3), strided, normal({0, 4}, 3)}) {
    EXPECT_TRUE(gradients_match([](auto v) { return linear(v[0], v[1], v[2]); }, {x, w, b}))
        << to_string(x.shape());
    EXPECT_TRUE(gradients_match([](auto v) { return linear(v[0], v[1]); }, {x, w}))
        << to_string(x.shape());
    EXPECT_TRUE(gradients_match([](auto v) { return linear(v[0], v[1]); },
                                {x, transpose(normal({4, 3}, 1), 0, 1)}))
        << to_string(x.shape());
  }
}

TEST(LinearOp, SameBitsForAnyNumberOfThreads) {
  const Tensor g = normal({5, 41, 33}, 4, DType::f32);
  for (const int wanted : {0, 1, 2, 3}) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const Variable x(normal({5, 41, 70}, 1, DType::f32), true);
      const Variable w(normal({33, 70}, 2, DType::f32), true);
      const Variable b(normal({33}, 3, DType::f32), true);
      const Variable y = linear(x, w, b);
      if (wanted == 3) return y.value();
      backward(y, g);
      return wanted == 0 ? x.grad() : wanted == 1 ? w.grad() : b.grad();
    })) << wanted;
  }
}

TEST(LinearOp, RefusesWithTheNumbers) {
  const Variable w(Tensor::ones({5, 3}));
  EXPECT_THROW_TEXT(linear(Variable(Tensor::ones({2, 4})), w), ShapeError,
                    "linear: x is [2, 4], weight is [5, 3]; x.shape[-1] must equal "
                    "weight.shape[1] = 3");
  EXPECT_THROW_TEXT(linear(Variable(Tensor::ones({2, 3})), w, Variable(Tensor::ones({2}))),
                    ShapeError, "linear: bias is [2], weight is [5, 3]; bias must be [5]");
}

}  // namespace
}  // namespace lectern
