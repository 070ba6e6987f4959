#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace lectern {

// Tensors put together, taken apart and turned round. All but split return new dense tensors; the
// parts that split returns are views. Axes may be negative and then count from the end.

/// Tensors one after the other along an axis.
/// Shapes: [.., n1, ..], [.., n2, ..], … -> [.., n1 + n2 + …, ..]; all other axes agree.
/// Throws: ShapeError if shapes do not fit or there is no tensor, DTypeError if dtypes differ.
Tensor concat(const std::vector<Tensor>& tensors, int axis = 0);

/// Tensors of one shape side by side along a new axis, which is axis `axis` of the result.
/// Shapes: k times [a, b], axis 1 -> [a, k, b].
/// Throws: as concat.
Tensor stack(const std::vector<Tensor>& tensors, int axis = 0);

/// Equal parts of an axis, as views.
/// Throws: ValueError unless parts >= 1, ShapeError unless the extent is a multiple of it.
std::vector<Tensor> split(const Tensor& x, std::int64_t parts, int axis = 0);
/// Parts of the lengths given, as views.
/// Throws: ShapeError unless the lengths are not negative and add up to the extent.
std::vector<Tensor> split(const Tensor& x, std::span<const std::int64_t> lengths, int axis = 0);

/// The entries of an axis in reverse order.
Tensor flip(const Tensor& x, int axis);

/// `before` entries in front of an axis and `after` behind it, all equal to `value`.
/// Throws: ValueError if one of the numbers is negative.
Tensor pad(const Tensor& x, int axis, std::int64_t before, std::int64_t after, double value = 0);

}  // namespace lectern
