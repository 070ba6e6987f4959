#pragma once

#include <cstdint>

#include "autograd/variable.h"

namespace lectern {

/// Elements of a variable, and where along the axis they were.
struct SortedVariable {
  Variable values;
  Tensor indices;  ///< i64
};

/// The elements along `axis` in ascending or descending order, as in tensor/sort.h. The gradient
/// goes to the elements that the values are.
///
/// Shapes: x any of rank >= 1; values and indices as x.
/// Throws: ShapeError if axis is out of range, DTypeError unless x is f32 or f64.
SortedVariable sort(const Variable& x, int axis = -1, bool descending = false);

/// The k largest elements along `axis`, largest first, or the k smallest, smallest first.
///
/// Shapes: x any of rank >= 1; values and indices as x, with k along `axis`.
/// Throws: ShapeError if axis is out of range, ValueError unless 0 <= k <= x.shape[axis],
///         DTypeError unless x is f32 or f64.
SortedVariable topk(const Variable& x, std::int64_t k, int axis = -1, bool largest = true);

}  // namespace lectern
