#include "tensor/kernels/adam.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

// One pass: each of p, g, m and v is read once and p, m, v written once, which is all that counts,
// since the arithmetic is far faster than memory. No element depends on another. Elements are taken
// in chunks of a fixed length that the compiler turns into vector code, the last one on padded
// copies, so that an element's bits do not depend on its place.

namespace {

constexpr double element_work = 1.0;  // nanoseconds per parameter on one core
constexpr std::int64_t chunk = 64;

/// The step's numbers in the parameters' own type, bias corrections folded in.
template <class T>
struct Factors {
  explicit Factors(const AdamStep& s)
      : beta1(static_cast<T>(s.beta1)),
        new1(static_cast<T>(1 - s.beta1)),
        beta2(static_cast<T>(s.beta2)),
        new2(static_cast<T>(1 - s.beta2)),
        step_size(static_cast<T>(s.lr / s.bias_correction1)),
        root_scale(static_cast<T>(1 / std::sqrt(s.bias_correction2))),
        eps(static_cast<T>(s.eps)),
        l2(static_cast<T>(s.decoupled ? 0 : s.weight_decay)),
        kept(static_cast<T>(s.decoupled ? 1 - s.lr * s.weight_decay : 1)) {}

  T beta1, new1, beta2, new2;
  T step_size;   ///< lr / (1 - β₁ᵗ)
  T root_scale;  ///< 1 / √(1 - β₂ᵗ)
  T eps;
  T l2;    ///< added to the gradient, times p
  T kept;  ///< share of p that decoupled decay leaves
};

template <class T>
void update_chunk(T* __restrict__ p, const T* __restrict__ g, T* __restrict__ m, T* __restrict__ v,
                  const Factors<T>& factors) {
  const Factors<T> f = factors;  // a copy: nothing written below can be part of it
  for (std::int64_t i = 0; i < chunk; ++i) {
    const T gradient = g[i] + f.l2 * p[i];
    m[i] = f.beta1 * m[i] + f.new1 * gradient;
    v[i] = f.beta2 * v[i] + f.new2 * (gradient * gradient);
    p[i] = f.kept * p[i] - f.step_size * m[i] / (std::sqrt(v[i]) * f.root_scale + f.eps);
  }
}

template <class T>
void update_last(T* p, const T* g, T* m, T* v, std::int64_t count, const Factors<T>& factors) {
  T padded[4][chunk] = {};
  std::copy_n(p, count, padded[0]);
  std::copy_n(g, count, padded[1]);
  std::copy_n(m, count, padded[2]);
  std::copy_n(v, count, padded[3]);
  update_chunk(padded[0], padded[1], padded[2], padded[3], factors);
  std::copy_n(padded[0], count, p);
  std::copy_n(padded[2], count, m);
  std::copy_n(padded[3], count, v);
}

}  // namespace

template <std::floating_point T>
void adam(T* p, const T* g, T* m, T* v, std::int64_t n, const AdamStep& step, int threads) {
  const Factors<T> factors(step);
  const std::int64_t chunks = (n + chunk - 1) / chunk;
  const int team = team_size(static_cast<double>(n) * element_work, threads);
  parallel_for(chunks, team, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * chunk; i < std::min(end * chunk, n); i += chunk) {
      if (i + chunk <= n) {
        update_chunk(p + i, g + i, m + i, v + i, factors);
      } else {
        update_last(p + i, g + i, m + i, v + i, n - i, factors);
      }
    }
  });
}

template void adam(float*, const float*, float*, float*, std::int64_t, const AdamStep&, int);
template void adam(double*, const double*, double*, double*, std::int64_t, const AdamStep&, int);

}  // namespace lectern::kernels
