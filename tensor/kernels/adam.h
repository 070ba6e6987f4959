#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace lectern::kernels {

/// The numbers of one Adam or AdamW step that are the same for all parameters.
struct AdamStep {
  double lr;
  double beta1, beta2;
  double eps;
  double weight_decay = 0;
  bool decoupled =
      false;  ///< AdamW: p shrinks by lr * weight_decay first; else g += weight_decay p
};

/// A parameter of n elements with its gradient and moments, all dense.
template <class T>
struct AdamParameter {
  T* p;
  const T* g;
  T* m;
  T* v;
  std::int64_t n;
  double bias_correction1;  ///< 1 - beta1^t, t = 1 at this parameter's first step
  double bias_correction2;  ///< 1 - beta2^t
};

/// One pass over all parameters p with gradients g and moments m, v:
///
///   m = β₁ m + (1-β₁) g        v = β₂ v + (1-β₂) g²        p -= lr · m̂ / (√v̂ + ε)
///
/// with m̂ = m / bias_correction1, v̂ = v / bias_correction2.
/// Ref: Kingma, Ba (2015), algorithm 1, arXiv:1412.6980; Loshchilov, Hutter (2019), algorithm 2,
///      arXiv:1711.05101.
template <std::floating_point T>
void adam(std::span<const AdamParameter<T>> parameters, const AdamStep& step, int threads);

}  // namespace lectern::kernels
