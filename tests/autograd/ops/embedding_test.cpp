#include "autograd/ops/embedding.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
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

using Values = std::vector<double>;

Tensor ids(std::initializer_list<double> values, const Shape& shape) {
  return Tensor::from(values, shape, DType::i64);
}

TEST(Embedding, GradientMatchesFiniteDifferences) {
  const Tensor at = ids({0, 2, 2, 1, 0, 3}, {2, 3});
  const auto f = [&](std::span<const Variable> x) { return embedding(x[0], at); };
  const Tensor weight = Rng(1).normal({4, 5}, DType::f64);
  EXPECT_TRUE(gradients_match(f, {weight}));
  EXPECT_TRUE(gradients_match(f, {transpose(Rng(1).normal({5, 4}, DType::f64), 0, 1)}));
}

// The table of a tied output layer gets both gradients.
TEST(Embedding, GradientAddsToThatOfATiedProduct) {
  const Tensor at = ids({0, 2, 2}, {3});
  EXPECT_TRUE(gradients_match(
      [&](std::span<const Variable> x) {
        return matmul(embedding(x[0], at), transpose(x[0], 0, 1));
      },
      {Rng(1).normal({4, 5}, DType::f64)}));
}

TEST(Embedding, ReadsViewsOfIds) {
  const Tensor at = transpose(ids({0, 2, 2, 1, 0, 3}, {2, 3}), 0, 1);
  const Variable y = embedding(Variable(counting({4, 1})), at);
  EXPECT_EQ(y.shape(), Shape({3, 2, 1}));
  EXPECT_EQ(values_of(y.value()), (Values{0, 1, 2, 0, 2, 3}));
}

TEST(Embedding, ScalarsAndEmptyIds) {
  const Variable weight(counting({4, 2}), true);
  EXPECT_EQ(embedding(weight, ids({3}, {})).shape(), Shape({2}));
  const Variable none = embedding(weight, ids({}, {2, 0}));
  EXPECT_EQ(none.shape(), Shape({2, 0, 2}));
  backward(none, Tensor::zeros({2, 0, 2}));
  EXPECT_EQ(values_of(weight.grad()), Values(8, 0));
}

TEST(Embedding, SameBitsForAnyNumberOfThreads) {
  const Tensor at = Rng(2).integers({7, 31}, 0, 13);
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable weight(Rng(1).normal({13, 71}), true);
    const Variable y = embedding(weight, at, 5);
    backward(y + embedding(weight, at), Rng(3).normal(y.shape()));
    return weight.grad();
  }));
}

TEST(Embedding, Refuses) {
  const Variable weight(counting({4, 2}));
  EXPECT_THROW_TEXT(embedding(Variable(counting({4})), ids({0}, {1})), ShapeError,
                    "embedding: weight has shape [4]; its rank must be 2");
  EXPECT_THROW_TEXT(embedding(weight, counting({2})), DTypeError,
                    "embedding: ids is f32; convert it with .to(DType::i64)");
  EXPECT_THROW_TEXT(embedding(Variable(counting({4, 2}, DType::i64)), ids({0}, {1})), DTypeError,
                    "embedding: weight is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(embedding(weight, ids({0}, {1}), 4), IndexError,
                    "embedding: padding id 4 is outside the table: weight is [4, 2]");
}

TEST(Cases, Cases_4_1_Embedding) {
  const Variable table(Tensor::from({9, 9, 1, 2, 3, 4, 5, 6}, {4, 2}), true);
  const Variable y = embedding(table, ids({0, 2, 2, 1, 0, 3}, {2, 3}), /*padding_id=*/0);
  EXPECT_EQ(y.shape(), Shape({2, 3, 2}));
  EXPECT_EQ(values_of(y.value()), (Values{9, 9, 3, 4, 3, 4, 1, 2, 9, 9, 5, 6}));
  backward(y, Tensor::from({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2}));
  EXPECT_EQ(values_of(table.grad()), (Values{0, 0, 7, 8, 8, 10, 11, 12}));
}

TEST(Cases, Cases_4_2_EmbeddingIdsOutOfRange) {
  const Variable table(counting({4, 2}));
  EXPECT_THROW_TEXT(embedding(table, ids({0, 4}, {1, 2})), IndexError,
                    "embedding: id 4 at position [0, 1] is outside the table: weight is [4, 2]");
  EXPECT_THROW_TEXT(embedding(table, ids({-1, 4}, {2, 1})), IndexError,
                    "embedding: id -1 at position [0, 0] is outside the table: weight is [4, 2]");
  EXPECT_THROW_TEXT(embedding(table, ids({2147483648}, {1})), IndexError,
                    "embedding: id 2147483648 at position [0] is outside the table: weight is "
                    "[4, 2]");
  EXPECT_EQ(values_of(embedding(table, ids({3}, {1})).value()), (Values{6, 7})) << "still works";
}

}  // namespace
}  // namespace lectern
