#include "tensor/kernels/indexing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

std::int64_t first_outside(const std::int64_t* indices, std::int64_t count, std::int64_t extent) {
  const auto* outside =
      std::find_if(indices, indices + count, [=](std::int64_t i) { return i < 0 || i >= extent; });
  return outside == indices + count ? -1 : outside - indices;
}

void take(const std::byte* x, const std::int64_t* indices, std::int64_t count, IndexedAxis axis,
          std::byte* y, int threads) {
  parallel_for(axis.outer * count, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t from = row / count * axis.extent + indices[row % count];
      std::memcpy(y + row * axis.inner, x + from * axis.inner,
                  static_cast<std::size_t>(axis.inner));
    }
  });
}

void group_by_row(const std::int64_t* rows_of, std::int64_t count, std::int64_t rows,
                  std::int64_t ignored, std::int64_t* starts, std::int64_t* order) {
  // starts[r + 1] counts row r, then is where it starts, and in the end where row r + 1 starts.
  std::fill_n(starts, rows + 1, 0);
  for (std::int64_t n = 0; n < count; ++n) {
    if (rows_of[n] != ignored) ++starts[rows_of[n] + 1];
  }
  std::int64_t start = 0;
  for (std::int64_t r = 1; r <= rows; ++r) start += std::exchange(starts[r], start);
  for (std::int64_t n = 0; n < count; ++n) {
    if (rows_of[n] != ignored) order[starts[rows_of[n] + 1]++] = n;
  }
}

template <class T>
void add_rows(const RowGroups& groups, std::int64_t count, IndexedAxis axis, bool accumulate,
              const T* g, T* dx, int threads) {
  constexpr std::int64_t width = 32;  // columns whose sums are carried together, in registers
  const std::int64_t strips = (axis.inner + width - 1) / width;
  parallel_for(axis.outer * strips, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t outer = part / strips;
      const std::int64_t column = part % strips * width;
      const std::int64_t columns = std::min(width, axis.inner - column);
      const T* from = g + outer * count * axis.inner + column;
      T* to = dx + outer * axis.extent * axis.inner + column;
      for (std::int64_t row = 0; row < axis.extent; ++row, to += axis.inner) {
        const std::int64_t* n = groups.order + groups.starts[row];
        const std::int64_t* last = groups.order + groups.starts[row + 1];
        if (n == last) {
          if (!accumulate) std::fill_n(to, columns, T{0});
          continue;
        }
        std::array<double, width> sum{};
        for (; n != last; ++n) {
          for (std::int64_t i = 0; i < columns; ++i) {
            sum[static_cast<std::size_t>(i)] += static_cast<double>(from[*n * axis.inner + i]);
          }
        }
        for (std::int64_t i = 0; i < columns; ++i) {
          const double before = accumulate ? static_cast<double>(to[i]) : 0;
          to[i] = static_cast<T>(before + sum[static_cast<std::size_t>(i)]);
        }
      }
    }
  });
}

template <class T>
void gather(const T* x, const std::int64_t* indices, std::int64_t count, IndexedAxis axis, T* y,
            int threads) {
  parallel_for(axis.outer * count, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* from = x + row / count * axis.extent * axis.inner;
      for (std::int64_t i = 0; i < axis.inner; ++i) {
        const std::int64_t at = row * axis.inner + i;
        y[at] = from[indices[at] * axis.inner + i];
      }
    }
  });
}

template <class T>
void scatter_add(const T* x, const std::int64_t* indices, std::int64_t count, IndexedAxis axis,
                 T* y, int threads) {
  constexpr std::int64_t width = 64;  // columns that belong to one thread together
  const std::int64_t strips = (axis.inner + width - 1) / width;
  parallel_for(axis.outer * strips, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t outer = part / strips;
      const std::int64_t column = part % strips * width;
      const std::int64_t columns = std::min(width, axis.inner - column);
      T* to = y + outer * axis.extent * axis.inner + column;
      for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t at = (outer * count + n) * axis.inner + column;
        for (std::int64_t i = 0; i < columns; ++i)
          to[indices[at + i] * axis.inner + i] += x[at + i];
      }
    }
  });
}

template <class T>
void triangle(const T* x, std::int64_t count, std::int64_t rows, std::int64_t columns,
              std::int64_t diagonal, bool lower, T* y, int threads) {
  parallel_for(count * rows, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      // Where the kept part of the row ends (lower) or begins (upper).
      const std::int64_t edge =
          std::clamp<std::int64_t>(row % rows + diagonal + (lower ? 1 : 0), 0, columns);
      const T* from = x + row * columns;
      T* to = y + row * columns;
      if (lower) {
        std::fill(std::copy_n(from, edge, to), to + columns, T{0});
      } else {
        std::copy(from + edge, from + columns, std::fill_n(to, edge, T{0}));
      }
    }
  });
}

template void add_rows(const RowGroups&, std::int64_t, IndexedAxis, bool, const float*, float*,
                       int);
template void add_rows(const RowGroups&, std::int64_t, IndexedAxis, bool, const double*, double*,
                       int);

template void gather(const float*, const std::int64_t*, std::int64_t, IndexedAxis, float*, int);
template void gather(const double*, const std::int64_t*, std::int64_t, IndexedAxis, double*, int);
template void gather(const std::int64_t*, const std::int64_t*, std::int64_t, IndexedAxis,
                     std::int64_t*, int);
template void gather(const bool*, const std::int64_t*, std::int64_t, IndexedAxis, bool*, int);

template void scatter_add(const double*, const std::int64_t*, std::int64_t, IndexedAxis, double*,
                          int);
template void scatter_add(const std::int64_t*, const std::int64_t*, std::int64_t, IndexedAxis,
                          std::int64_t*, int);

template void triangle(const float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool,
                       float*, int);
template void triangle(const double*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool,
                       double*, int);
template void triangle(const std::int64_t*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                       bool, std::int64_t*, int);
template void triangle(const bool*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool,
                       bool*, int);

}  // namespace lectern::kernels
