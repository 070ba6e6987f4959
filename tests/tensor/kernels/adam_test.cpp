#include "tensor/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

AdamStep step_number(int t, double weight_decay = 0, bool decoupled = false) {
  return {.lr = 0.1,
          .beta1 = 0.9,
          .beta2 = 0.999,
          .eps = 1e-8,
          .weight_decay = weight_decay,
          .decoupled = decoupled,
          .bias_correction1 = 1 - std::pow(0.9, t),
          .bias_correction2 = 1 - std::pow(0.999, t)};
}

template <class T>
void expect_case(double weight_decay, bool decoupled,
                 const std::vector<std::vector<double>>& after) {
  std::vector<T> w = {1, -2}, m(2), v(2);
  const std::vector<T> g = {static_cast<T>(1e-8), static_cast<T>(0.5)};
  for (int t = 1; t <= 3; ++t) {
    adam(w.data(), g.data(), m.data(), v.data(), 2, step_number(t, weight_decay, decoupled), 1);
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

TEST(Adam, SameBitsForAnyNumberOfThreadsAndAnyPlace) {
  const SerialThreshold always_a_team(0);
  constexpr std::int64_t n = 331;
  const auto p0 = random_values<float>(n, 1), g = random_values<float>(n, 2);
  const auto m0 = random_values<float>(n, 3);
  auto v0 = random_values<float>(n, 4);
  for (float& value : v0) value = std::abs(value);
  std::vector<float> expected;
  for (int threads = 1; threads <= 4; ++threads) {
    auto p = p0, m = m0, v = v0;
    adam(p.data(), g.data(), m.data(), v.data(), n, step_number(3, 0.01, true), threads);
    if (threads == 1) expected = p;
    EXPECT_EQ(p, expected) << threads << " threads";
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    float p = p0[i], m = m0[i], v = v0[i];
    adam(&p, &g[i], &m, &v, 1, step_number(3, 0.01, true), 1);
    EXPECT_EQ(p, expected[i]);
  }
}

}  // namespace
}  // namespace lectern::kernels
