#include "tensor/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/broadcast.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

TEST(Elementwise, ArithmeticOfEveryNumericDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const Tensor a = Tensor::from({6, -8, 10}, {3}, dtype);
    const Tensor b = Tensor::from({3, 2, -5}, {3}, dtype);
    EXPECT_EQ(values_of(a + b), Values({9, -6, 5}));
    EXPECT_EQ(values_of(a - b), Values({3, -10, 15}));
    EXPECT_EQ(values_of(a * b), Values({18, -16, -50}));
    EXPECT_EQ(values_of(a / b), Values({2, -4, -2}));
    EXPECT_EQ(values_of(-a), Values({-6, 8, -10}));
    EXPECT_EQ((a + b).dtype(), dtype);
  }
}

TEST(Elementwise, NumbersOnEitherSideTakeTheTensorsDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const Tensor x = Tensor::from({1, 2, 4}, {3}, dtype);
    EXPECT_EQ(values_of(x + 3), Values({4, 5, 7}));
    EXPECT_EQ(values_of(3 + x), Values({4, 5, 7}));
    EXPECT_EQ(values_of(x - 3), Values({-2, -1, 1}));
    EXPECT_EQ(values_of(3 - x), Values({2, 1, -1}));
    EXPECT_EQ(values_of(x * 3), Values({3, 6, 12}));
    EXPECT_EQ(values_of(3 * x), Values({3, 6, 12}));
    EXPECT_EQ(values_of(x / 2), values_of(Tensor::from({0.5, 1, 2}, {3}).to(dtype)));
    EXPECT_EQ(values_of(8 / x), Values({8, 4, 2}));
    EXPECT_EQ((3 - x).dtype(), dtype);
  }
}

TEST(Elementwise, IntegersWrapAroundAndDivideTowardsZero) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  const Tensor x = Tensor::from(std::vector<std::int64_t>{least, greatest}, {2});
  const auto integers = [](const Tensor& t) {
    return std::vector<std::int64_t>(t.data<std::int64_t>().begin(), t.data<std::int64_t>().end());
  };
  EXPECT_EQ(integers(x + x), (std::vector<std::int64_t>{0, -2}));
  EXPECT_EQ(integers(x - 1), (std::vector<std::int64_t>{greatest, greatest - 1}));
  EXPECT_EQ(integers(x * 2), (std::vector<std::int64_t>{0, -2}));
  EXPECT_EQ(integers(-x), (std::vector<std::int64_t>{least, -greatest}));
  EXPECT_EQ(integers(x / -1), (std::vector<std::int64_t>{least, -greatest}));
  EXPECT_EQ(integers(Tensor::from({7, -7, 7, -7}, {4}, DType::i64) /
                     Tensor::from({2, 2, -2, -2}, {4}, DType::i64)),
            (std::vector<std::int64_t>{3, -3, -3, 3}));
}

TEST(Elementwise, FloatsDivideByZeroAsIeee) {
  const Tensor y = Tensor::from({1, -1, 0}, {3}) / 0;
  EXPECT_EQ(y.data<float>()[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(y.data<float>()[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(y.data<float>()[2]));
}

TEST(Elementwise, Powers) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const Tensor x = Tensor::from({-3, 0, 2}, {3}, dtype);
    EXPECT_EQ(values_of(pow(x, 3)), Values({-27, 0, 8}));
    EXPECT_EQ(values_of(pow(x, 2)), Values({9, 0, 4}));
    EXPECT_EQ(values_of(pow(x, 0)), Values({1, 1, 1}));
    EXPECT_EQ(values_of(pow(x, Tensor::from({1, 0, 10}, {3}, dtype))), Values({-3, 1, 1024}));
  }
  EXPECT_TRUE(
      all_close(pow(Tensor::from({4, 2}, {2}), -0.5), Tensor::from({0.5, std::sqrt(0.5)}, {2})));
  EXPECT_TRUE(std::isnan(pow(Tensor::scalar(-2), 0.5).item()));
  EXPECT_EQ(pow(Tensor::scalar(3, DType::i64), 40).data<std::int64_t>()[0],
            static_cast<std::int64_t>(12157665459056928801U));  // 3^40 mod 2^64
}

TEST(Cases, Cases_2_4_ShapesThatBroadcast) {
  const auto zeros = [](const Shape& shape) { return Tensor::zeros(shape); };
  EXPECT_EQ((zeros({0, 1}) + zeros({1, 4})).shape(), Shape({0, 4}));
  EXPECT_EQ((zeros({2, 0}) + zeros({2, 1})).shape(), Shape({2, 0}));
  EXPECT_EQ((zeros({1}) + zeros({0})).shape(), Shape({0}));
  EXPECT_THROW_TEXT(zeros({2, 0}) + zeros({2, 3}), ShapeError,
                    "add: shapes do not broadcast: a is [2, 0], b is [2, 3]; axis -1 has 0 and 3");
}

TEST(Elementwise, BroadcastsByNumPysRules) {
  const Tensor column = counting({3, 1});
  const Tensor row = counting({4}) + 1;
  EXPECT_EQ(values_of(column * row), Values({0, 0, 0, 0, 1, 2, 3, 4, 2, 4, 6, 8}));
  EXPECT_EQ(values_of(row - column), Values({1, 2, 3, 4, 0, 1, 2, 3, -1, 0, 1, 2}));
  EXPECT_EQ((counting({2, 1, 3}) + counting({4, 1})).shape(), Shape({2, 4, 3}));
  EXPECT_EQ(values_of(counting({2, 3}) + Tensor::scalar(1)), Values({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(Tensor::scalar(6) - counting({1, 2, 2})), Values({6, 5, 4, 3}));
}

TEST(Elementwise, ReadsViewsAndNotWhatIsBeneath) {
  const Tensor x = counting({3, 4});
  const Tensor dense = transpose(x, 0, 1).contiguous();
  EXPECT_TRUE(same_bits(transpose(x, 0, 1) + 1, dense + 1));
  EXPECT_TRUE(same_bits(transpose(x, 0, 1) * dense, dense * dense));
  EXPECT_EQ(values_of(slice(x, 1, 0, kEnd, 2) - slice(x, 1, 1, kEnd, 2)),
            Values({-1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(values_of(-select(x, 1, 2)), Values({-2, -6, -10}));
  EXPECT_EQ(values_of(pow(expand(counting({2, 1}), {2, 2}), 3)), Values({0, 0, 1, 1}));
}

TEST(Elementwise, SameBitsForAnyThreads) {
  const Tensor a = counting({7, 5, 3}, DType::f32) / 7;
  const Tensor b = counting({5, 1}) + 0.1;
  EXPECT_TRUE(same_bits_for_any_threads([&] { return a / b; }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return transpose(a, 0, 2) * 1.1; }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return pow(a, b); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    Tensor sum = a.clone();
    add_into(sum, a);
    return sum;
  }));
}

TEST(Elementwise, AddIntoAddsInPlace) {
  Tensor sum = counting({2, 3});
  const Tensor same = sum;
  add_into(sum, transpose(counting({3, 2}), 0, 1));
  EXPECT_EQ(values_of(same), Values({0, 3, 6, 4, 7, 10}));
  Tensor column = slice(sum, 1, 1, 2);
  add_into(column, Tensor::ones({2, 1}));
  EXPECT_EQ(values_of(sum), Values({0, 4, 6, 4, 8, 10}));
  add_into(sum, sum);
  EXPECT_EQ(values_of(sum), Values({0, 8, 12, 8, 16, 20}));
  EXPECT_THROW_TEXT(add_into(sum, Tensor::ones({3})), ShapeError,
                    "add_into: shapes differ: sum is [2, 3], x is [3]");
  EXPECT_THROW_TEXT(add_into(sum, Tensor::ones({2, 3}, DType::f64)), DTypeError,
                    "add_into: dtypes differ: sum is f32, x is f64");
}

TEST(Elementwise, SumToUndoesBroadcasting) {
  const Tensor g = counting({2, 3, 4});
  EXPECT_EQ(values_of(sum_to(g, {4})), Values({60, 66, 72, 78}));
  EXPECT_EQ(values_of(sum_to(g, {3, 1})), Values({60, 92, 124}));
  EXPECT_EQ(sum_to(g, {3, 1}).shape(), Shape({3, 1}));
  EXPECT_EQ(sum_to(g, {}).item(), 276);
  EXPECT_EQ(values_of(sum_to(Tensor::ones({0, 3}), {1, 3})), Values({0, 0, 0}));
  EXPECT_THROW_TEXT(sum_to(g, {5}), ShapeError,
                    "sum_to: [5] does not broadcast to [2, 3, 4], the shape of g");
}

TEST(Elementwise, RefusesWithTheWholeReason) {
  const Tensor x = Tensor::ones({32, 7, 512});
  EXPECT_THROW_TEXT(
      x + Tensor::ones({32, 8, 512}), ShapeError,
      "add: shapes do not broadcast: a is [32, 7, 512], b is [32, 8, 512]; axis -2 has 7 and 8");
  EXPECT_THROW_TEXT(x - Tensor::ones({512}, DType::f64), DTypeError,
                    "sub: dtypes differ: a is f32, b is f64; convert one with .to(DType::f32)");
  const Tensor truth = Tensor::ones({2}, DType::boolean);
  EXPECT_THROW_TEXT(truth * truth, DTypeError,
                    "mul: operands are bool; convert them with .to(DType::i64) or another dtype");
  const Tensor integers = Tensor::from({1, 0}, {2}, DType::i64);
  EXPECT_THROW_TEXT(integers + 0.5, ValueError,
                    "add: the number is 0.5, the tensor i64, which has no such element; convert "
                    "it with .to(DType::f32)");
  EXPECT_THROW_TEXT(1 / integers, ValueError,
                    "div: b of shape [2] has a zero, and i64 has no quotient by zero; convert "
                    "with .to(DType::f32)");
  EXPECT_THROW_TEXT(integers / integers, ValueError,
                    "div: b of shape [2] has a zero, and i64 has no quotient by zero; convert "
                    "with .to(DType::f32)");
  EXPECT_THROW_TEXT(integers / 0, ValueError,
                    "div: b is 0, and i64 has no quotient by zero; convert with .to(DType::f32)");
  EXPECT_THROW_TEXT(pow(integers, -1), ValueError,
                    "pow: the exponent is -1, and i64 has no fractions; convert with "
                    ".to(DType::f32)");
  EXPECT_THROW_TEXT(pow(integers, -integers), ValueError,
                    "pow: b of shape [2] has a negative exponent, and i64 has no fractions; "
                    "convert with .to(DType::f32)");
}

}  // namespace
}  // namespace lectern
