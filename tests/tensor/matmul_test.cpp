#include "tensor/matmul.h"

#include <gtest/gtest.h>

#include <limits>

#include "tensor/broadcast.h"
#include "tensor/elementwise.h"
#include "tensor/pointwise.h"
#include "tensor/threads.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

/// Numbers without a pattern in -1..1.
Tensor scattered(const Shape& shape, std::uint32_t seed, DType dtype = DType::f64) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  std::uint32_t state = seed;
  for (double& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<double>(state) / 2147483648.0 - 1;
  }
  return Tensor::from(values, shape).to(dtype);
}

/// Element of a [..., m, k] times b [..., k, n] by the definition; index in the full product.
Tensor by_definition(const Tensor& a, const Tensor& b) {
  Shape shape = a.rank() >= b.rank() ? a.shape() : b.shape();
  for (int axis = -3; axis >= -std::min(a.rank(), b.rank()); --axis) {
    shape[axis] = a.shape()[axis] == 1 ? b.shape()[axis] : a.shape()[axis];
  }
  shape[-2] = a.shape()[-2];
  shape[-1] = b.shape()[-1];
  Shape a_shape = shape, b_shape = shape;
  a_shape[-1] = b_shape[-2] = a.shape()[-1];
  const Tensor x = expand(a, a_shape).contiguous(), y = expand(b, b_shape).contiguous();
  Tensor c = Tensor::zeros(shape, DType::f64);
  const std::int64_t m = shape[-2], n = shape[-1], k = a.shape()[-1];
  const std::int64_t products = m * n == 0 ? 0 : shape.numel() / (m * n);
  for (std::int64_t p = 0; p < products; ++p) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t q = 0; q < k; ++q) {
          sum += x.origin<double>()[(p * m + i) * k + q] * y.origin<double>()[(p * k + q) * n + j];
        }
        c.mutable_origin<double>()[(p * m + i) * n + j] = sum;
      }
    }
  }
  return c;
}

TEST(Cases, Cases_2_1_ProductsOfViews) {
  const Tensor a = Tensor::from({0.5, -1.5, 2.25, -0.75, 2, -3}, {2, 3});
  const Tensor b = Tensor::from({1, 2, 3, -1}, {2, 2});
  EXPECT_TRUE(all_close(matmul(transpose(a, 0, 1), b),
                        Tensor::from({-1.75, 1.75, 4.5, -5, -6.75, 7.5}, {3, 2})));
  const Tensor bt = transpose(b, 0, 1).contiguous();
  EXPECT_TRUE(all_close(matmul(transpose(bt, 0, 1), a),
                        Tensor::from({-1, 2.5, -3.75, 2.25, -6.5, 9.75}, {2, 3})));
}

TEST(Cases, Cases_2_2_MatrixProductsEmptyAnd1d) {
  EXPECT_TRUE(
      all_close(matmul(Tensor::empty({2, 0}), Tensor::empty({0, 3})), Tensor::zeros({2, 3})));
  EXPECT_EQ(matmul(Tensor::empty({0, 4}), Tensor::ones({4, 2})).shape(), Shape({0, 2}));
  EXPECT_TRUE(all_close(matmul(Tensor::empty({0}), Tensor::empty({0})), Tensor::scalar(0)));
  const Tensor v = Tensor::from({1, 2, 3}, {3});
  EXPECT_TRUE(all_close(matmul(v, v), Tensor::scalar(14)));
  const Tensor m = counting({2, 3});
  EXPECT_TRUE(all_close(matmul(m, v), Tensor::from({8, 26}, {2})));
  EXPECT_TRUE(all_close(matmul(v, transpose(m, 0, 1)), Tensor::from({8, 26}, {2})));
  EXPECT_TRUE(all_close(matmul(v, counting({2, 3, 2})), Tensor::from({16, 22, 52, 58}, {2, 2})));
  const Tensor batched = matmul(counting({2, 1, 2, 3}), counting({4, 3, 2}));
  ASSERT_EQ(batched.shape(), Shape({2, 4, 2, 2}));
  EXPECT_TRUE(
      all_close(select(select(batched, 0, 1), 0, 3), Tensor::from({424, 445, 604, 634}, {2, 2})));
  EXPECT_THROW_TEXT(matmul(Tensor::scalar(2), m), ShapeError,
                    "matmul: an operand is a scalar: a is [], b is [2, 3]; each needs an axis to "
                    "sum over; use * to scale");
  EXPECT_THROW_TEXT(matmul(m, Tensor::scalar(2)), ShapeError,
                    "matmul: an operand is a scalar: a is [2, 3], b is []; each needs an axis to "
                    "sum over; use * to scale");
  EXPECT_THROW_TEXT(matmul(m, m), ShapeError,
                    "matmul: inner dimensions differ: a is [2, 3], b is [2, 3]; a.shape[-1] = 3 "
                    "must equal b.shape[-2] = 2");
}

TEST(Matmul, RefusesWithTheNumbers) {
  EXPECT_THROW_TEXT(matmul(Tensor::ones({32, 10, 128}), Tensor::ones({64, 256})), ShapeError,
                    "matmul: inner dimensions differ: a is [32, 10, 128], b is [64, 256]; "
                    "a.shape[-1] = 128 must equal b.shape[-2] = 64");
  EXPECT_THROW_TEXT(matmul(Tensor::ones({2, 3}), Tensor::ones({2})), ShapeError,
                    "matmul: inner dimensions differ: a is [2, 3], b is [2]; a.shape[-1] = 3 must "
                    "equal b.shape[-1] = 2");
  EXPECT_THROW_TEXT(matmul(Tensor::ones({2, 1, 3}), Tensor::ones({5, 3, 4})), ShapeError,
                    "matmul: batch axes do not broadcast: a is [2, 1, 3], b is [5, 3, 4]; axis -3 "
                    "has 2 and 5");
  EXPECT_THROW_TEXT(matmul(Tensor::ones({2, 3}), Tensor::ones({3, 2}, DType::f64)), DTypeError,
                    "matmul: dtypes differ: a is f32, b is f64; convert one with .to(DType::f32)");
  EXPECT_THROW_TEXT(matmul(Tensor::ones({2, 3}, DType::i64), Tensor::ones({3, 2}, DType::i64)),
                    DTypeError, "matmul: a is i64; it must be f32 or f64");
}

TEST(Matmul, IsTheDefinitionForEveryPairOfBatches) {
  const std::vector<std::vector<std::int64_t>> batches{{},     {1},    {3},   {2, 3},
                                                       {2, 1}, {1, 3}, {1, 1}};
  for (const auto& in_a : batches) {
    for (const auto& in_b : batches) {
      Shape a{std::span<const std::int64_t>(in_a)}, b{std::span<const std::int64_t>(in_b)};
      for (const std::int64_t extent : {std::int64_t{4}, std::int64_t{5}}) a.push_back(extent);
      for (const std::int64_t extent : {std::int64_t{5}, std::int64_t{7}}) b.push_back(extent);
      const Tensor x = scattered(a, 1), y = scattered(b, 2);
      EXPECT_TRUE(all_close(matmul(x, y), by_definition(x, y))) << to_string(a) << to_string(b);
    }
  }
}

TEST(Matmul, AnEmptyBatchGivesAnEmptyProduct) {
  EXPECT_EQ(matmul(Tensor::ones({0, 2, 3}), Tensor::ones({3, 4})).shape(), Shape({0, 2, 4}));
  EXPECT_EQ(matmul(Tensor::ones({2, 3}), Tensor::ones({5, 0, 3, 4})).shape(), Shape({5, 0, 2, 4}));
  EXPECT_EQ(matmul(Tensor::ones({1, 2, 3}), Tensor::ones({0, 3, 4})).shape(), Shape({0, 2, 4}));
}

TEST(Matmul, ReadsStridedOperandsInPlace) {
  // Heads split as views, [B, T, H, D] seen as [B, H, T, D]; every second column; expanded.
  const Tensor q = transpose(scattered({2, 5, 3, 4}, 1), 1, 2);
  const Tensor k = transpose(scattered({2, 6, 3, 4}, 2), 1, 2);
  const Tensor scores = matmul(q, transpose(k, -2, -1));
  EXPECT_TRUE(all_close(scores, by_definition(q, transpose(k, -2, -1))));
  const Tensor halves = slice(scattered({2, 5, 8}, 3), 2, 0, kEnd, 2);  // [2, 5, 4]
  const Tensor w = scattered({4, 6}, 4);
  EXPECT_TRUE(all_close(matmul(halves, w), by_definition(halves, w)));
  const Tensor repeated = expand(scattered({1, 4}, 5), {3, 5, 4});
  EXPECT_TRUE(all_close(matmul(repeated, w), by_definition(repeated, w)));
  const Tensor one_row = slice(scattered({7, 3, 4}, 6), 1, 1, 2);  // [7, 1, 4]: rows far apart
  EXPECT_TRUE(all_close(matmul(one_row, w), by_definition(one_row, w)));
}

TEST(Matmul, TheBitsDependNeitherOnTheLayoutNorOnTheThreads) {
  const std::int64_t threshold = parallel_threshold();
  set_parallel_threshold(0);
  const Tensor a = scattered({3, 37, 70}, 1, DType::f32), b = scattered({70, 45}, 2, DType::f32);
  const Tensor strided = transpose(transpose(a, 1, 2).contiguous(), 1, 2);
  Tensor first;
  for (const int threads : {1, 2, 3, 4}) {
    const ThreadScope scope(threads);
    for (const Tensor& x : {a, strided}) {
      const Tensor c = matmul(x, b);
      if (!first.defined()) first = c;
      EXPECT_TRUE(std::ranges::equal(c.data<float>(), first.data<float>())) << threads;
    }
  }
  set_parallel_threshold(threshold);
}

TEST(MatmulInto, AddsOrOverwrites) {
  const Tensor a = scattered({3, 4}, 1), b = scattered({4, 5}, 2);
  Tensor out = Tensor::full({3, 5}, 10, DType::f64);
  matmul_into(out, a, b, /*accumulate=*/true);
  EXPECT_TRUE(all_close(out, by_definition(a, b) + 10));
  out.fill(std::numeric_limits<double>::quiet_NaN());
  matmul_into(out, a, b, /*accumulate=*/false);
  EXPECT_TRUE(all_close(out, by_definition(a, b)));
}

TEST(MatmulInto, SumsOverTheBatchThatOutHasNot) {
  const Tensor a = scattered({2, 3, 4, 5}, 1), b = scattered({3, 5, 6}, 2);
  const Tensor product = by_definition(a, b);  // [2, 3, 4, 6]
  for (const Shape& shape : {Shape{4, 6}, Shape{3, 4, 6}, Shape{2, 1, 4, 6}, Shape{1, 1, 4, 6}}) {
    Tensor out = Tensor::empty(shape, DType::f64);
    matmul_into(out, a, b, /*accumulate=*/false);
    EXPECT_TRUE(all_close(out, sum_to(product, shape))) << to_string(shape);
    const Tensor strided = transpose(transpose(a, 0, 3).contiguous(), 0, 3);
    Tensor again = Tensor::empty(shape, DType::f64);
    matmul_into(again, strided, b, /*accumulate=*/false);
    EXPECT_TRUE(std::ranges::equal(out.data<double>(), again.data<double>()));
  }
  Tensor none = Tensor::ones({4, 6}, DType::f64);
  matmul_into(none, Tensor::empty({0, 4, 5}, DType::f64), Tensor::empty({5, 6}, DType::f64), true);
  EXPECT_TRUE(all_close(none, Tensor::ones({4, 6}, DType::f64)));
}

TEST(MatmulInto, RefusesWithTheNumbers) {
  const Tensor a = Tensor::ones({2, 3, 4}), b = Tensor::ones({4, 5});
  EXPECT_THROW_TEXT(matmul_into(Tensor::ones({3, 3, 5}), a, b, false), ShapeError,
                    "matmul_into: out is [3, 3, 5], the product of [2, 3, 4] and [4, 5] is "
                    "[2, 3, 5]");
  EXPECT_THROW_TEXT(matmul_into(Tensor::ones({5}), a, b, false), ShapeError,
                    "matmul_into: no product of matrices: a is [2, 3, 4], b is [4, 5], out is [5]");
  EXPECT_THROW_TEXT(matmul_into(Tensor::ones({3, 5}, DType::f64), a, b, false), DTypeError,
                    "matmul_into: out is f64, a is f32; they must agree");
}

TEST(LinearOfTensors, IsTheProductPlusTheBias) {
  const Tensor weight = scattered({6, 4}, 1), bias = scattered({6}, 2);
  for (const Shape& shape : {Shape{4}, Shape{3, 4}, Shape{2, 3, 4}, Shape{0, 4}}) {
    const Tensor x = scattered(shape, 3);
    const Tensor plain = matmul(x, transpose(weight, 0, 1));
    EXPECT_TRUE(all_close(linear(x, weight), plain)) << to_string(shape);
    EXPECT_TRUE(all_close(linear(x, weight, bias), plain + bias)) << to_string(shape);
  }
  const Tensor narrow = Tensor::empty({2, 0}, DType::f64);
  EXPECT_TRUE(
      all_close(linear(narrow, Tensor::empty({6, 0}, DType::f64), bias), expand(bias, {2, 6})));
}

TEST(LinearOfTensors, RefusesWithTheNumbers) {
  const Tensor x = Tensor::ones({2, 3}), weight = Tensor::ones({5, 3});
  EXPECT_THROW_TEXT(linear(Tensor::ones({2, 4}), weight), ShapeError,
                    "linear: x is [2, 4], weight is [5, 3]; x.shape[-1] must equal "
                    "weight.shape[1] = 3");
  EXPECT_THROW_TEXT(linear(Tensor::scalar(1), weight), ShapeError,
                    "linear: x is [], weight is [5, 3]; x.shape[-1] must equal "
                    "weight.shape[1] = 3");
  EXPECT_THROW_TEXT(linear(x, Tensor::ones({3})), ShapeError,
                    "linear: weight is [3]; it must be [out, in]");
  EXPECT_THROW_TEXT(linear(x, weight, Tensor::ones({3})), ShapeError,
                    "linear: bias is [3], weight is [5, 3]; bias must be [5]");
  EXPECT_THROW_TEXT(linear(x, Tensor::ones({5, 3}, DType::f64)), DTypeError,
                    "linear: x is f32, weight is f64; both must be f32 or both f64");
  EXPECT_THROW_TEXT(linear(x, weight, Tensor::ones({5}, DType::f64)), DTypeError,
                    "linear: bias is f64, x is f32; they must agree");
}

TEST(LinearReluOfTensors, IsTheAffineMapWithoutWhatIsNegative) {
  for (const Shape& shape : {Shape{300}, Shape{7, 300}, Shape{2, 30, 300}}) {  // two depth blocks
    const Tensor x = scattered(shape, 1), weight = scattered({37, 300}, 2),
                 bias = scattered({37}, 3);
    EXPECT_TRUE(same_bits(linear_relu(x, weight, bias), maximum(linear(x, weight, bias), 0)));
    EXPECT_TRUE(same_bits(linear_relu(x, weight), maximum(linear(x, weight), 0)));
  }
  EXPECT_THROW_TEXT(linear_relu(Tensor::ones({2, 4}), Tensor::ones({5, 3})), ShapeError,
                    "linear_relu: x is [2, 4], weight is [5, 3]; x.shape[-1] must equal "
                    "weight.shape[1] = 3");
}

}  // namespace
}  // namespace lectern
