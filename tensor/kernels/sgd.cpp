#include "tensor/kernels/sgd.h"

#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

template <std::floating_point T>
void sgd(T* p, const T* g, T* b, std::int64_t n, const SgdStep& step, int threads) {
  const auto lr = static_cast<T>(step.lr);
  const auto momentum = static_cast<T>(step.momentum);
  const auto decay = static_cast<T>(step.weight_decay);
  parallel_for(n, threads, [&](std::int64_t begin, std::int64_t end) {
    if (b == nullptr) {
      for (std::int64_t i = begin; i < end; ++i) p[i] -= lr * (g[i] + decay * p[i]);
      return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const T u = g[i] + decay * p[i];
      b[i] = momentum * b[i] + u;
      p[i] -= lr * (step.nesterov ? u + momentum * b[i] : b[i]);
    }
  });
}

template void sgd(float*, const float*, float*, std::int64_t, const SgdStep&, int);
template void sgd(double*, const double*, double*, std::int64_t, const SgdStep&, int);

}  // namespace lectern::kernels
