#pragma once

#include "tensor/random.h"

namespace lectern::nn {

// Initial values. `fan_in` and `fan_out` are the inputs and outputs of one unit: for a weight
// [out, in, rest…] they are in·rest and out·rest.

/// Uniform in ±sqrt(6 / (fan_in + fan_out)): keeps the variance of values and gradients alike.
/// Throws: ShapeError unless the shape has at least two axes.
/// Ref: Glorot and Bengio (2010), "Understanding the difficulty of training deep feedforward neural
///      networks", eq. 16.
Tensor xavier_uniform(const Shape& shape, Rng& rng, DType dtype = DType::f32);
/// Normal with variance 2 / (fan_in + fan_out).
Tensor xavier_normal(const Shape& shape, Rng& rng, DType dtype = DType::f32);
/// Uniform in ±sqrt(6 / fan_in): keeps the variance through a relu.
/// Ref: He et al. (2015), "Delving deep into rectifiers", section 2.2, arXiv:1502.01852.
Tensor kaiming_uniform(const Shape& shape, Rng& rng, DType dtype = DType::f32);
/// Normal with variance 2 / fan_in.
Tensor kaiming_normal(const Shape& shape, Rng& rng, DType dtype = DType::f32);

}  // namespace lectern::nn
