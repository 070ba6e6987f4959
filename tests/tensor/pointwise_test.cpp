#include "tensor/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Function {
  const char* name;
  Tensor (*op)(const Tensor&);
  double (*reference)(double);
  bool integers;  ///< whether i64 has it too
};

const Function kFunctions[] = {
    {"abs", abs, [](double x) { return x < 0 ? -x : x; }, true},
    {"sign", sign, [](double x) { return x == 0 ? 0 : std::copysign(1.0, x); }, true},
    {"floor", floor, [](double x) { return std::floor(x); }, true},
    {"round", round, [](double x) { return std::nearbyint(x); }, true},
    {"exp", exp, [](double x) { return std::exp(x); }, false},
    {"log", log, [](double x) { return std::log(x); }, false},
    {"log1p", log1p, [](double x) { return std::log1p(x); }, false},
    {"sqrt", sqrt, [](double x) { return std::sqrt(x); }, false},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, false},
    {"sin", sin, [](double x) { return std::sin(x); }, false},
    {"cos", cos, [](double x) { return std::cos(x); }, false},
    {"tanh", tanh, [](double x) { return std::tanh(x); }, false},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, false},
    {"erf", erf, [](double x) { return std::erf(x); }, false},
};

/// Positive and negative, small and large, so many that registers have tails.
Tensor samples(DType dtype) {
  return Tensor::from({-9.5, -3.25, -2.5, -1, -0.5, -1e-3, 0,  1e-3, 0.25, 0.5, 0.75, 1,  1.5,
                       2.5,  3.5,   4.25, 7,  12.5, 20,    33, 0.1,  0.2,  0.3, 0.4,  0.6},
                      {5, 5}, dtype);
}

TEST(Pointwise, AgreesWithTheStandardLibrary) {
  for (const Function& f : kFunctions) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = samples(dtype);
      Values want;
      for (const double v : values_of(x)) want.push_back(f.reference(v));
      const double tolerance = dtype == DType::f32 ? 3e-7 : 1e-15;
      EXPECT_TRUE(all_close(f.op(x), Tensor::from(want, x.shape()).to(dtype), tolerance,
                            /*atol=*/0, /*equal_nan=*/true))
          << f.name << ' ' << name(dtype);
    }
  }
}

TEST(Pointwise, ReadsStridedAndBroadcastAndEmpty) {
  for (const Function& f : kFunctions) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = abs(samples(dtype));
      EXPECT_TRUE(same_bits(f.op(transpose(x, 0, 1)), transpose(f.op(x), 0, 1))) << f.name;
      EXPECT_TRUE(same_bits(f.op(slice(x, 1, 1, kEnd, 2)), slice(f.op(x), 1, 1, kEnd, 2)))
          << f.name;
      const Tensor column = slice(x, 1, 2, 3);
      EXPECT_TRUE(same_bits(f.op(expand(column, {5, 3})), expand(f.op(column), {5, 3}))) << f.name;
      EXPECT_EQ(f.op(Tensor::empty({2, 0}, dtype)).shape(), Shape({2, 0})) << f.name;
    }
  }
}

TEST(Pointwise, BitsDependNeitherOnThreadsNorOnPlace) {
  for (const Function& f : kFunctions) {
    const Tensor x = abs(samples(DType::f32));
    EXPECT_TRUE(same_bits_for_any_threads([&] { return f.op(x); })) << f.name;
    const Tensor whole = reshape(f.op(x), {25});
    for (int i = 0; i < 25; ++i) {
      EXPECT_TRUE(same_bits(f.op(slice(reshape(x, {25}), 0, i, i + 1)), slice(whole, 0, i, i + 1)))
          << f.name << " element " << i;
    }
  }
}

TEST(Pointwise, IntegersWhereTheyMakeSense) {
  const Tensor x = Tensor::from({-3, 0, 5}, {3}, DType::i64);
  EXPECT_EQ(values_of(abs(x)), Values({3, 0, 5}));
  EXPECT_EQ(values_of(sign(x)), Values({-1, 0, 1}));
  EXPECT_EQ(values_of(floor(x)), Values({-3, 0, 5}));
  EXPECT_EQ(values_of(round(x)), Values({-3, 0, 5}));
  for (const Function& f : kFunctions) {
    const Tensor truth = Tensor::ones({1}, DType::boolean);
    if (f.integers) {
      EXPECT_EQ(f.op(x).dtype(), DType::i64) << f.name;
      EXPECT_THROW_TEXT(f.op(truth), DTypeError,
                        std::string(f.name) +
                            ": operands are bool; convert them with "
                            ".to(DType::i64) or another dtype");
    } else {
      EXPECT_THROW_TEXT(f.op(x), DTypeError,
                        std::string(f.name) + ": x is i64; it must be f32 or f64");
      EXPECT_THROW_TEXT(f.op(truth), DTypeError,
                        std::string(f.name) + ": x is bool; it must be f32 or f64");
    }
  }
}

TEST(Pointwise, RoundsHalvesToEven) {
  const Tensor x = Tensor::from({-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.6}, {7});
  EXPECT_EQ(values_of(round(x)), Values({-2, -2, 0, 0, 2, 2, 3}));
}

TEST(Pointwise, AtTheEdges) {
  const Tensor edge = Tensor::from({-kInf, kInf, kNaN}, {3});
  const auto expect = [](const Tensor& got, std::initializer_list<double> want) {
    EXPECT_TRUE(all_close(got, Tensor::from(want, {3}), 0, 0, /*equal_nan=*/true));
  };
  expect(abs(edge), {kInf, kInf, kNaN});
  expect(sign(edge), {-1, 1, kNaN});
  expect(floor(edge), {-kInf, kInf, kNaN});
  expect(exp(edge), {0, kInf, kNaN});
  expect(log(edge), {kNaN, kInf, kNaN});
  expect(sqrt(edge), {kNaN, kInf, kNaN});
  expect(rsqrt(edge), {kNaN, 0, kNaN});
  expect(tanh(edge), {-1, 1, kNaN});
  expect(sigmoid(edge), {0, 1, kNaN});
  expect(erf(edge), {-1, 1, kNaN});
  EXPECT_EQ(log(Tensor::scalar(0)).item(), -kInf);
  EXPECT_EQ(rsqrt(Tensor::scalar(0)).item(), kInf);
  EXPECT_EQ(log1p(Tensor::scalar(1e-20)).item(), static_cast<double>(1e-20F));
  EXPECT_EQ(sigmoid(Tensor::from({-1000, 1000, 0}, {3}, DType::f64)).data<double>()[0], 0);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(abs(Tensor::from(std::vector{least}, {1})).data<std::int64_t>()[0], least);
}

TEST(Pointwise, MinimumAndMaximumPassNaNOn) {
  const Tensor a = Tensor::from({1, 5, kNaN, 2}, {4});
  const Tensor b = Tensor::from({3, 4, 1, kNaN}, {4});
  const auto expect = [](const Tensor& got, std::initializer_list<double> want) {
    EXPECT_TRUE(all_close(got, Tensor::from(want, {4}), 0, 0, /*equal_nan=*/true));
  };
  expect(minimum(a, b), {1, 4, kNaN, kNaN});
  expect(maximum(a, b), {3, 5, kNaN, kNaN});
  expect(minimum(a, 2), {1, 2, kNaN, 2});
  expect(maximum(a, 2), {2, 5, kNaN, 2});
  EXPECT_EQ(values_of(maximum(counting({2, 1}, DType::i64), Tensor::from({0, 3}, {2}, DType::i64))),
            Values({0, 3, 1, 3}));
  EXPECT_THROW_TEXT(minimum(a, counting({3})), ShapeError,
                    "minimum: shapes do not broadcast: a is [4], b is [3]; axis -1 has 4 and 3");
  EXPECT_THROW_TEXT(maximum(a, b.to(DType::f64)), DTypeError,
                    "maximum: dtypes differ: a is f32, b is f64; convert one with .to(DType::f32)");
}

TEST(Pointwise, Clamps) {
  const Tensor x = Tensor::from({-3, 0.5, 9, kNaN}, {4});
  EXPECT_TRUE(all_close(clamp(x, -1, 2), Tensor::from({-1, 0.5, 2, kNaN}, {4}), 0, 0, true));
  EXPECT_TRUE(all_close(clamp(x, -kInf, 2), Tensor::from({-3, 0.5, 2, kNaN}, {4}), 0, 0, true));
  const Tensor integers = Tensor::from({-3, 0, 9}, {3}, DType::i64);
  EXPECT_EQ(values_of(clamp(integers, -kInf, 4)), Values({-3, 0, 4}));
  EXPECT_EQ(values_of(clamp(integers, 0, kInf)), Values({0, 0, 9}));
  EXPECT_THROW_TEXT(clamp(x, 2, 1), ValueError,
                    "clamp: low is 2, high is 1; low must not be above high");
  EXPECT_THROW_TEXT(clamp(x, kNaN, 1), ValueError,
                    "clamp: low is nan, high is 1; low must not be above high");
  EXPECT_THROW_TEXT(clamp(integers, 0.5, 1), ValueError,
                    "clamp: the number is 0.5, the tensor i64, which has no such element; convert "
                    "it with .to(DType::f32)");
}

TEST(Pointwise, WhereChoosesByElement) {
  const Tensor c = Tensor::from({1, 0, 0, 1}, {2, 2}, DType::boolean);
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const Tensor a = counting({2, 2}, dtype);
    const Tensor row = Tensor::from({7, 8}, {2}, dtype);
    EXPECT_EQ(values_of(where(c, a, row)), Values({0, 8, 7, 3}));
    EXPECT_EQ(values_of(where(c, 9, a)), Values({9, 1, 2, 9}));
    EXPECT_EQ(values_of(where(c, a, 9)), Values({0, 9, 9, 3}));
    EXPECT_EQ(where(c, a, row).dtype(), dtype);
  }
  EXPECT_EQ(values_of(where(c, c, logical_not(c))), Values({1, 1, 1, 1}));
  EXPECT_EQ(values_of(where(transpose(slice(c, 0, 0, 1), 0, 1), counting({2, 2}), -1)),
            Values({0, 1, -1, -1}));
  // What is not chosen does not matter, not even NaN.
  EXPECT_EQ(values_of(where(c, Tensor::full({2, 2}, kNaN), 1))[1], 1);
  EXPECT_EQ(where(Tensor::empty({0, 2}, DType::boolean), Tensor::ones({2}), 0).shape(),
            Shape({0, 2}));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return where(c, counting({3, 2, 2}), 0.5); }));
}

TEST(Pointwise, WhereRefuses) {
  const Tensor c = Tensor::ones({2}, DType::boolean);
  const Tensor x = Tensor::ones({2});
  EXPECT_THROW_TEXT(where(x, x, x), DTypeError,
                    "where: condition is f32; it must be bool, as comparisons give");
  EXPECT_THROW_TEXT(where(c, x, x.to(DType::i64)), DTypeError,
                    "where: dtypes differ: a is f32, b is i64; convert one with .to(DType::f32)");
  EXPECT_THROW_TEXT(where(c, x, Tensor::ones({3})), ShapeError,
                    "where: shapes do not broadcast: a is [2], b is [3]; axis -1 has 2 and 3");
  EXPECT_THROW_TEXT(
      where(c, Tensor::ones({3}), Tensor::ones({3})), ShapeError,
      "where: shapes do not broadcast: condition is [2], the choice is [3]; axis -1 has 2 and 3");
}

}  // namespace
}  // namespace lectern
