#include "tensor/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

using Ids = std::vector<std::int64_t>;

template <class T>
struct Result {
  std::vector<T> loss, gradient;
};

/// Losses of all rows, and the gradient of their sum weighted by `scale`.
template <class T>
Result<T> run(const std::vector<T>& logits, const Ids& ids, double smoothing,
              const std::vector<T>& scale, std::optional<std::int64_t> ignore = -100,
              int threads = 1) {
  const auto rows = static_cast<std::int64_t>(ids.size());
  const std::int64_t classes = rows == 0 ? 0 : static_cast<std::int64_t>(logits.size()) / rows;
  const CrossEntropyTargets targets{ids.data(), ignore, smoothing};
  Result<T> result{std::vector<T>(ids.size()), std::vector<T>(logits.size())};
  std::vector<double> log_sum_exp(ids.size());
  cross_entropy(logits.data(), targets, result.loss.data(), log_sum_exp.data(), rows, classes,
                threads);
  cross_entropy_vjp(logits.data(), targets, log_sum_exp.data(), scale.data(),
                    scale.size() == 1 ? 0 : 1, result.gradient.data(), rows, classes, threads);
  return result;
}

TEST(CrossEntropyKernel, EqualsTheDefinition) {
  for (const std::int64_t classes : {1, 2, 16, 37}) {
    const auto x = random_values<double>(3 * classes, 1);
    const Ids ids = {classes - 1, 0, classes / 2};
    for (const double smoothing : {0.0, 0.1, 1.0}) {
      std::vector<double> expected;
      for (std::size_t row = 0; row < 3; ++row) {
        const double* const logits = x.data() + row * static_cast<std::size_t>(classes);
        double z = 0;
        for (std::int64_t j = 0; j < classes; ++j) z += std::exp(logits[j]);
        double loss = -(1 - smoothing) * (logits[ids[row]] - std::log(z));
        for (std::int64_t j = 0; j < classes; ++j) {
          loss -= smoothing / static_cast<double>(classes) * (logits[j] - std::log(z));
        }
        expected.push_back(loss);
      }
      expect_close(run<double>(x, ids, smoothing, {1}).loss, expected, 1e-13, 1e-15);
      expect_close(run<float>({x.begin(), x.end()}, ids, smoothing, {1}).loss, expected, 1e-6,
                   1e-7);
    }
  }
}

TEST(CrossEntropyKernel, GradientMatchesCentralDifferences) {
  auto x = random_values<double>(4 * 19, 1);
  const std::vector<double> scale = {0.3, -1, 5, 2};
  const Ids ids = {3, -100, 18, 0};
  for (const double smoothing : {0.0, 0.1}) {
    const auto gradient = run(x, ids, smoothing, scale).gradient;
    expect_gradient(x, gradient, [&] { return dot(run(x, ids, smoothing, scale).loss, scale); });
  }
}

TEST(CrossEntropyKernel, FloatIsStableForLargeLogits) {
  const std::vector<double> x = {30000, 29999, -30000, 0};
  for (const double smoothing : {0.0, 0.1}) {
    const auto expected = run<double>(x, {1}, smoothing, {1});
    const auto got = run<float>({x.begin(), x.end()}, {1}, smoothing, {1});
    expect_close(got.loss, expected.loss);
    expect_close(got.gradient, expected.gradient);
  }
}

TEST(CrossEntropyKernel, AClassOfProbabilityZeroDoesNoHarmUnlessItCounts) {
  const std::vector<float> x = {0, -INFINITY, 1};
  const auto result = run<float>(x, {0}, 0, {1});
  expect_close(result.loss, {1.31326169});
  expect_close(result.gradient, {-0.731058579, 0, 0.731058579});
  expect_close(run<float>(x, {0}, 0.1, {1}).loss, {std::numeric_limits<double>::infinity()});
}

TEST(CrossEntropyKernel, WithoutAnIgnoredIdEveryRowCounts) {
  expect_close(run<float>({1, 2, 0}, {1}, 0, {1}, std::nullopt).loss, {0.407605964});
}

TEST(CrossEntropyKernel, SameBitsForAnyNumberOfThreads) {
  const SerialThreshold always_a_team(0);
  const auto x = random_values<float>(11 * 53, 1), scale = random_values<float>(11, 2);
  Ids ids(11);
  std::iota(ids.begin(), ids.end(), 20);
  const auto first = run(x, ids, 0.1, scale);
  for (int threads = 2; threads <= 4; ++threads) {
    const auto result = run(x, ids, 0.1, scale, -100, threads);
    EXPECT_EQ(result.loss, first.loss);
    EXPECT_EQ(result.gradient, first.gradient);
  }
}

TEST(Cases, Cases_4_2_CrossEntropyKernelIgnores) {
  expect_close(run<float>({1, 2, 0, 0, 0, 3}, {1, 255}, 0, {1}, 255).loss, {0.407605964, 0});
}

TEST(Cases, Cases_4_3_CrossEntropyKernelWithNothingLeft) {
  const std::vector<float> x = {1, 2, 0, 0, 0, 3};
  const auto none = run<float>(x, {-100, -100}, 0, {INFINITY});  // 1 / 0 counted rows
  EXPECT_EQ(none.loss, (std::vector<float>{0, 0}));
  EXPECT_EQ(none.gradient, std::vector<float>(6));
  const auto one = run<float>(x, {-100, 2}, 0, {1});
  expect_close(one.loss, {0, 0.0949229564});
  expect_close(one.gradient, {0, 0, 0, 0.0452785007, 0.0452785007, -0.0905570015});
}

TEST(Cases, Cases_4_4_CrossEntropyKernelSmoothing) {
  const std::vector<float> x = {2, 0.5, -1, 0.25, 5, 5, 5, -5, 0, 1, 2, 3};
  const Ids ids = {2, -100, 0};
  expect_close(run<float>(x, ids, 0, {1}).loss, {3.369279, 0, 3.4401897});
  expect_close(run<float>(x, ids, 0.1, {1}).loss, {3.225529, 0, 3.2901897});
  expect_close(run<float>(x, ids, 0.3, {1}).loss, {2.938029, 0, 2.9901897});
  expect_close(run<float>(x, ids, 0.1, {0.5}).gradient,
               {0.333116265, 0.0646174126, -0.445292779, 0.0475591014, 0, 0, 0, 0, -0.446470698,
                0.0310721594, 0.105941409, 0.30945713});
}

}  // namespace
}  // namespace lectern::kernels
