#include "tensor/kernels/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lectern::kernels {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T, class Function>
T one(T x, const Function& function) {
  T y;
  map_vectors(&x, &y, 1, function);
  return y;
}

const auto exp_of = [](auto x) { return vexp(x); };
const auto tanh_of = [](auto x) { return vtanh(x); };
const auto erf_of = [](auto x) { return verf(x); };
const auto sigmoid_of = [](auto x) { return vsigmoid(x); };

/// Distance between got and want in units in the last place of the float nearest to want.
double ulps(float got, double want) {
  const float nearest = static_cast<float>(want);
  if (got == nearest) return 0;
  int exponent = 0;
  std::frexp(want, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(static_cast<double>(got) - want) / unit;
}

/// Largest error over floats of every sign and exponent, each 211th bit pattern.
template <class Function, class Reference>
double largest_error(const Function& function, const Reference& reference) {
  constexpr std::uint32_t step = 211, at_once = 1024;
  double worst = 0;
  std::vector<float> x, y(at_once);
  for (std::uint64_t bits = 0; bits <= UINT32_MAX;) {
    x.clear();
    for (; x.size() < at_once && bits <= UINT32_MAX; bits += step) {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (!std::isnan(value)) x.push_back(value);
    }
    map_vectors(x.data(), y.data(), static_cast<std::int64_t>(x.size()), function);
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, ulps(y[i], reference(static_cast<double>(x[i]))));
    }
  }
  return worst;
}

TEST(VectorMath, ExpIsWithinItsBound) {
  EXPECT_LE(largest_error(exp_of, [](double x) { return std::exp(x); }), 1.0);
}

TEST(VectorMath, TanhIsWithinItsBound) {
  EXPECT_LE(largest_error(tanh_of, [](double x) { return std::tanh(x); }), 1.3);
}

TEST(VectorMath, ErfIsWithinItsBound) {
  EXPECT_LE(largest_error(erf_of, [](double x) { return std::erf(x); }), 1.2);
}

TEST(VectorMath, SigmoidIsWithinItsBound) {
  EXPECT_LE(largest_error(sigmoid_of, [](double x) { return 1 / (1 + std::exp(-x)); }), 2.4);
}

TEST(VectorMath, LimitsAreExact) {
  EXPECT_EQ(one(-infinity, exp_of), 0.0F);
  EXPECT_EQ(one(infinity, exp_of), infinity);
  EXPECT_EQ(one(0.0F, exp_of), 1.0F);
  EXPECT_EQ(one(89.0F, exp_of), infinity);
  EXPECT_LT(one(88.72F, exp_of), infinity);
  EXPECT_EQ(one(-104.0F, exp_of), 0.0F);
  EXPECT_EQ(one(-103.5F, exp_of), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(one(infinity, tanh_of), 1.0F);
  EXPECT_EQ(one(-infinity, tanh_of), -1.0F);
  EXPECT_TRUE(std::signbit(one(-0.0F, tanh_of)));
  EXPECT_EQ(one(infinity, erf_of), 1.0F);
  EXPECT_EQ(one(-infinity, erf_of), -1.0F);
  EXPECT_TRUE(std::signbit(one(-0.0F, erf_of)));
  EXPECT_EQ(one(infinity, sigmoid_of), 1.0F);
  EXPECT_EQ(one(-infinity, sigmoid_of), 0.0F);
}

TEST(VectorMath, NaNStaysNaN) {
  EXPECT_TRUE(std::isnan(one(nan, exp_of)));
  EXPECT_TRUE(std::isnan(one(nan, tanh_of)));
  EXPECT_TRUE(std::isnan(one(nan, erf_of)));
  EXPECT_TRUE(std::isnan(one(nan, sigmoid_of)));
}

TEST(VectorMath, DoubleIsTheStandardLibrary) {
  for (const double x : {-3.0, -0.1, 0.0, 0.7, 2.5}) {
    EXPECT_EQ(one(x, exp_of), std::exp(x));
    EXPECT_EQ(one(x, tanh_of), std::tanh(x));
    EXPECT_EQ(one(x, erf_of), std::erf(x));
    EXPECT_NEAR(one(x, sigmoid_of), 1 / (1 + std::exp(-x)), 1e-16);
  }
}

TEST(VectorMath, AnElementsBitsDoNotDependOnItsPlace) {
  std::vector<float> x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.17F * static_cast<float>(i) - 8;
  for (const std::size_t first : {0U, 1U, 3U, 7U}) {
    for (const std::size_t count : {1U, 5U, 16U, 31U, 90U}) {
      std::vector<float> y(count);
      map_vectors(x.data() + first, y.data(), static_cast<std::int64_t>(count), tanh_of);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(y[i], one(x[first + i], tanh_of));
    }
  }
}

}  // namespace
}  // namespace lectern::kernels
