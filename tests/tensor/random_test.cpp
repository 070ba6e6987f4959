#include "tensor/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

double mean(const Values& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// Mean of ((x - centre) / scale)^power.
double moment(const Values& x, double power, double centre, double scale) {
  double sum = 0;
  for (const double value : x) sum += std::pow((value - centre) / scale, power);
  return sum / static_cast<double>(x.size());
}

/// Largest distance between the distribution of x and `cdf`, times √n: under 1.95 with
/// probability 0.999 (Kolmogorov–Smirnov).
template <class Cdf>
double kolmogorov_smirnov(Values x, const Cdf& cdf) {
  std::ranges::sort(x);
  const double n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double below = static_cast<double>(i) / n;
    distance = std::max({distance, cdf(x[i]) - below, below + 1 / n - cdf(x[i])});
  }
  return distance * std::sqrt(n);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Sum over the cells of (observed - expected)² / expected, all expected alike.
double chi_square(const std::vector<std::int64_t>& observed) {
  const double total =
      static_cast<double>(std::accumulate(observed.begin(), observed.end(), std::int64_t{0}));
  const double expected = total / static_cast<double>(observed.size());
  double sum = 0;
  for (const std::int64_t count : observed) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  return sum;
}

TEST(Rng, ElementIIsWordIMod4OfBlockStartPlusIOver4) {
  Rng rng(42);
  static_cast<void>(rng.uniform({5}));  // takes 2 blocks
  ASSERT_EQ(rng.state().counter, 2u);
  const Tensor x = rng.uniform({3, 7});
  EXPECT_EQ(rng.state().counter, 2u + 6u);
  for (std::size_t i = 0; i < 21; ++i) {
    const kernels::PhiloxBlock block = kernels::philox_block(rng.key(), 2 + i / 4);
    EXPECT_EQ(x.data<float>()[i], kernels::philox_uniform(block[i % 4])) << i;
  }
}

TEST(Rng, SameSeedSameDrawsOtherSeedOthers) {
  EXPECT_EQ(values_of(Rng(1).normal({50})), values_of(Rng(1).normal({50})));
  EXPECT_NE(values_of(Rng(1).normal({50})), values_of(Rng(2).normal({50})));
  Rng rng(1);
  EXPECT_NE(values_of(rng.normal({50})), values_of(rng.normal({50}))) << "the counter goes on";
}

TEST(Rng, CopiesShareTheCounterAndStatesBringItBack) {
  Rng rng(3);
  Rng copy = rng;
  const Rng::State before = rng.state();
  const Values first = values_of(copy.uniform({10}));
  EXPECT_NE(values_of(rng.uniform({10})), first);
  rng.set_state(before);
  EXPECT_EQ(values_of(copy.uniform({10})), first);
}

TEST(Rng, StreamsDependOnKeyAndNumberAlone) {
  Rng rng(5);
  const Values one = values_of(rng.stream(1).uniform({1000}));
  static_cast<void>(rng.uniform({9}));
  EXPECT_EQ(values_of(rng.stream(1).uniform({1000})), one);
  EXPECT_EQ(rng.state().counter, 3u) << "making a stream draws nothing";

  const Values two = values_of(rng.stream(2).uniform({1000}));
  const Values parent = values_of(Rng(5).uniform({1000}));
  const auto correlation = [](const Values& a, const Values& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
    return 12 * sum / static_cast<double>(a.size());
  };
  EXPECT_LT(std::abs(correlation(one, two)), 4 / std::sqrt(1000.0));
  EXPECT_LT(std::abs(correlation(one, parent)), 4 / std::sqrt(1000.0));
}

TEST(Rng, UniformIsUniform) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Values x = values_of(Rng(11).uniform({100000}, -2, 6, dtype));
    EXPECT_GE(std::ranges::min(x), -2.0);
    EXPECT_LT(std::ranges::max(x), 6.0);
    EXPECT_NEAR(mean(x), 2, 4 * 8 / std::sqrt(12.0 * 1e5));
    EXPECT_NEAR(moment(x, 2, 2, 8), 1.0 / 12, 0.001);
    EXPECT_LT(kolmogorov_smirnov(x, [](double v) { return (v + 2) / 8; }), 1.95);
  }
}

TEST(Rng, UniformNeverReachesItsUpperEnd) {
  const float next = std::nextafter(1.0F, 2.0F);  // only 1 itself lies in [1, next)
  for (const double value : values_of(Rng(1).uniform({1000}, 1, static_cast<double>(next)))) {
    EXPECT_EQ(value, 1.0);
  }
}

TEST(Rng, NormalIsNormal) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Values x = values_of(Rng(12).normal({100000}, 3, 0.5, dtype));
    EXPECT_NEAR(mean(x), 3, 4 * 0.5 / std::sqrt(1e5));
    EXPECT_NEAR(moment(x, 2, 3, 0.5), 1, 4 * std::sqrt(2 / 1e5));
    EXPECT_NEAR(moment(x, 3, 3, 0.5), 0, 4 * std::sqrt(15 / 1e5));
    EXPECT_NEAR(moment(x, 4, 3, 0.5), 3, 4 * std::sqrt(96 / 1e5));
    EXPECT_LT(kolmogorov_smirnov(x, [](double v) { return normal_cdf((v - 3) / 0.5); }), 1.95);
  }
}

// Box–Muller makes two normals from one radius: they must not know of each other.
TEST(Rng, NeighbouringNormalsAreIndependent) {
  const Values x = values_of(Rng(13).normal({100000}));
  double product = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); i += 2) {
    product += x[i] * x[i + 1];
    squares += (x[i] * x[i] - 1) * (x[i + 1] * x[i + 1] - 1);
  }
  EXPECT_LT(std::abs(product) / 5e4, 4 / std::sqrt(5e4));
  EXPECT_LT(std::abs(squares) / 5e4, 4 * 2 / std::sqrt(5e4));
}

TEST(Rng, BernoulliHitsItsProbability) {
  EXPECT_NEAR(mean(values_of(Rng(14).bernoulli({100000}, 0.3))), 0.3, 4 * std::sqrt(0.21 / 1e5));
  EXPECT_EQ(mean(values_of(Rng(14).bernoulli({1000}, 0))), 0.0);
  EXPECT_EQ(mean(values_of(Rng(14).bernoulli({1000}, 1))), 1.0);
}

TEST(Rng, IntegersAreUniform) {
  std::vector<std::int64_t> counts(7);
  for (const double value : values_of(Rng(15).integers({70000}, -3, 4))) {
    ASSERT_TRUE(value >= -3 && value <= 3);
    ++counts[static_cast<std::size_t>(value + 3)];
  }
  EXPECT_LT(chi_square(counts), 22.46) << "0.999 quantile with 6 degrees of freedom";
}

// 3·2^62 values: a plain remainder of 64 bits would fall into the lowest third half the time.
TEST(Rng, IntegersOfHugeRangesHaveNoBias) {
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t high = std::int64_t{1} << 62;
  constexpr std::int64_t third = std::int64_t{1} << 62;
  std::vector<std::int64_t> counts(3);
  const Tensor x = Rng(16).integers({30000}, low, high);
  for (const std::int64_t value : x.data<std::int64_t>()) {
    ASSERT_LT(value, high);
    ++counts[value < low + third ? 0 : value < low + third + third ? 1 : 2];
  }
  EXPECT_LT(chi_square(counts), 13.82) << "0.999 quantile with 2 degrees of freedom";
  const Tensor all = Rng(16).integers({1000}, low, std::numeric_limits<std::int64_t>::max());
  EXPECT_GT(std::ranges::max(all.data<std::int64_t>()), high);
}

TEST(Rng, PermutationsAreEquallyFrequent) {
  Rng rng(17);
  std::map<Values, std::int64_t> seen;
  for (int i = 0; i < 24000; ++i) ++seen[values_of(rng.permutation(4))];
  EXPECT_EQ(seen.size(), 24u);
  std::vector<std::int64_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  EXPECT_LT(chi_square(counts), 49.73) << "0.999 quantile with 23 degrees of freedom";
  EXPECT_EQ(rng.permutation(0).shape(), Shape({0}));
  Values order = values_of(rng.permutation(1000));
  std::ranges::sort(order);
  EXPECT_EQ(order, values_of(counting({1000})));
}

TEST(Rng, SameBitsForAnyNumberOfThreads) {
  for (const std::int64_t n : {0, 1, 5, 1003}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      EXPECT_TRUE(same_bits_for_any_threads([&] { return Rng(1).uniform({n}, -1, 2, dtype); }));
      EXPECT_TRUE(same_bits_for_any_threads([&] { return Rng(1).normal({n}, 1, 2, dtype); }));
    }
    EXPECT_TRUE(same_bits_for_any_threads([&] { return Rng(1).bernoulli({n}, 0.5); }));
    EXPECT_TRUE(same_bits_for_any_threads([&] { return Rng(1).integers({n}, 0, 1000); }));
  }
}

// An element does not depend on how many others are drawn with it.
TEST(Rng, AShorterDrawIsTheBeginningOfALongerOne) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Values longer = values_of(Rng(8).normal({103}, dtype));
    for (const std::int64_t n : {1, 2, 3, 50}) {
      EXPECT_EQ(values_of(Rng(8).normal({n}, dtype)), Values(longer.begin(), longer.begin() + n));
    }
  }
}

TEST(Rng, Refuses) {
  Rng rng(1);
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW_TEXT(rng.uniform({2}, DType::i64), DTypeError,
                    "uniform: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(rng.uniform({2}, 2, 1), ValueError,
                    "uniform: low is 2, high is 1; high - low must be finite and at least 0");
  EXPECT_THROW_TEXT(rng.uniform({2}, 0, inf), ValueError,
                    "uniform: low is 0, high is inf; high - low must be finite and at least 0");
  EXPECT_THROW_TEXT(rng.normal({2}, DType::boolean), DTypeError,
                    "normal: x is bool; it must be f32 or f64");
  EXPECT_THROW_TEXT(rng.normal({2}, 0, -1), ValueError,
                    "normal: mean is 0, stddev is -1; both must be finite and stddev at least 0");
  EXPECT_THROW_TEXT(rng.bernoulli({2}, 1.5), ValueError, "bernoulli: p is 1.5; it must be in 0..1");
  EXPECT_THROW_TEXT(rng.bernoulli({2}, nan), ValueError, "bernoulli: p is nan; it must be in 0..1");
  EXPECT_THROW_TEXT(rng.integers({2}, 3, 3), ValueError,
                    "integers: low is 3, high is 3; low must be less");
  EXPECT_THROW_TEXT(rng.permutation(-1), ValueError, "permutation: n is -1; it must be at least 0");
  EXPECT_THROW_TEXT(reserve_dropout("dropout", -0.1, 8, rng), ValueError,
                    "dropout: p is -0.1; it must be in 0..1");
  EXPECT_EQ(rng.state().counter, 0u) << "a refused draw takes nothing";
}

}  // namespace
}  // namespace lectern
