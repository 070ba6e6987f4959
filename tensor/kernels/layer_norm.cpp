#include "tensor/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/wide.h"

namespace lectern::kernels {

// A row is a few hundred numbers and stays in the first-level cache, so passing over it twice costs
// little. All arithmetic is in double: 70000 ± 1 in float has lost its variance once a mean was
// rounded. rms_norm is layer_norm without the mean and beta; both run through the same passes, with
// Centred saying which.
//
// Mean and variance come from one pass, over the differences d from the row's first element:
//   mean = x_0 + average(d),  variance = average(d²) - average(d)².
// Between numbers near each other that cancels nothing, and with n elements at most a factor of n
// ever: x_0 itself is one of them, so its square distance from the mean is below n variances.
//
// dgamma and dbeta are sums over rows. Rows are cut into blocks whose number depends on the count
// of rows alone; each block is summed by one thread, and the blocks are added in order, so the
// number of threads changes nothing.

namespace {

constexpr double element_work = 0.6;  // nanoseconds per element on one core
constexpr std::int64_t most_blocks = 64;
constexpr std::int64_t least_block_rows = 64;  // what one thread sums, others have to fetch

std::int64_t block_rows(Rows rows) {
  return std::max(least_block_rows, (rows.count + most_blocks - 1) / most_blocks);
}

/// At least 1: no rows have sums, too, which are 0.
std::int64_t block_count(Rows rows) {
  return std::max<std::int64_t>(1, (rows.count + block_rows(rows) - 1) / block_rows(rows));
}

/// The width up to whole registers.
std::int64_t padded_width(Rows rows) {
  return (rows.width + lanes<float> - 1) / lanes<float> * lanes<float>;
}

double work_of(Rows rows) {
  return static_cast<double>(rows.count) * static_cast<double>(rows.width) * element_work;
}

/// The weights of a row, or ones where there are none.
template <class T>
Wide<T> load_gain(const T* gamma, std::int64_t at, std::int64_t count) {
  return gamma != nullptr ? load_wide(gamma + at, count) : widen(broadcast(T{1}));
}

template <bool Centred, class T>
void normalize_row(const T* x, const T* gamma, const T* beta, double eps, T* y, double* saved_mean,
                   double* saved_rstd, std::int64_t width) {
  const double n = static_cast<double>(width);
  // 1. The mean, and the mean square of what is left.
  const double first = Centred && width > 0 ? static_cast<double>(x[0]) : 0;
  LaneSums<T> sums, squares;
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const auto from_first = [first](auto v) { return v - first; };
    const auto square = [](auto v) { return v * v; };
    const Wide<T> d = first_lanes<T>(each_part<T>(from_first, load_wide(x + at, count)), count);
    if constexpr (Centred) sums.add(d);
    squares.add(each_part<T>(square, d));
  });
  const double average = Centred ? sums.total() / n : 0;
  const double mean = first + average;
  if constexpr (Centred) *saved_mean = mean;
  const double rstd = 1 / std::sqrt(squares.total() / n - average * average + eps);
  *saved_rstd = rstd;
  // 2. The result.
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const auto scaled = [=](auto v, auto weight) { return (v - mean) * rstd * weight; };
    Wide<T> value = each_part<T>(scaled, load_wide(x + at, count), load_gain(gamma, at, count));
    if (beta != nullptr) {
      const auto sum = [](auto v, auto b) { return v + b; };
      value = each_part<T>(sum, value, load_wide(beta + at, count));
    }
    fetch_for_writing(y + at, lanes<T>);
    store(y + at, narrow(value), count);
  });
}

/// Sums over rows, for one block of them; [width] each, up to whole registers.
struct GainSums {
  double* gamma;  ///< of g x̂, or null if neither is wanted
  double* beta;   ///< of g
};

/// sums[at..] += v, a whole register.
template <class T>
void add_to(double* sums, std::int64_t at, const Wide<T>& v) {
  for (std::size_t part = 0; part < wide_parts<T>; ++part) {
    double* const to = sums + at + static_cast<std::int64_t>(part) * lanes<double>;
    store(to, load(to) + v[part]);
  }
}

/// dx may be null.
template <bool Centred, class T>
void row_vjp(const T* x, const T* gamma, double mean, double rstd, const T* g, T* dx, GainSums sums,
             std::int64_t width) {
  const double n = static_cast<double>(width);
  const auto normalized = [=](auto v) { return (v - mean) * rstd; };
  const auto product = [](auto a, auto b) { return a * b; };
  // 1. The row's share of dgamma and dbeta, and the averages of h and h x̂ (g is 0 beyond the end).
  LaneSums<T> h_sums, hx_sums;
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const Wide<T> x_hat = each_part<T>(normalized, load_wide(x + at, count));
    const Wide<T> g_value = load_wide(g + at, count);
    const Wide<T> h = each_part<T>(product, g_value, load_gain(gamma, at, count));
    if (sums.gamma != nullptr) {
      add_to<T>(sums.gamma, at, each_part<T>(product, g_value, x_hat));
      add_to<T>(sums.beta, at, g_value);
    }
    h_sums.add(h);
    hx_sums.add(each_part<T>(product, h, x_hat));
  });
  if (dx == nullptr) return;
  const double h_average = Centred ? h_sums.total() / n : 0;
  const double hx_average = hx_sums.total() / n;
  // 2. The gradient.
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const auto gradient = [=](auto v, auto g_value, auto weight) {
      return rstd * (g_value * weight - h_average - normalized(v) * hx_average);
    };
    const Wide<T> value = each_part<T>(gradient, load_wide(x + at, count), load_wide(g + at, count),
                                       load_gain(gamma, at, count));
    fetch_for_writing(dx + at, lanes<T>);
    store(dx + at, narrow(value), count);
  });
}

/// Adds the blocks' sums to those of the first, in their order, and rounds.
template <class T>
void combine_blocks(double* sums, std::int64_t stride, std::int64_t blocks, Range columns,
                    T* result) {
  for (std::int64_t block = 1; block < blocks; ++block) {
    const double* const from = sums + block * stride;
#pragma omp simd
    for (std::int64_t j = columns.begin; j < columns.end; ++j) sums[j] += from[j];
  }
  for (std::int64_t j = columns.begin; j < columns.end; ++j) result[j] = static_cast<T>(sums[j]);
}

/// mean is null for rms_norm, whose rows are centred on 0.
template <bool Centred, class T>
void norm_vjp(const T* x, const T* gamma, const double* mean, const double* rstd, const T* g, T* dx,
              T* dgamma, T* dbeta, Rows rows, std::byte* scratch, int threads) {
  double* const partial = reinterpret_cast<double*>(scratch);  // [blocks, 2, padded width]
  const std::int64_t blocks = block_count(rows), width = padded_width(rows), stride = 2 * width;
  const bool wants_gain = dgamma != nullptr || dbeta != nullptr;
  on_team(team_size(2 * work_of(rows), threads), [&](int rank, int size) {
    const Range mine = share(blocks, rank, size);
    for (std::int64_t block = mine.begin; block < mine.end; ++block) {
      double* const own = partial + block * stride;
      const GainSums sums{wants_gain ? own : nullptr, own + width};
      if (wants_gain) std::fill_n(own, stride, 0.0);
      const std::int64_t first = block * block_rows(rows);
      const std::int64_t last = std::min(rows.count, first + block_rows(rows));
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t at = row * rows.width;
        row_vjp<Centred>(x + at, gamma, Centred ? mean[row] : 0, rstd[row], g + at,
                         dx == nullptr ? nullptr : dx + at, sums, rows.width);
      }
    }
    team_barrier(size);
    const Range columns = share(rows.width, rank, size);
    if (dgamma != nullptr) combine_blocks(partial, stride, blocks, columns, dgamma);
    if (dbeta != nullptr) combine_blocks(partial + width, stride, blocks, columns, dbeta);
  });
}

template <bool Centred, class T>
void normalize(const T* x, const T* gamma, const T* beta, double eps, T* y, double* mean,
               double* rstd, Rows rows, int threads) {
  parallel_for(rows.count, team_size(work_of(rows), threads),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) {
                   const std::int64_t at = row * rows.width;
                   normalize_row<Centred>(x + at, gamma, beta, eps, y + at,
                                          Centred ? mean + row : nullptr, rstd + row, rows.width);
                 }
               });
}

}  // namespace

template <std::floating_point T>
void layer_norm(const T* x, const T* gamma, const T* beta, double eps, T* y, double* mean,
                double* rstd, Rows rows, int threads) {
  normalize<true>(x, gamma, beta, eps, y, mean, rstd, rows, threads);
}

std::int64_t norm_scratch_bytes(Rows rows) {
  return block_count(rows) * 2 * padded_width(rows) * static_cast<std::int64_t>(sizeof(double));
}

template <std::floating_point T>
void layer_norm_vjp(const T* x, const T* gamma, const double* mean, const double* rstd, const T* g,
                    T* dx, T* dgamma, T* dbeta, Rows rows, std::byte* scratch, int threads) {
  norm_vjp<true>(x, gamma, mean, rstd, g, dx, dgamma, dbeta, rows, scratch, threads);
}

template <std::floating_point T>
void rms_norm(const T* x, const T* gamma, double eps, T* y, double* rstd, Rows rows, int threads) {
  normalize<false>(x, gamma, static_cast<const T*>(nullptr), eps, y, nullptr, rstd, rows, threads);
}

template <std::floating_point T>
void rms_norm_vjp(const T* x, const T* gamma, const double* rstd, const T* g, T* dx, T* dgamma,
                  Rows rows, std::byte* scratch, int threads) {
  norm_vjp<false>(x, gamma, nullptr, rstd, g, dx, dgamma, static_cast<T*>(nullptr), rows, scratch,
                  threads);
}

template void layer_norm(const float*, const float*, const float*, double, float*, double*, double*,
                         Rows, int);
template void layer_norm(const double*, const double*, const double*, double, double*, double*,
                         double*, Rows, int);
template void layer_norm_vjp(const float*, const float*, const double*, const double*, const float*,
                             float*, float*, float*, Rows, std::byte*, int);
template void layer_norm_vjp(const double*, const double*, const double*, const double*,
                             const double*, double*, double*, double*, Rows, std::byte*, int);
template void rms_norm(const float*, const float*, double, float*, double*, Rows, int);
template void rms_norm(const double*, const double*, double, double*, double*, Rows, int);
template void rms_norm_vjp(const float*, const float*, const double*, const float*, float*, float*,
                           Rows, std::byte*, int);
template void rms_norm_vjp(const double*, const double*, const double*, const double*, double*,
                           double*, Rows, std::byte*, int);

}  // namespace lectern::kernels
