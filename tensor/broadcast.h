#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// Undoes broadcasting: adds up the elements of g that came from one element of a tensor of
/// `shape`, as sum() does.
///
/// Shapes: g any shape that `shape` broadcasts to; result `shape`. g itself if it has that shape.
/// Throws: ShapeError if `shape` does not broadcast to that of g, DTypeError unless g is f32 or
///         f64.
Tensor sum_to(const Tensor& g, const Shape& shape);

}  // namespace lectern
