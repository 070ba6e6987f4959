#include "tensor/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/wide.h"

namespace lectern::kernels {

// A row is a few hundred numbers and stays in the first-level cache, so passing over it two or
// three times costs little. All arithmetic is in double: 70000 ± 1 in float has lost its variance
// once a mean was rounded. rms_norm is layer_norm without the mean and beta; both run through the
// same passes, with Centred saying which.
//
// dgamma and dbeta are sums over rows. Rows are cut into blocks whose number depends on the count
// of rows alone; each block is summed by one thread, and the blocks are added in order, so the
// number of threads changes nothing.

namespace {

constexpr double element_work = 0.6;  // nanoseconds per element on one core
constexpr std::int64_t most_blocks = 64;
constexpr std::int64_t least_block_rows = 16;

std::int64_t block_rows(Rows rows) {
  return std::max(least_block_rows, (rows.count + most_blocks - 1) / most_blocks);
}

std::int64_t block_count(Rows rows) {
  return (rows.count + block_rows(rows) - 1) / block_rows(rows);
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
  // 1. The mean.
  double mean = 0;
  if constexpr (Centred) {
    LaneSums<T> sums;
    each_register<T>(
        width, [&](std::int64_t at, std::int64_t count) { sums.add(load_wide(x + at, count)); });
    *saved_mean = mean = sums.total() / n;
  }
  // 2. The mean square of what is left.
  LaneSums<T> squares;
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const auto square = [mean](auto v) { return (v - mean) * (v - mean); };
    squares.add(first_lanes<T>(each_part<T>(square, load_wide(x + at, count)), count));
  });
  const double rstd = 1 / std::sqrt(squares.total() / n + eps);
  *saved_rstd = rstd;
  // 3. The result.
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const auto scaled = [=](auto v, auto weight) { return (v - mean) * rstd * weight; };
    Wide<T> value = each_part<T>(scaled, load_wide(x + at, count), load_gain(gamma, at, count));
    if (beta != nullptr) {
      const auto sum = [](auto v, auto b) { return v + b; };
      value = each_part<T>(sum, value, load_wide(beta + at, count));
    }
    store(y + at, narrow(value), count);
  });
}

template <bool Centred, class T>
void row_vjp(const T* x, const T* gamma, double mean, double rstd, const T* g, T* dx,
             std::int64_t width) {
  const double n = static_cast<double>(width);
  const auto normalized = [=](auto v) { return (v - mean) * rstd; };
  const auto product = [](auto a, auto b) { return a * b; };
  // 1 and 2. The averages of h and h x̂ (h is 0 beyond the end).
  LaneSums<T> h_sums, hx_sums;
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const Wide<T> h = each_part<T>(product, load_wide(g + at, count), load_gain(gamma, at, count));
    h_sums.add(h);
    hx_sums.add(each_part<T>(product, h, each_part<T>(normalized, load_wide(x + at, count))));
  });
  const double h_average = Centred ? h_sums.total() / n : 0;
  const double hx_average = hx_sums.total() / n;
  // 3. The gradient.
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    const auto gradient = [=](auto v, auto g_value, auto weight) {
      return rstd * (g_value * weight - h_average - normalized(v) * hx_average);
    };
    const Wide<T> value = each_part<T>(gradient, load_wide(x + at, count), load_wide(g + at, count),
                                       load_gain(gamma, at, count));
    store(dx + at, narrow(value), count);
  });
}

/// Sums over rows, for one block of them; [width] each.
struct GainSums {
  double* gamma;  ///< of g x̂
  double* beta;   ///< of g, or null
};

template <class T>
void add_row(const T* x, double mean, double rstd, const T* g, GainSums sums, std::int64_t width) {
  for (std::int64_t j = 0; j < width; ++j) {
    const double g_value = static_cast<double>(g[j]);
    sums.gamma[j] += g_value * ((static_cast<double>(x[j]) - mean) * rstd);
    if (sums.beta != nullptr) sums.beta[j] += g_value;
  }
}

/// Adds the blocks' sums, in their order, and rounds.
template <class T>
void combine_blocks(const double* partial, std::int64_t stride, std::int64_t blocks, Range columns,
                    T* result) {
  for (std::int64_t j = columns.begin; j < columns.end; ++j) {
    double total = 0;
    for (std::int64_t block = 0; block < blocks; ++block) total += partial[block * stride + j];
    result[j] = static_cast<T>(total);
  }
}

/// mean is null for rms_norm, whose rows are centred on 0.
template <bool Centred, class T>
void norm_vjp(const T* x, const T* gamma, const double* mean, const double* rstd, const T* g, T* dx,
              T* dgamma, T* dbeta, Rows rows, std::byte* scratch, int threads) {
  double* const partial = reinterpret_cast<double*>(scratch);  // [blocks, 2, width]
  const std::int64_t blocks = block_count(rows), stride = 2 * rows.width;
  const bool wants_gain = dgamma != nullptr || dbeta != nullptr;
  on_team(team_size(2 * work_of(rows), threads), [&](int rank, int size) {
    const Range mine = share(blocks, rank, size);
    for (std::int64_t block = mine.begin; block < mine.end; ++block) {
      const GainSums sums{partial + block * stride, partial + block * stride + rows.width};
      if (wants_gain) std::fill_n(sums.gamma, stride, 0.0);
      const std::int64_t first = block * block_rows(rows);
      const std::int64_t last = std::min(rows.count, first + block_rows(rows));
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t at = row * rows.width;
        const double centre = Centred ? mean[row] : 0;
        if (wants_gain) add_row(x + at, centre, rstd[row], g + at, sums, rows.width);
        if (dx != nullptr) {
          row_vjp<Centred>(x + at, gamma, centre, rstd[row], g + at, dx + at, rows.width);
        }
      }
    }
    team_barrier(size);
    const Range columns = share(rows.width, rank, size);
    if (dgamma != nullptr) combine_blocks(partial, stride, blocks, columns, dgamma);
    if (dbeta != nullptr) combine_blocks(partial + rows.width, stride, blocks, columns, dbeta);
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
  return block_count(rows) * 2 * rows.width * static_cast<std::int64_t>(sizeof(double));
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
