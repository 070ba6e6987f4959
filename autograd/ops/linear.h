#pragma once

#include "autograd/variable.h"

namespace lectern {

/// Affine map of the last axis, y = x Wᵀ + b, in one pass over y.
///
/// The gradient of the bias is a column sum carried in f64, the same for any number of threads.
///
/// Shapes: x [..., in], weight [out, in], bias [out] or undefined (none) -> [..., out].
/// Throws: ShapeError, DTypeError if they do not fit.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});

}  // namespace lectern
