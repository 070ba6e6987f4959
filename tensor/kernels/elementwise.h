#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/kernels/loop_nest.h"
#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// One function applied to each element of one, two or three arrays, in one pass over memory.
//
// The nest lists {y, a[, b[, c]]}. Rows that lie dense run through a loop without strides, which
// compilers turn into vector code; so do rows in which one operand of two is a single number, as
// when a column is broadcast. y may be one of the operands (an update in place) if the two have
// the same strides; otherwise it overlaps none. The functions are called for one element at a
// time, so the bits do not depend on how the elements are shared out among threads.

/// The first `count` lanes from memory, `step` apart; the others are 0.
template <class T>
Vector<T> gather(const T* from, std::int64_t step, std::int64_t count) {
  T lane[lanes<T>] = {};
  for (std::int64_t i = 0; i < count; ++i) lane[i] = from[i * step];
  return load(lane);
}

/// Writes the first `count` lanes, `step` apart.
template <class T>
void scatter(Vector<T> v, T* to, std::int64_t step, std::int64_t count) {
  T lane[lanes<T>];
  store(lane, v);
  for (std::int64_t i = 0; i < count; ++i) to[i * step] = lane[i];
}

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

/// y[i] = f(a[i]) with f a function of a whole register.
template <class T, class F>
void map_registers(const LoopNest<2>& nest, int threads, const F& f, T* y, const T* a) {
  const std::int64_t sy = nest.step(0);
  const std::int64_t sa = nest.step(1);
  walk_all(nest, threads, [&](const auto& at, std::int64_t n) {
    T* const yi = y + at[0];
    const T* const ai = a + at[1];
    std::int64_t i = 0;
    if (sy == 1 && sa == 1) {
      for (; i + lanes<T> <= n; i += lanes<T>) store(yi + i, f(load(ai + i)));
    }
    for (; i < n; i += lanes<T>) {  // strided rows and the last elements, through the same f
      const std::int64_t count = std::min(lanes<T>, n - i);
      scatter(f(gather(ai + i * sa, sa, count)), yi + i * sy, sy, count);
    }
  });
}

/// y[i] = f(a[i], b[i]) with f a function of whole registers.
template <class T, class F>
void map_registers(const LoopNest<3>& nest, int threads, const F& f, T* y, const T* a, const T* b) {
  const std::int64_t sy = nest.step(0);
  const std::int64_t sa = nest.step(1);
  const std::int64_t sb = nest.step(2);
  walk_all(nest, threads, [&](const auto& at, std::int64_t n) {
    T* const yi = y + at[0];
    const T* const ai = a + at[1];
    const T* const bi = b + at[2];
    std::int64_t i = 0;
    if (sy == 1 && sa == 1 && sb == 1) {
      for (; i + lanes<T> <= n; i += lanes<T>) store(yi + i, f(load(ai + i), load(bi + i)));
    }
    for (; i < n; i += lanes<T>) {
      const std::int64_t count = std::min(lanes<T>, n - i);
      scatter(f(gather(ai + i * sa, sa, count), gather(bi + i * sb, sb, count)), yi + i * sy, sy,
              count);
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
