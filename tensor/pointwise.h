#pragma once

#include "tensor/tensor.h"

namespace lectern {

// Functions of single elements. Results are dense and have the shape of x; where there are several
// operands they broadcast by NumPy's rules. NaN in gives NaN out, in minimum, maximum and clamp
// too.

// f32, f64 and i64. Throws: DTypeError for bool.

Tensor abs(const Tensor& x);    ///< |x|; the least i64 stays what it is
Tensor sign(const Tensor& x);   ///< −1, 0 or 1
Tensor floor(const Tensor& x);  ///< the greatest integer <= x
Tensor round(const Tensor& x);  ///< the nearest integer, halves to the even one: 2.5 → 2, 3.5 → 4

// f32 and f64. Throws: DTypeError for others. exp, tanh, sigmoid and erf of f32 are polynomials
// whose errors are stated in tensor/kernels/vector_math.h, at most 2.4 units in the last place.

Tensor exp(const Tensor& x);      ///< eˣ
Tensor log(const Tensor& x);      ///< natural logarithm; −∞ at 0, NaN below
Tensor log1p(const Tensor& x);    ///< log(1 + x), exact also where x is small
Tensor sqrt(const Tensor& x);     ///< √x, NaN below 0
Tensor rsqrt(const Tensor& x);    ///< 1 / √x
Tensor sin(const Tensor& x);      ///< of radians
Tensor cos(const Tensor& x);      ///< of radians
Tensor tanh(const Tensor& x);     ///< (eˣ − e⁻ˣ) / (eˣ + e⁻ˣ)
Tensor sigmoid(const Tensor& x);  ///< 1 / (1 + e⁻ˣ), without overflow for any x
Tensor erf(const Tensor& x);      ///< 2/√π ∫₀ˣ exp(−t²) dt

/// The smaller of a and b, and the larger.
///
/// Throws: ShapeError, DTypeError, ValueError as arithmetic (tensor/elementwise.h).
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, double b);
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, double b);

/// x, but not below `low` nor above `high`; ±∞ as a bound is none.
///
/// Throws: DTypeError for bool, ValueError unless low <= high, or if x is i64 and a bound is
/// neither
///         an integer nor infinite.
Tensor clamp(const Tensor& x, double low, double high);

/// a where the condition is true, b where it is false.
///
/// Shapes: condition, a and b broadcast to the result. a and b have one dtype, any.
/// Throws: ShapeError if shapes do not broadcast, DTypeError unless the condition is bool and a and
///         b have one dtype, ValueError if a number is no element of the tensor beside it.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, double b);
Tensor where(const Tensor& condition, double a, const Tensor& b);

}  // namespace lectern
