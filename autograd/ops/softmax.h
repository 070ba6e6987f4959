#pragma once

#include "autograd/mask.h"
#include "autograd/variable.h"

namespace lectern {

/// Turns scores into probabilities along one axis: y_k = exp(x_k) / sum_j exp(x_j).
///
/// The largest score is subtracted first, so that any finite x gives a finite result. A score of
/// -inf gives exactly 0; a slice that is -inf throughout, or has +inf or NaN in it, gives NaN.
/// Shapes: x any shape of rank >= 1; result as x.
/// Throws: ShapeError if axis is out of range, DTypeError unless x is f32 or f64.
/// Ref:    Bridle (1990), "Probabilistic interpretation of feedforward classification network
///         outputs".
Variable softmax(const Variable& x, int axis);

/// Logarithm of softmax: y_k = x_k - log sum_j exp(x_j), exact where softmax itself is nearly 0.
///
/// Shapes, throws: as softmax.
Variable log_softmax(const Variable& x, int axis);

/// Attention's softmax: as softmax(scores, -1) over the keys that the mask lets each query see.
///
/// The weight of a key that may not be seen is exactly 0, whatever its score. A query that may see
/// no key gets weights 0 and gradients 0; so does one all of whose scores are -inf.
/// Shapes: scores [B, H, Tq, Tk], [B, Tq, Tk] or [Tq, Tk]; result as scores.
/// Throws: ShapeError for another rank or a mask that does not fit, DTypeError unless scores are
///         f32 or f64.
Variable masked_softmax(const Variable& scores, const Mask& mask);

}  // namespace lectern
