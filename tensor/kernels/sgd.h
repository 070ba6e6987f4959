#pragma once

#include <concepts>
#include <cstdint>

namespace lectern::kernels {

/// The numbers of one step of stochastic gradient descent.
struct SgdStep {
  double lr;
  double momentum;
  bool nesterov;
  double weight_decay;
};

/// One pass over n parameters p with gradient g and, if `b` is not null, momentum b, all dense:
///
///   u = g + weight_decay p;  with momentum  b = momentum b + u,  u = nesterov ? u + momentum b : b
///   p -= lr u
template <std::floating_point T>
void sgd(T* p, const T* g, T* b, std::int64_t n, const SgdStep& step, int threads);

}  // namespace lectern::kernels
