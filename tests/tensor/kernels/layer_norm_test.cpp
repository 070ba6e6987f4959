#include "tensor/kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

constexpr double eps = 1e-5;

enum class Norm { layer, rms };

template <class T>
struct Input {
  Rows rows;
  std::vector<T> x, gamma, beta;  ///< gamma and beta may be empty
};

template <class T>
struct Output {
  std::vector<T> y;
  std::vector<double> mean, rstd;
};

template <class T>
struct Gradients {
  std::vector<T> dx, dgamma, dbeta;
};

template <class T>
const T* or_null(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

template <class T>
Output<T> forward(Norm norm, const Input<T>& in, int threads = 1) {
  const auto count = static_cast<std::size_t>(in.rows.count);
  Output<T> out{std::vector<T>(in.x.size()), std::vector<double>(count),
                std::vector<double>(count)};
  if (norm == Norm::layer) {
    layer_norm(in.x.data(), or_null(in.gamma), or_null(in.beta), eps, out.y.data(), out.mean.data(),
               out.rstd.data(), in.rows, threads);
  } else {
    rms_norm(in.x.data(), or_null(in.gamma), eps, out.y.data(), out.rstd.data(), in.rows, threads);
  }
  return out;
}

template <class T>
Gradients<T> backward(Norm norm, const Input<T>& in, const std::vector<T>& g, int threads = 1) {
  const Output<T> out = forward(norm, in, threads);
  const auto width = static_cast<std::size_t>(in.rows.width);
  Gradients<T> d{std::vector<T>(in.x.size()), std::vector<T>(width), std::vector<T>(width)};
  AlignedBytes scratch(norm_scratch_bytes(in.rows));
  if (norm == Norm::layer) {
    layer_norm_vjp(in.x.data(), or_null(in.gamma), out.mean.data(), out.rstd.data(), g.data(),
                   d.dx.data(), d.dgamma.data(), d.dbeta.data(), in.rows, scratch.data(), threads);
  } else {
    rms_norm_vjp(in.x.data(), or_null(in.gamma), out.rstd.data(), g.data(), d.dx.data(),
                 d.dgamma.data(), in.rows, scratch.data(), threads);
  }
  return d;
}

template <class T>
Input<T> random_input(Rows rows) {
  return {rows, random_values<T>(rows.count * rows.width, 1), random_values<T>(rows.width, 2),
          random_values<T>(rows.width, 3)};
}

std::vector<double> plain(Norm norm, const Input<double>& in) {
  std::vector<double> y;
  const auto width = static_cast<std::size_t>(in.rows.width);
  for (std::size_t row = 0; row < static_cast<std::size_t>(in.rows.count); ++row) {
    const double* const x = in.x.data() + row * width;
    double mean = 0, square = 0;
    for (std::size_t j = 0; j < width; ++j) mean += x[j] / static_cast<double>(width);
    if (norm == Norm::rms) mean = 0;
    for (std::size_t j = 0; j < width; ++j) {
      square += (x[j] - mean) * (x[j] - mean) / static_cast<double>(width);
    }
    for (std::size_t j = 0; j < width; ++j) {
      const double value = (x[j] - mean) / std::sqrt(square + eps) * in.gamma[j];
      y.push_back(norm == Norm::layer ? value + in.beta[j] : value);
    }
  }
  return y;
}

class NormKernel : public testing::TestWithParam<Norm> {};
INSTANTIATE_TEST_SUITE_P(All, NormKernel, testing::Values(Norm::layer, Norm::rms));

TEST_P(NormKernel, EqualsTheDefinition) {
  for (const Rows rows : {Rows{1, 1}, Rows{3, 5}, Rows{2, 16}, Rows{4, 33}, Rows{0, 4}}) {
    const auto in = random_input<double>(rows);
    const auto expected = plain(GetParam(), in);
    expect_close(forward(GetParam(), in).y, expected, 1e-12, 1e-12);
    const Input<float> in32{rows,
                            {in.x.begin(), in.x.end()},
                            {in.gamma.begin(), in.gamma.end()},
                            {in.beta.begin(), in.beta.end()}};
    if (rows.width > 1) expect_close(forward(GetParam(), in32).y, expected);
  }
}

// One pass sums differences from the first element: the worst first element is one far from all
// others, and the worst row one far from zero.
TEST_P(NormKernel, EveryElementMayComeFirst) {
  for (const double outlier : {0.0, 1e3, -1e6}) {
    for (const double offset : {0.0, 7e4}) {
      auto row = random_values<double>(50, 5);
      for (double& value : row) value += offset;
      row[0] += outlier;
      long double mean = 0, square = 0;
      for (const double value : row) mean += static_cast<long double>(value) / 50;
      if (GetParam() == Norm::rms) mean = 0;
      for (const double value : row) square += (value - mean) * (value - mean) / 50;
      const auto rstd = static_cast<double>(1 / std::sqrt(square + eps));
      for (std::size_t turn = 0; turn < row.size(); ++turn) {
        const auto out = forward<double>(GetParam(), {{1, 50}, row, {}, {}});
        EXPECT_NEAR(out.rstd[0], rstd, 1e-13 * rstd) << "outlier " << outlier << " at " << turn;
        if (GetParam() == Norm::layer) {
          EXPECT_NEAR(out.mean[0], static_cast<double>(mean), 1e-13 * (7e4 + std::abs(outlier)));
        }
        std::ranges::rotate(row, row.end() - 1);
      }
    }
  }
}

TEST_P(NormKernel, GradientsMatchCentralDifferences) {
  for (const bool with_gain : {true, false}) {
    auto in = random_input<double>({37, 5});
    if (!with_gain) in.gamma.clear();
    if (!with_gain) in.beta.clear();
    const auto g = random_values<double>(37 * 5, 4);
    const auto loss = [&] { return dot(forward(GetParam(), in).y, g); };
    const auto d = backward(GetParam(), in, g);
    expect_gradient(in.x, d.dx, loss);
    if (!with_gain) continue;
    expect_gradient(in.gamma, d.dgamma, loss);
    if (GetParam() == Norm::layer) expect_gradient(in.beta, d.dbeta, loss);
  }
}

TEST_P(NormKernel, UnwantedGradientsAreNotTouched) {
  const auto in = random_input<double>({3, 4});
  const auto g = random_values<double>(12, 4);
  const auto all = backward(GetParam(), in, g);
  const auto out = forward(GetParam(), in);
  AlignedBytes scratch(norm_scratch_bytes(in.rows));
  std::vector<double> dx(12), dgamma(4);
  double* const none = nullptr;
  if (GetParam() == Norm::layer) {
    layer_norm_vjp(in.x.data(), in.gamma.data(), out.mean.data(), out.rstd.data(), g.data(),
                   dx.data(), none, none, in.rows, scratch.data(), 1);
    layer_norm_vjp(in.x.data(), in.gamma.data(), out.mean.data(), out.rstd.data(), g.data(), none,
                   dgamma.data(), none, in.rows, scratch.data(), 1);
  } else {
    rms_norm_vjp(in.x.data(), in.gamma.data(), out.rstd.data(), g.data(), dx.data(), none, in.rows,
                 scratch.data(), 1);
    rms_norm_vjp(in.x.data(), in.gamma.data(), out.rstd.data(), g.data(), none, dgamma.data(),
                 in.rows, scratch.data(), 1);
  }
  EXPECT_EQ(dx, all.dx);
  EXPECT_EQ(dgamma, all.dgamma);
}

TEST_P(NormKernel, SameBitsForAnyNumberOfThreads) {
  const SerialThreshold always_a_team(0);
  for (const Rows rows : {Rows{100, 37}, Rows{2000, 3}}) {
    const auto in = random_input<float>(rows);
    const auto g = random_values<float>(rows.count * rows.width, 4);
    const auto y = forward(GetParam(), in).y;
    const auto d = backward(GetParam(), in, g);
    for (int threads = 2; threads <= 4; ++threads) {
      EXPECT_EQ(forward(GetParam(), in, threads).y, y);
      const auto again = backward(GetParam(), in, g, threads);
      EXPECT_EQ(again.dx, d.dx);
      EXPECT_EQ(again.dgamma, d.dgamma);
      EXPECT_EQ(again.dbeta, d.dbeta);
    }
  }
}

std::vector<float> normalized(const std::vector<float>& row) {
  return forward<float>(Norm::layer, {{1, static_cast<std::int64_t>(row.size())}, row, {}, {}}).y;
}

TEST(Cases, Cases_3_6_LayerNormKernel) {
  expect_close(normalized({70000, 70001, 70002, 70003}),
               {-1.34163542, -0.447211807, 0.447211807, 1.34163542});
  EXPECT_EQ(normalized(std::vector<float>(8, 4321)), std::vector<float>(8));
  expect_close(normalized({0, 0, 0, 1e-4F}),
               {-0.0079049531, -0.0079049531, -0.0079049531, 0.0237148593});
  expect_close(normalized({-3, 1, 2, 8}), {-1.27000086, -0.254000172, 0, 1.52400103});
  EXPECT_EQ(forward<float>(Norm::layer, {{1, 1}, {5}, {2}, {7}}).y, std::vector<float>{7});

  const auto flat =
      backward<float>(Norm::layer, {{1, 4}, {4321, 4321, 4321, 4321}, {}, {}}, {1, 0, 0, 0});
  expect_close(flat.dx, {237.170825, -79.0569415, -79.0569415, -79.0569415});

  const auto d = backward<float>(Norm::layer, {{1, 4}, {-3, 1, 2, 8}, {1, 2, 1, 0.5}, {0, 0, 0, 0}},
                                 {1, -1, 2, 0});
  expect_close(d.dx, {0.129048514, -0.58379071, 0.444500301, 0.0102418948});
  expect_close(d.dgamma, {-1.27000086, 0.254000172, 0, 0});
  expect_close(d.dbeta, {1, -1, 2, 0});
}

}  // namespace
}  // namespace lectern::kernels
