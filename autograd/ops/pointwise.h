#pragma once

#include "autograd/variable.h"

namespace lectern {

// Functions of single elements, as for tensors (tensor/pointwise.h), with their derivatives. y is
// the result, g the gradient that arrives at it.

Variable abs(const Variable& x);      ///< |x|; dx = g sign x, 0 at 0
Variable exp(const Variable& x);      ///< eˣ; dx = g y
Variable log(const Variable& x);      ///< natural logarithm; dx = g / x
Variable log1p(const Variable& x);    ///< log(1 + x); dx = g / (1 + x)
Variable sqrt(const Variable& x);     ///< √x; dx = g / 2y: +∞ at 0, but 0 where g is 0
Variable rsqrt(const Variable& x);    ///< 1 / √x; dx = −g y³ / 2
Variable sin(const Variable& x);      ///< dx = g cos x
Variable cos(const Variable& x);      ///< dx = −g sin x
Variable tanh(const Variable& x);     ///< dx = g (1 − y²)
Variable sigmoid(const Variable& x);  ///< 1 / (1 + e⁻ˣ); dx = g y (1 − y)
Variable erf(const Variable& x);      ///< dx = g 2/√π exp(−x²)

/// The smaller of a and b. The gradient goes to the smaller one; equal ones get half of it each, as
/// in PyTorch. NaN gets none.
Variable minimum(const Variable& a, const Variable& b);
Variable minimum(const Variable& a, double b);
/// The larger of a and b; gradients as minimum().
Variable maximum(const Variable& a, const Variable& b);
Variable maximum(const Variable& a, double b);

/// x, but not below `low` nor above `high`; dx = g inside and on the bounds, 0 outside.
Variable clamp(const Variable& x, double low, double high);

/// a where the condition (a bool tensor) is true, b where it is false; the gradient goes to the one
/// that was chosen.
Variable where(const Tensor& condition, const Variable& a, const Variable& b);
Variable where(const Tensor& condition, const Variable& a, double b);
Variable where(const Tensor& condition, double a, const Variable& b);

}  // namespace lectern
