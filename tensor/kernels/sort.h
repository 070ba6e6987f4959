#pragma once

#include <cstdint>

namespace lectern::kernels {

/// Which element comes first. NaN counts as greater than any number, and equal elements keep their
/// order, so that there is one answer whatever the algorithm.
enum class SortOrder { ascending, descending };

/// order[r, 0..first-1] = positions of the first elements of row r in the given order; the rest of
/// order[r] holds the other positions. 0 <= first <= width.
///
/// Shapes: x, order [rows, width], dense.
template <class T>
void sort_rows(const T* x, std::int64_t* order, std::int64_t rows, std::int64_t width,
               std::int64_t first, SortOrder direction, int threads);

}  // namespace lectern::kernels
