#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tensor/kernels/loop_nest.h"

namespace lectern::kernels {

// Sums over some axes of an array: y[k] = sum over r of x[k, r], with k over the kept axes and r
// over the summed ones, each group through its own strides.
//
// The sums are carried in f64, so for f32 the error does not grow with their length. Where
// neighbouring results belong to neighbouring elements of x, kSumColumns of them are summed side
// by side; else one result is summed in kSumLanes interleaved parts. Each result is one thread's
// work, in an order that depends on the shapes alone.

inline constexpr std::int64_t kSumColumns = 64;
inline constexpr std::int64_t kSumLanes = 8;

/// One result: the sum over all of `summed`.
template <class T>
double sum_all(const LoopNest<1>& summed, const T* x) {
  const std::int64_t step = summed.step(0);
  std::array<double, kSumLanes> lanes{};
  walk(summed, 0, summed.numel(), [&](const auto& at, std::int64_t n) {
    const T* const row = x + at[0];
    std::int64_t i = 0;
    for (; i + kSumLanes <= n; i += kSumLanes) {
      for (std::int64_t l = 0; l < kSumLanes; ++l) {
        lanes[static_cast<std::size_t>(l)] += static_cast<double>(row[(i + l) * step]);
      }
    }
    for (std::int64_t l = 0; i < n; ++i, ++l) {
      lanes[static_cast<std::size_t>(l)] += static_cast<double>(row[i * step]);
    }
  });
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// `kept` lists {y, x}; `summed` lists {x}.
template <class T>
void sum_axes(const LoopNest<2>& kept, const LoopNest<1>& summed, const T* x, T* y, int threads) {
  const std::int64_t sy = kept.step(0);
  const std::int64_t sx = kept.step(1);
  walk_all(kept, threads, [&](const auto& at, std::int64_t n) {
    T* const yi = y + at[0];
    const T* const xi = x + at[1];
    if (sx != 1) {
      for (std::int64_t i = 0; i < n; ++i) {
        yi[i * sy] = static_cast<T>(sum_all(summed, xi + i * sx));
      }
      return;
    }
    for (std::int64_t first = 0; first < n; first += kSumColumns) {
      const std::int64_t columns = std::min(kSumColumns, n - first);
      std::array<double, kSumColumns> sums{};
      walk(summed, 0, summed.numel(), [&](const auto& from, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r) {
          const T* const row = xi + first + from[0] + r * summed.step(0);
          for (std::int64_t i = 0; i < columns; ++i) {
            sums[static_cast<std::size_t>(i)] += static_cast<double>(row[i]);
          }
        }
      });
      for (std::int64_t i = 0; i < columns; ++i) {
        yi[(first + i) * sy] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
      }
    }
  });
}

}  // namespace lectern::kernels
