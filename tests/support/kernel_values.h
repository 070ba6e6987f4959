#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace lectern::kernels {

/// `count` values, uniform in -1..1, the same for a seed on every run.
template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 bits(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(static_cast<double>(bits()) * 0x1p-31 - 1);
  return values;
}

/// Every element equal to the expected one within atol + rtol |expected|; NaN equals NaN only.
template <class T>
void expect_close(const std::vector<T>& got, const std::vector<double>& expected,
                  double rtol = 1e-5, double atol = 1e-6) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double value = static_cast<double>(got[i]);
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(value)) << "element " << i << " is " << value << ", not NaN";
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(value, expected[i]) << "element " << i;
    } else {
      EXPECT_LE(std::abs(value - expected[i]), atol + rtol * std::abs(expected[i]))
          << "element " << i << " is " << value << ", not " << expected[i];
    }
  }
}

/// `gradient` against central differences of `loss` in every element of x, which loss() reads.
inline void expect_gradient(std::vector<double>& x, const std::vector<double>& gradient,
                            const std::function<double()>& loss) {
  constexpr double step = 1e-5;
  ASSERT_EQ(x.size(), gradient.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double centre = std::exchange(x[i], x[i] + step);
    const double above = loss();
    x[i] = centre - step;
    const double below = loss();
    x[i] = centre;
    const double numeric = (above - below) / (2 * step);
    EXPECT_LE(std::abs(gradient[i] - numeric), 1e-8 + 1e-6 * std::abs(numeric))
        << "element " << i << ": gradient " << gradient[i] << ", central difference " << numeric;
  }
}

/// <a, b>.
inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace lectern::kernels
