#pragma once

#include "autograd/variable.h"
#include "tensor/random.h"

namespace lectern {

/// Affine map of the last axis, y = x Wᵀ + b, in one pass over y.
///
/// The gradient of the bias is a column sum carried in f64, the same for any number of threads.
///
/// Shapes: x [..., in], weight [out, in], bias [out] or undefined (none) -> [..., out].
/// Throws: ShapeError, DTypeError if they do not fit.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});

/// h = max(z, 0) with z = x Wᵀ + b, in one pass over h: bit for bit relu(linear(x, weight, bias)).
/// NaN stays.
///
/// dz = g where h > 0, else 0; the gradients of the operands are linear's of dz. Kept for them are
/// the operands and h, but not z.
///
/// Shapes, Throws: as linear.
Variable linear_relu(const Variable& x, const Variable& weight, const Variable& bias = {});

/// The inner half of a feed-forward layer: dropout(linear_relu(x, weight, bias), p, rng, training),
/// bit for bit, but dropped in place. dz = g / (1 - p) where h > 0: the backward pass needs no
/// mask.
///
/// Throws: as linear; ValueError as dropout.
Variable linear_relu(const Variable& x, const Variable& weight, const Variable& bias, double p,
                     Rng& rng, bool training = true);

}  // namespace lectern
