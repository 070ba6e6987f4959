#include "tensor/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

AdamStep numbers(double weight_decay, bool decoupled) {
  return {.lr = 0.1,
          .beta1 = 0.9,
          .beta2 = 0.999,
          .eps = 1e-8,
          .weight_decay = weight_decay,
          .decoupled = decoupled};
}

/// Elements first..first+n-1 of the arrays as a parameter at its step t.
template <class T>
AdamParameter<T> parameter(std::vector<T>& p, const std::vector<T>& g, std::vector<T>& m,
                           std::vector<T>& v, int t, std::size_t first, std::int64_t n) {
  return {.p = p.data() + first,
          .g = g.data() + first,
          .m = m.data() + first,
          .v = v.data() + first,
          .n = n,
          .bias_correction1 = 1 - std::pow(0.9, t),
          .bias_correction2 = 1 - std::pow(0.999, t)};
}

template <class T>
void expect_case(double weight_decay, bool decoupled,
                 const std::vector<std::vector<double>>& after) {
  std::vector<T> w = {1, -2}, m(2), v(2);
  const std::vector<T> g = {static_cast<T>(1e-8), static_cast<T>(0.5)};
  for (int t = 1; t <= 3; ++t) {
    const AdamParameter<T> one[] = {parameter(w, g, m, v, t, 0, 2)};
    adam<T>(one, numbers(weight_decay, decoupled), 1);
    expect_close(w, after[static_cast<std::size_t>(t - 1)], sizeof(T) == 8 ? 1e-8 : 1e-5, 0);
  }
}

TEST(Cases, Cases_6_1_AdamKernel) {
  const std::vector<std::vector<double>> plain = {{0.95, -2.1}, {0.9, -2.2}, {0.85, -2.29999999}};
  const std::vector<std::vector<double>> l2 = {
      {0.90000001, -2.1}, {0.800412248, -2.19989729}, {0.701586302, -2.29961847}};
  const std::vector<std::vector<double>> decoupled = {
      {0.94, -2.08}, {0.8806, -2.1592}, {0.821794, -2.23760799}};
  expect_case<double>(0, false, plain);
  expect_case<float>(0, false, plain);
  expect_case<double>(0.1, false, l2);
  expect_case<float>(0.1, false, l2);
  expect_case<double>(0.1, true, decoupled);
  expect_case<float>(0.1, true, decoupled);
}

// The elements as one parameter, and cut into several, some of them empty.
TEST(Adam, SameBitsForAnyNumberOfThreadsAndAnyPlace) {
  const SerialThreshold always_a_team(0);
  constexpr std::int64_t n = 331;
  const auto p0 = random_values<float>(n, 1), g = random_values<float>(n, 2);
  const auto m0 = random_values<float>(n, 3);
  auto v0 = random_values<float>(n, 4);
  for (float& value : v0) value = std::abs(value);
  const std::vector<std::vector<std::int64_t>> cuts = {
      {n}, {1, 63, 64, 65, 138}, {0, 130, 0, 0, 201, 0}, std::vector<std::int64_t>(n, 1)};
  std::vector<float> expected;
  for (const std::vector<std::int64_t>& lengths : cuts) {
    for (int threads = 1; threads <= 4; ++threads) {
      auto p = p0, m = m0, v = v0;
      std::vector<AdamParameter<float>> parameters;
      std::size_t first = 0;
      for (const std::int64_t length : lengths) {
        parameters.push_back(parameter(p, g, m, v, 3, first, length));
        first += static_cast<std::size_t>(length);
      }
      adam<float>(parameters, numbers(0.01, true), threads);
      if (expected.empty()) expected = p;
      EXPECT_EQ(p, expected) << threads << " threads, " << lengths.size() << " parameters";
    }
  }
}

}  // namespace
}  // namespace lectern::kernels
