#include "tensor/kernels/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::int64_t size_of(const std::vector<T>& x) {
  return static_cast<std::int64_t>(x.size());
}

template <class T>
std::vector<T> softmax_of(const std::vector<T>& x, AxisView view,
                          EmptySlice empty = EmptySlice::nan) {
  std::vector<T> y(x.size());
  softmax(x.data(), y.data(), view, 1, empty);
  return y;
}

template <class T>
std::vector<T> log_softmax_of(const std::vector<T>& x, AxisView view) {
  std::vector<T> y(x.size());
  log_softmax(x.data(), y.data(), view, 1);
  return y;
}

template <class T>
std::vector<T> row_softmax(const std::vector<T>& x) {
  return softmax_of(x, {1, size_of(x), 1});
}

/// The definition, in double.
std::vector<double> plain_softmax(const std::vector<double>& x, AxisView v) {
  std::vector<double> y(x.size());
  for (std::int64_t o = 0; o < v.outer; ++o) {
    for (std::int64_t i = 0; i < v.inner; ++i) {
      const auto at = [&](std::int64_t k) {
        return static_cast<std::size_t>((o * v.extent + k) * v.inner + i);
      };
      double total = 0;
      for (std::int64_t k = 0; k < v.extent; ++k) total += y[at(k)] = std::exp(x[at(k)]);
      for (std::int64_t k = 0; k < v.extent; ++k) y[at(k)] /= total;
    }
  }
  return y;
}

const std::vector<AxisView> views = {{1, 1, 1}, {3, 2, 1},  {2, 16, 1}, {5, 17, 1}, {4, 100, 1},
                                     {1, 3, 2}, {2, 5, 16}, {2, 4, 17}, {3, 20, 5}, {1, 1, 40},
                                     {0, 4, 2}, {3, 0, 1},  {3, 0, 2},  {2, 3, 0}};

TEST(SoftmaxKernel, EqualsTheDefinition) {
  for (const AxisView v : views) {
    const auto x = random_values<double>(v.outer * v.extent * v.inner, 1);
    const auto expected = plain_softmax(x, v);
    expect_close(softmax_of(x, v), expected, 1e-14, 0);
    const std::vector<float> x32(x.begin(), x.end());
    expect_close(softmax_of(x32, v), expected, 1e-6, 0);
    std::vector<double> logarithms(expected.size());
    std::transform(expected.begin(), expected.end(), logarithms.begin(),
                   [](double p) { return std::log(p); });
    expect_close(log_softmax_of(x, v), logarithms, 1e-13, 1e-15);
    expect_close(log_softmax_of(x32, v), logarithms, 1e-6, 1e-6);
  }
}

TEST(SoftmaxKernel, GradientsMatchCentralDifferences) {
  for (const AxisView v : {AxisView{3, 5, 1}, AxisView{2, 3, 9}}) {
    auto x = random_values<double>(v.outer * v.extent * v.inner, 1);
    const auto g = random_values<double>(size_of(x), 2);
    std::vector<double> dx(x.size());
    softmax_vjp(softmax_of(x, v).data(), g.data(), dx.data(), v, 1);
    expect_gradient(x, dx, [&] { return dot(softmax_of(x, v), g); });
    log_softmax_vjp(log_softmax_of(x, v).data(), g.data(), dx.data(), v, 1);
    expect_gradient(x, dx, [&] { return dot(log_softmax_of(x, v), g); });
  }
}

TEST(SoftmaxKernel, FloatGradientsAreThoseOfDouble) {
  const AxisView v{3, 37, 1};
  const auto x = random_values<float>(111, 1), g = random_values<float>(111, 2);
  const std::vector<double> x64(x.begin(), x.end()), g64(g.begin(), g.end());
  std::vector<float> dx(x.size());
  std::vector<double> expected(x.size());
  softmax_vjp(softmax_of(x, v).data(), g.data(), dx.data(), v, 1);
  softmax_vjp(softmax_of(x64, v).data(), g64.data(), expected.data(), v, 1);
  expect_close(dx, expected, 1e-5, 1e-7);
  log_softmax_vjp(log_softmax_of(x, v).data(), g.data(), dx.data(), v, 1);
  log_softmax_vjp(log_softmax_of(x64, v).data(), g64.data(), expected.data(), v, 1);
  expect_close(dx, expected, 1e-5, 1e-6);
}

TEST(SoftmaxKernel, LongRowsLoseNothing) {  // 100000 equal scores: the sum is 100000 exactly
  const std::vector<float> x(100'000, 3.0F);
  const auto y = row_softmax(x);
  EXPECT_FLOAT_EQ(y.front(), 1e-5F);
  EXPECT_FLOAT_EQ(y.back(), 1e-5F);
  EXPECT_FLOAT_EQ(log_softmax_of(x, {1, 100'000, 1}).back(), -std::log(1e5F));
}

TEST(SoftmaxKernel, AnEmptySliceIsNaNOrZeroAsAsked) {
  const std::vector<float> x = {-INFINITY, -INFINITY, 0, 1, -INFINITY, 0};
  expect_close(softmax_of(x, {3, 2, 1}), {nan, nan, 0.268941421, 0.731058579, 0, 1});
  expect_close(softmax_of(x, {3, 2, 1}, EmptySlice::zero), {0, 0, 0.268941421, 0.731058579, 0, 1});
  const std::vector<float> columns = {-INFINITY, 0, -INFINITY, 1};
  expect_close(softmax_of(columns, {1, 2, 2}, EmptySlice::zero), {0, 0.268941421, 0, 0.731058579});
  const std::vector<float> with_nan = {-INFINITY, NAN, -INFINITY};
  expect_close(softmax_of(with_nan, {1, 3, 1}, EmptySlice::zero), {nan, nan, nan});
}

TEST(SoftmaxKernel, WorksInPlace) {
  auto x = random_values<double>(3 * 21, 1);
  const auto expected = softmax_of(x, {3, 21, 1});
  softmax(x.data(), x.data(), {3, 21, 1}, 1);
  EXPECT_EQ(x, expected);
}

TEST(SoftmaxKernel, SameBitsForAnyNumberOfThreads) {
  const SerialThreshold always_a_team(0);
  for (const AxisView v : {AxisView{7, 37, 1}, AxisView{3, 11, 37}}) {
    const auto x = random_values<float>(v.outer * v.extent * v.inner, 1);
    const auto g = random_values<float>(v.outer * v.extent * v.inner, 2);
    std::vector<std::vector<float>> first;
    for (int threads = 1; threads <= 4; ++threads) {
      std::vector<std::vector<float>> all(4, std::vector<float>(x.size()));
      softmax(x.data(), all[0].data(), v, threads);
      softmax_vjp(all[0].data(), g.data(), all[1].data(), v, threads);
      log_softmax(x.data(), all[2].data(), v, threads);
      log_softmax_vjp(all[2].data(), g.data(), all[3].data(), v, threads);
      if (threads == 1) first = all;
      EXPECT_EQ(all, first) << threads << " threads";
    }
  }
}

TEST(Cases, Cases_3_1_SoftmaxKernels) {
  using Values = std::vector<float>;
  expect_close(row_softmax(Values{1000, 999, 998}), {0.665240956, 0.244728471, 0.0900305732});
  expect_close(row_softmax(Values{-1000, -1001}), {0.731058579, 0.268941421});
  expect_close(log_softmax_of(Values{0, -200}, {1, 2, 1}), {0, -200});
  expect_close(log_softmax_of(Values{10000, 0}, {1, 2, 1}), {0, -10000});
  EXPECT_EQ(row_softmax(Values{0, -INFINITY}), (Values{1, 0}));

  const Values with_hidden = {0, -INFINITY, 1};
  const Values logs = log_softmax_of(with_hidden, {1, 3, 1});
  expect_close(logs, {-1.31326169, -inf, -0.313261688});
  const Values first = {1, 0, 0};
  Values dx(3);
  log_softmax_vjp(logs.data(), first.data(), dx.data(), {1, 3, 1}, 1);
  expect_close(dx, {0.731058579, 0, -0.731058579});

  const Values cotangent = {1, 5, -1};
  softmax_vjp(row_softmax(with_hidden).data(), cotangent.data(), dx.data(), {1, 3, 1}, 1);
  expect_close(dx, {0.393223866, 0, -0.393223866});

  expect_close(softmax_of(Values{-INFINITY, -INFINITY, 0, 1}, {2, 2, 1}),
               {nan, nan, 0.268941421, 0.731058579});
  expect_close(row_softmax(Values{INFINITY, 0}), {nan, nan});
  expect_close(softmax_of(Values{0, 1, 2, 3}, {1, 2, 2}),
               {0.119202922, 0.119202922, 0.880797078, 0.880797078});
  EXPECT_EQ(softmax_of(Values{}, {1, 2, 0}), Values{});
  EXPECT_EQ(softmax_of(Values{}, {2, 0, 1}), Values{});
}

}  // namespace
}  // namespace lectern::kernels
