#pragma once

#include <cstdint>

#include "tensor/kernels/loop_nest.h"

namespace lectern::kernels {

// One function applied to each element of one, two or three arrays, in one pass over memory.
//
// The nest lists {y, a[, b[, c]]}. Rows that lie dense run through a loop without strides, which
// compilers turn into vector code; so do rows in which one operand of two is a single number, as
// when a column is broadcast. y may be one of the operands (an update in place) if the two have
// the same strides; otherwise it overlaps none. The functions are called for one element at a
// time, so the bits do not depend on how the elements are shared out among threads.

/// y[i] = f(a[i]).
template <class Y, class A, class F>
void map(const LoopNest<2>& nest, int threads, const F& f, Y* y, const A* a) {
  const std::int64_t sy = nest.step(0);
  const std::int64_t sa = nest.step(1);
  walk_all(nest, threads, [&](const auto& at, std::int64_t n) {
    Y* const yi = y + at[0];
    const A* const ai = a + at[1];
    if (sy == 1 && sa == 1) {
      for (std::int64_t i = 0; i < n; ++i) yi[i] = f(ai[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) yi[i * sy] = f(ai[i * sa]);
    }
  });
}

/// y[i] = f(a[i], b[i]).
template <class Y, class A, class B, class F>
void map(const LoopNest<3>& nest, int threads, const F& f, Y* y, const A* a, const B* b) {
  const std::int64_t sy = nest.step(0);
  const std::int64_t sa = nest.step(1);
  const std::int64_t sb = nest.step(2);
  walk_all(nest, threads, [&](const auto& at, std::int64_t n) {
    Y* const yi = y + at[0];
    const A* const ai = a + at[1];
    const B* const bi = b + at[2];
    if (sy == 1 && sa == 1 && sb == 1) {
      for (std::int64_t i = 0; i < n; ++i) yi[i] = f(ai[i], bi[i]);
    } else if (sy == 1 && sa == 1 && sb == 0) {
      const B b0 = *bi;
      for (std::int64_t i = 0; i < n; ++i) yi[i] = f(ai[i], b0);
    } else if (sy == 1 && sa == 0 && sb == 1) {
      const A a0 = *ai;
      for (std::int64_t i = 0; i < n; ++i) yi[i] = f(a0, bi[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) yi[i * sy] = f(ai[i * sa], bi[i * sb]);
    }
  });
}

/// y[i] = f(a[i], b[i], c[i]).
template <class Y, class A, class B, class C, class F>
void map(const LoopNest<4>& nest, int threads, const F& f, Y* y, const A* a, const B* b,
         const C* c) {
  const std::int64_t sy = nest.step(0);
  const std::int64_t sa = nest.step(1);
  const std::int64_t sb = nest.step(2);
  const std::int64_t sc = nest.step(3);
  walk_all(nest, threads, [&](const auto& at, std::int64_t n) {
    Y* const yi = y + at[0];
    const A* const ai = a + at[1];
    const B* const bi = b + at[2];
    const C* const ci = c + at[3];
    if (sy == 1 && sa == 1 && sb == 1 && sc == 1) {
      for (std::int64_t i = 0; i < n; ++i) yi[i] = f(ai[i], bi[i], ci[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) yi[i * sy] = f(ai[i * sa], bi[i * sb], ci[i * sc]);
    }
  });
}

/// sum[i] += x[i] for n neighbours.
template <class T>
void add_into(std::int64_t n, const T* x, T* sum) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) sum[i] += x[i];
}

}  // namespace lectern::kernels
