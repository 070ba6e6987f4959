#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace lectern {

// NaN counts as greater than any number: last in ascending order, first in descending order and
// among the largest. Equal elements keep their order.

/// Elements of a tensor, and where along the axis they were.
struct Sorted {
  Tensor values;   ///< as the operand
  Tensor indices;  ///< i64
};

/// The elements along `axis` in ascending or descending order.
///
/// Shapes: x any of rank >= 1; values and indices as x.
/// Throws: ShapeError if axis is out of range.
Sorted sort(const Tensor& x, int axis = -1, bool descending = false);

/// The k largest elements along `axis`, largest first, or the k smallest, smallest first.
///
/// Shapes: x any of rank >= 1; values and indices as x, with k along `axis`.
/// Throws: ShapeError if axis is out of range, ValueError unless 0 <= k <= x.shape[axis].
Sorted topk(const Tensor& x, std::int64_t k, int axis = -1, bool largest = true);

}  // namespace lectern
