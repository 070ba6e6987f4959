#pragma once

#include "tensor/tensor.h"

namespace lectern {

// Comparisons and logic; results are bool. Two tensors broadcast by NumPy's rules and must have one
// dtype, any; a number written in code takes the dtype of the tensor beside it. NaN is equal to
// nothing, itself included, and neither less nor greater than anything.
//
// Throws: ShapeError if shapes do not broadcast, DTypeError if dtypes differ, ValueError if the
//         tensor has no such element as the number.

Tensor equal(const Tensor& a, const Tensor& b);  ///< a = b
Tensor equal(const Tensor& a, double b);
Tensor not_equal(const Tensor& a, const Tensor& b);  ///< a ≠ b
Tensor not_equal(const Tensor& a, double b);
Tensor less(const Tensor& a, const Tensor& b);  ///< a < b
Tensor less(const Tensor& a, double b);
Tensor less_equal(const Tensor& a, const Tensor& b);  ///< a ≤ b
Tensor less_equal(const Tensor& a, double b);
Tensor greater(const Tensor& a, const Tensor& b);  ///< a > b
Tensor greater(const Tensor& a, double b);
Tensor greater_equal(const Tensor& a, const Tensor& b);  ///< a ≥ b
Tensor greater_equal(const Tensor& a, double b);

// Of bool tensors. Throws: ShapeError as above, DTypeError for other dtypes.

Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);
Tensor logical_xor(const Tensor& a, const Tensor& b);
Tensor logical_not(const Tensor& x);

Tensor isnan(const Tensor& x);     ///< all false for i64 and bool
Tensor isfinite(const Tensor& x);  ///< neither NaN nor infinite; all true for i64 and bool

/// Whether everywhere |a − b| <= atol + rtol · |b|, as in PyTorch: equal infinities are close, and
/// NaN is close to NaN only with `equal_nan`. True for empty tensors.
///
/// Throws: ShapeError if shapes do not broadcast, DTypeError if dtypes differ.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);

}  // namespace lectern
