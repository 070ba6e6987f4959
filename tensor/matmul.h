#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// Matrix product by NumPy's rules: c_ij = sum_p a_ip b_pj over the last two axes.
///
/// The axes before those two are a batch and broadcast. A 1-d operand is a row on the left, a
/// column on the right, and its axis is absent from the result. Operands of any strides are read
/// in place. Where b has no batch, that of a is folded into its rows: one large product.
///
/// Shapes: a [..., m, k], b [..., k, n] -> [..., m, n]; [k] with [k] -> [].
/// Throws: ShapeError if an operand is 0-d, the inner dimensions differ or the batches do not
///         broadcast; DTypeError unless both are f32 or both f64.
Tensor matmul(const Tensor& a, const Tensor& b);

/// Affine map of the last axis: y = x Wᵀ + b, in one pass over y.
///
/// Shapes: x [..., in], weight [out, in], bias [out] or undefined (none) -> [..., out].
/// Throws: ShapeError, DTypeError if they do not fit.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

/// max(linear(x, weight, bias), 0) in one pass; NaN stays.
Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

/// out = a b, or out += a b: how gradients are summed without a tensor in between.
///
/// Batch axes that `out` lacks, or has once where the product has more, are summed over. Every sum
/// runs in an order that depends on the shapes alone.
///
/// Shapes: a [..., m, k], b [..., k, n], out [..., m, n], each of rank >= 2; the elements of out
///         are distinct and overlap neither operand.
/// Throws: ShapeError, DTypeError if they do not fit.
void matmul_into(Tensor out, const Tensor& a, const Tensor& b, bool accumulate);

}  // namespace lectern
