#pragma once

#include "autograd/variable.h"

namespace lectern {

// Activation functions; sigmoid and tanh are in autograd/ops/pointwise.h. All throw DTypeError
// unless x is f32 or f64.

/// y = max(x, 0); dx = g where x > 0, 0 elsewhere, at 0 too.
/// Ref: Nair and Hinton (2010), "Rectified linear units improve restricted Boltzmann machines".
Variable relu(const Variable& x);

/// How gelu is computed.
enum class Gelu {
  exact,         ///< with erf
  tanh_formula,  ///< approximate: x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))
};

/// y = x Φ(x) with Φ(x) = (1 + erf(x/√2)) / 2, the normal distribution function;
/// dx = g (Φ(x) + x φ(x)) with φ(x) = exp(−x²/2) / √(2π).
/// Ref: Hendrycks and Gimpel (2016), arXiv:1606.08415.
Variable gelu(const Variable& x, Gelu form = Gelu::exact);

/// y = x σ(x) with σ(x) = 1 / (1 + e⁻ˣ); dx = g σ (1 + x (1 − σ)). Also called swish.
/// Ref: Elfwing et al. (2017), arXiv:1702.03118.
Variable silu(const Variable& x);

}  // namespace lectern
