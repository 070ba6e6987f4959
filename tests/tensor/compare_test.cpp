#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Comparison {
  const char* name;
  Tensor (*of_tensors)(const Tensor&, const Tensor&);
  Tensor (*with_number)(const Tensor&, double);
  bool (*reference)(double, double);
};

const Comparison kComparisons[] = {
    {"equal", equal, equal, [](double a, double b) { return a == b; }},
    {"not_equal", not_equal, not_equal, [](double a, double b) { return a != b; }},
    {"less", less, less, [](double a, double b) { return a < b; }},
    {"less_equal", less_equal, less_equal, [](double a, double b) { return a <= b; }},
    {"greater", greater, greater, [](double a, double b) { return a > b; }},
    {"greater_equal", greater_equal, greater_equal, [](double a, double b) { return a >= b; }},
};

TEST(Compare, AgreesWithTheLanguageForEveryDType) {
  for (const Comparison& c : kComparisons) {
    for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
      const Tensor a = Tensor::from({0, 1, 0, 1, 2}, {5}, dtype);
      const Tensor b = Tensor::from({0, 0, 1, 1, -3}, {5}, dtype);
      Values want, want_of_one;
      for (std::size_t i = 0; i < 5; ++i) {
        want.push_back(c.reference(values_of(a)[i], values_of(b)[i]));
        want_of_one.push_back(c.reference(values_of(a)[i], 1));
      }
      EXPECT_EQ(values_of(c.of_tensors(a, b)), want) << c.name << ' ' << name(dtype);
      EXPECT_EQ(values_of(c.with_number(a, 1)), want_of_one) << c.name << ' ' << name(dtype);
      EXPECT_EQ(c.of_tensors(a, b).dtype(), DType::boolean);
    }
  }
}

TEST(Compare, NaNIsNeitherEqualNorOrdered) {
  const Tensor nan = Tensor::scalar(kNaN);
  for (const Comparison& c : kComparisons) {
    const double want = std::string_view(c.name) == "not_equal";
    EXPECT_EQ(c.of_tensors(nan, nan).item(), want) << c.name;
    EXPECT_EQ(c.with_number(nan, 1).item(), want) << c.name;
  }
}

TEST(Compare, BroadcastsReadsViewsAndTakesEmpties) {
  const Tensor x = counting({2, 3});
  for (const Comparison& c : kComparisons) {
    EXPECT_EQ(c.of_tensors(x, counting({2, 1})).shape(), Shape({2, 3}));
    EXPECT_TRUE(same_bits(c.of_tensors(transpose(x, 0, 1), counting({3, 2})),
                          c.of_tensors(transpose(x, 0, 1).contiguous(), counting({3, 2}))));
    EXPECT_EQ(c.of_tensors(Tensor::empty({0, 1}), Tensor::empty({1, 4})).shape(), Shape({0, 4}));
    EXPECT_TRUE(same_bits_for_any_threads([&] { return c.of_tensors(x, counting({3})); }));
    EXPECT_THROW_TEXT(c.of_tensors(x, counting({2})), ShapeError,
                      std::string(c.name) +
                          ": shapes do not broadcast: a is [2, 3], b is [2]; "
                          "axis -1 has 3 and 2");
    EXPECT_THROW_TEXT(c.of_tensors(x, x.to(DType::i64)), DTypeError,
                      std::string(c.name) +
                          ": dtypes differ: a is f32, b is i64; convert one "
                          "with .to(DType::f32)");
  }
  EXPECT_EQ(values_of(less(counting({2, 1}), counting({3}))), Values({0, 1, 1, 0, 0, 1}));
  EXPECT_THROW_TEXT(less(counting({2}, DType::i64), 0.5), ValueError,
                    "less: the number is 0.5, the tensor i64, which has no such element; convert "
                    "it with .to(DType::f32)");
}

TEST(Compare, Logic) {
  const Tensor p = Tensor::from({0, 0, 1, 1}, {4}, DType::boolean);
  const Tensor q = Tensor::from({0, 1, 0, 1}, {4}, DType::boolean);
  EXPECT_EQ(values_of(logical_and(p, q)), Values({0, 0, 0, 1}));
  EXPECT_EQ(values_of(logical_or(p, q)), Values({0, 1, 1, 1}));
  EXPECT_EQ(values_of(logical_xor(p, q)), Values({0, 1, 1, 0}));
  EXPECT_EQ(values_of(logical_not(p)), Values({1, 1, 0, 0}));
  EXPECT_EQ(logical_or(reshape(p, {4, 1}), q).shape(), Shape({4, 4}));
  EXPECT_THROW_TEXT(logical_and(p, Tensor::ones({4})), DTypeError,
                    "logical_and: b is f32; it must be bool: convert it with .to(DType::boolean)");
  EXPECT_THROW_TEXT(logical_not(Tensor::ones({4})), DTypeError,
                    "logical_not: x is f32; it must be bool: convert it with .to(DType::boolean)");
  EXPECT_THROW_TEXT(
      logical_xor(p, slice(q, 0, 1)), ShapeError,
      "logical_xor: shapes do not broadcast: a is [4], b is [3]; axis -1 has 4 and 3");
}

TEST(Compare, FindsNaNAndInfinity) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = Tensor::from({1, kNaN, kInf, -kInf}, {4}, dtype);
    EXPECT_EQ(values_of(isnan(x)), Values({0, 1, 0, 0}));
    EXPECT_EQ(values_of(isfinite(x)), Values({1, 0, 0, 0}));
  }
  EXPECT_EQ(values_of(isnan(Tensor::ones({2}, DType::i64))), Values({0, 0}));
  EXPECT_EQ(values_of(isfinite(Tensor::ones({2}, DType::boolean))), Values({1, 1}));
}

TEST(Compare, AllcloseIsPyTorchsFormula) {
  const auto scalar = [](double v) { return Tensor::scalar(v, DType::f64); };
  EXPECT_TRUE(allclose(scalar(1.00001), scalar(1)));  // 1e-5 <= 1e-8 + 1e-5
  EXPECT_FALSE(allclose(scalar(1.00002), scalar(1)));
  EXPECT_TRUE(allclose(scalar(105), scalar(100), /*rtol=*/0.05, /*atol=*/0));
  EXPECT_FALSE(allclose(scalar(94.9), scalar(100), /*rtol=*/0.05, /*atol=*/0));
  EXPECT_FALSE(allclose(scalar(100), scalar(95), /*rtol=*/0.05, /*atol=*/0));  // b is the measure
  EXPECT_TRUE(allclose(scalar(0.1), scalar(0), /*rtol=*/0, /*atol=*/0.1));
  EXPECT_TRUE(allclose(scalar(kInf), scalar(kInf)));
  EXPECT_FALSE(allclose(scalar(kInf), scalar(-kInf)));
  EXPECT_FALSE(allclose(scalar(1), scalar(kInf)));
  EXPECT_FALSE(allclose(scalar(kInf), scalar(1)));
  EXPECT_FALSE(allclose(scalar(kNaN), scalar(kNaN)));
  EXPECT_TRUE(allclose(scalar(kNaN), scalar(kNaN), 1e-5, 1e-8, /*equal_nan=*/true));
  EXPECT_FALSE(allclose(scalar(kNaN), scalar(1), 1e-5, 1e-8, /*equal_nan=*/true));
}

TEST(Compare, AllcloseBroadcastsAndLooksAtEveryElement) {
  EXPECT_TRUE(allclose(Tensor::ones({2, 3}), Tensor::ones({3})));
  Tensor x = Tensor::ones({2, 3});
  x.mutable_data<float>()[5] = 2;
  EXPECT_FALSE(allclose(x, Tensor::ones({3})));
  EXPECT_TRUE(allclose(Tensor::empty({0}), Tensor::empty({0})));
  EXPECT_TRUE(allclose(counting({3}, DType::i64), counting({3}, DType::i64)));
  EXPECT_THROW_TEXT(allclose(x, Tensor::ones({2})), ShapeError,
                    "allclose: shapes do not broadcast: a is [2, 3], b is [2]; axis -1 has 3 and "
                    "2");
  EXPECT_THROW_TEXT(allclose(x, x.to(DType::f64)), DTypeError,
                    "allclose: dtypes differ: a is f32, b is f64; convert one with "
                    ".to(DType::f32)");
}

}  // namespace
}  // namespace lectern
