#include "tensor/kernels/adam.h"

#include <algorithm>
#include <cmath>

#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

// One pass: each of p, g, m and v is read once and p, m, v written once, which is all that counts,
// since the arithmetic is far faster than memory. No element depends on another. Elements are taken
// in chunks of a fixed length that the compiler turns into vector code, the last one of a parameter
// on padded copies, so that an element's bits do not depend on its place. The chunks of all
// parameters are shared out at once: most parameters of a Transformer are far too small for a team
// of their own.

namespace {

constexpr double element_work = 1.0;  // nanoseconds per parameter on one core
constexpr std::int64_t chunk = 64;

/// The step's numbers in the parameter's own type, bias corrections folded in.
template <class T>
struct Factors {
  Factors(const AdamStep& s, double bias_correction1, double bias_correction2)
      : beta1(static_cast<T>(s.beta1)),
        new1(static_cast<T>(1 - s.beta1)),
        beta2(static_cast<T>(s.beta2)),
        new2(static_cast<T>(1 - s.beta2)),
        step_size(static_cast<T>(s.lr / bias_correction1)),
        root_scale(static_cast<T>(1 / std::sqrt(bias_correction2))),
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

template <class T>
std::int64_t chunk_count(const AdamParameter<T>& a) {
  return (a.n + chunk - 1) / chunk;
}

template <class T>
void update_chunks(const AdamParameter<T>& a, std::int64_t begin, std::int64_t end,
                   const Factors<T>& factors) {
  for (std::int64_t i = begin * chunk; i < std::min(end * chunk, a.n); i += chunk) {
    if (i + chunk <= a.n) {
      update_chunk(a.p + i, a.g + i, a.m + i, a.v + i, factors);
    } else {
      update_last(a.p + i, a.g + i, a.m + i, a.v + i, a.n - i, factors);
    }
  }
}

}  // namespace

template <std::floating_point T>
void adam(std::span<const AdamParameter<T>> parameters, const AdamStep& step, int threads) {
  double work = 0;
  for (const AdamParameter<T>& a : parameters) work += static_cast<double>(a.n) * element_work;
  parallel_for_arrays(
      parameters.size(), team_size(work, threads),
      [&](std::size_t i) { return chunk_count(parameters[i]); },
      [&](std::size_t i, std::int64_t begin, std::int64_t end) {
        const AdamParameter<T>& a = parameters[i];
        update_chunks(a, begin, end, Factors<T>(step, a.bias_correction1, a.bias_correction2));
      });
}

template void adam(std::span<const AdamParameter<float>>, const AdamStep&, int);
template void adam(std::span<const AdamParameter<double>>, const AdamStep&, int);

}  // namespace lectern::kernels
