#pragma once

#include <cstddef>
#include <cstdint>

namespace lectern::kernels {

// Elements found by number. Arrays are dense and seen as [outer, extent, inner]: element (o, k, i)
// is at (o · extent + k) · inner + i, where `extent` belongs to the axis that is indexed.
//
// Indices are checked before: 0 <= index < extent.
//
// Adding by index is where threads usually make results depend on their number. Here each sum
// belongs to one thread, which adds in the order of the indices.

/// Position of the first index outside 0..extent-1, or -1 if there is none.
std::int64_t first_outside(const std::int64_t* indices, std::int64_t count, std::int64_t extent);

struct IndexedAxis {
  std::int64_t outer, extent, inner;
};

/// y[o, n, i] = x[o, indices[n], i] for n < count; `inner` counts bytes here.
void take(const std::byte* x, const std::int64_t* indices, std::int64_t count, IndexedAxis axis,
          std::byte* y, int threads);

/// Numbers 0..count-1 sorted by the row they go to: those of row r are
/// order[starts[r]] … order[starts[r + 1] - 1], in rising order.
struct RowGroups {
  const std::int64_t* starts;  ///< rows + 1
  const std::int64_t* order;   ///< count
};

/// Fills the arrays of RowGroups (counting sort); what goes to row `ignored` is left out.
void group_by_row(const std::int64_t* rows_of, std::int64_t count, std::int64_t rows,
                  std::int64_t ignored, std::int64_t* starts, std::int64_t* order);

/// dx[o, r, i] = Σ g[o, n, i] over the n of row r, added to dx if `accumulate`; `extent` = rows,
/// g has `count` rows. Sums are carried in f64 and rounded once.
template <class T>
void add_rows(const RowGroups& groups, std::int64_t count, IndexedAxis axis, bool accumulate,
              const T* g, T* dx, int threads);

/// y[o, n, i] = x[o, indices[o, n, i], i] for n < count.
template <class T>
void gather(const T* x, const std::int64_t* indices, std::int64_t count, IndexedAxis axis, T* y,
            int threads);

/// y[o, indices[o, n, i], i] += x[o, n, i] for n < count, in the order of n.
template <class T>
void scatter_add(const T* x, const std::int64_t* indices, std::int64_t count, IndexedAxis axis,
                 T* y, int threads);

/// The lower (or upper) triangle of `count` matrices [rows, columns]: y = x where
/// column - row <= diagonal (or >= diagonal), 0 elsewhere.
template <class T>
void triangle(const T* x, std::int64_t count, std::int64_t rows, std::int64_t columns,
              std::int64_t diagonal, bool lower, T* y, int threads);

}  // namespace lectern::kernels
