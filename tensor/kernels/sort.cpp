#include "tensor/kernels/sort.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numeric>

#include "tensor/kernels/parallel.h"

namespace lectern::kernels {
namespace {

template <class T>
bool less(T x, T y) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(y)) return !std::isnan(x);
  }
  return x < y;
}

/// Sorts the positions in `order` so that those up to `first` are right. Positions break ties:
/// std::sort, which needs no memory, then does what a stable sort does.
template <class Before>
void sort_positions(std::int64_t* order, std::int64_t width, std::int64_t first,
                    const Before& before) {
  const auto ordered = [&](std::int64_t i, std::int64_t j) {
    return before(i, j) || (!before(j, i) && i < j);
  };
  if (first < width) {
    std::nth_element(order, order + first, order + width, ordered);
  }
  std::sort(order, order + first, ordered);
}

}  // namespace

template <class T>
void sort_rows(const T* x, std::int64_t* order, std::int64_t rows, std::int64_t width,
               std::int64_t first, SortOrder direction, int threads) {
  parallel_for(rows, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* values = x + row * width;
      std::int64_t* positions = order + row * width;
      std::iota(positions, positions + width, std::int64_t{0});
      if (direction == SortOrder::ascending) {
        sort_positions(positions, width, first,
                       [&](std::int64_t i, std::int64_t j) { return less(values[i], values[j]); });
      } else {
        sort_positions(positions, width, first,
                       [&](std::int64_t i, std::int64_t j) { return less(values[j], values[i]); });
      }
    }
  });
}

template void sort_rows(const float*, std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                        SortOrder, int);
template void sort_rows(const double*, std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                        SortOrder, int);
template void sort_rows(const std::int64_t*, std::int64_t*, std::int64_t, std::int64_t,
                        std::int64_t, SortOrder, int);
template void sort_rows(const bool*, std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                        SortOrder, int);

}  // namespace lectern::kernels
