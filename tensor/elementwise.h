#pragma once

#include "tensor/tensor.h"

namespace lectern {

// Arithmetic on the elements of tensors (functions: tensor/pointwise.h; comparisons:
// tensor/compare.h). Two tensors broadcast by NumPy's rules and must have one
// dtype; a number written in code takes the dtype of the tensor beside it. f32, f64 and i64; bool
// is a DTypeError. i64 wraps around on overflow, and its quotients are rounded towards zero, as in
// C++.
//
// Shapes: a and b broadcast to the result; results of one operand have its shape.
// Throws: ShapeError if shapes do not broadcast, DTypeError if dtypes differ or are bool,
//         ValueError if a number that is no integer meets an i64 tensor, or i64 is divided by zero.

Tensor operator+(const Tensor& a, const Tensor& b);  ///< a + b
Tensor operator+(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);  ///< a − b
Tensor operator-(const Tensor& a, double b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);  ///< a · b, element by element
Tensor operator*(const Tensor& a, double b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);  ///< a / b
Tensor operator/(const Tensor& a, double b);
Tensor operator/(double a, const Tensor& b);
Tensor operator-(const Tensor& x);  ///< −x

/// a to the power of b, element by element; 0⁰ = 1, and a negative f32 or f64 to the power of
/// anything but an integer is NaN.
///
/// Throws: as arithmetic; ValueError for i64 to a negative power.
Tensor pow(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, double b);

/// sum += x, in place.
///
/// Throws: ShapeError, DTypeError unless both have one shape and dtype, f32 or f64.
void add_into(Tensor& sum, const Tensor& x);

/// x *= factor, in place. Throws: DTypeError unless x is f32 or f64.
void scale_into(Tensor& x, double factor);

}  // namespace lectern
