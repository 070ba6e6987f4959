#pragma once

#include <limits>

#include "tensor/tensor.h"

namespace lectern {

// Other ways to see the elements of a tensor. All but reshape and flatten always return views:
// they cost nothing, and writing to the result writes to x. Axes may be negative and then count
// from the end; one that is out of range is a ShapeError.

/// The same elements, in row-major order, under another shape: a view where the strides allow it
/// (always if x is contiguous), else a dense copy. One extent may be -1 and is then inferred.
/// Throws: ShapeError unless the numbers of elements agree.
Tensor reshape(const Tensor& x, const Extents& shape);

/// Axes start..end, both included, made one; a scalar becomes [1]. View or copy as in reshape.
/// Shapes: [a, b, c, d], 1, 2 -> [a, b·c, d].
Tensor flatten(const Tensor& x, int start = 0, int end = -1);

/// Axes in another order: axis i of the result is axis axes[i] of x.
/// Throws: ShapeError unless `axes` names every axis once.
Tensor permute(const Tensor& x, const Axes& axes);

/// Axes a and b exchanged.
Tensor transpose(const Tensor& x, int a, int b);

/// Without its axes of extent 1.
Tensor squeeze(const Tensor& x);
/// Without `axis`. Throws: ShapeError unless its extent is 1.
Tensor squeeze(const Tensor& x, int axis);

/// With a new axis of extent 1, which is axis `axis` of the result: -rank-1..rank.
Tensor unsqueeze(const Tensor& x, int axis);

/// The end of an axis, as a stop for slice.
inline constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

/// Every step-th entry of an axis from start on, before stop: NumPy's x[start:stop:step] on it.
/// A negative start or stop counts from the end; both are cut to the axis, so that a slice may be
/// empty but is never an error.
/// Throws: ValueError unless step >= 1 (flip turns an axis round).
Tensor slice(const Tensor& x, int axis, std::int64_t start, std::int64_t stop = kEnd,
             std::int64_t step = 1);

/// Entry `index` of an axis, which goes away; a negative index counts from the end.
/// Throws: IndexError unless -extent <= index < extent.
Tensor select(const Tensor& x, int axis, std::int64_t index);

/// x repeated to `shape` by NumPy's rules of broadcasting, without a copy: the new axes have
/// stride 0, so that many elements share one place. Do not write to it.
/// Throws: ShapeError unless every axis of x, counted from the end, has the extent asked for or 1.
Tensor expand(const Tensor& x, const Shape& shape);

/// The elements whose positions on the two axes differ by `offset`: y[…, i] = x[…, i, i + offset]
/// where axis1 and axis2 stand last; a negative offset goes below the diagonal. The two axes go
/// away, the diagonal becomes the last one; it is empty if `offset` leads outside.
/// Throws: ShapeError if the axes are the same.
Tensor diagonal(const Tensor& x, int axis1 = 0, int axis2 = 1, std::int64_t offset = 0);

}  // namespace lectern
