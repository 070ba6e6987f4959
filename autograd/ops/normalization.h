#pragma once

#include "autograd/variable.h"

namespace lectern {

/// Layer normalisation along the last axis: y = (x - mean) / sqrt(var + eps) · gamma + beta.
///
/// The variance is the population's (divided by E). mean and var are taken in double, and anew for
/// every position; nothing is remembered between calls.
/// Shapes: x [..., E]; gamma, beta [E], undefined for 1 and 0; result as x.
/// Throws: ShapeError unless x has rank >= 1 and gamma, beta are [x.shape[-1]]; DTypeError unless
///         all are f32, or all f64.
/// Ref:    Ba, Kiros, Hinton (2016), "Layer normalization", arXiv:1607.06450.
Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta,
                    double eps = 1e-5);
/// As above with gamma 1 and beta 0.
Variable layer_norm(const Variable& x, double eps = 1e-5);

/// Root-mean-square normalisation along the last axis: y = x / sqrt(mean(x²) + eps) · gamma.
///
/// Shapes: x [..., E]; gamma [E], undefined for 1; result as x.
/// Throws: as layer_norm.
/// Ref:    Zhang, Sennrich (2019), "Root mean square layer normalization", arXiv:1910.07467.
Variable rms_norm(const Variable& x, const Variable& gamma, double eps = 1e-6);
/// As above with gamma 1.
Variable rms_norm(const Variable& x, double eps = 1e-6);

}  // namespace lectern
