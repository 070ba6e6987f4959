#pragma once

#include <concepts>
#include <cstdint>

namespace lectern::kernels {

/// A dense array seen as [outer, extent, inner]; (o, k, i) is at (o * extent + k) * inner + i.
struct AxisView {
  std::int64_t outer, extent, inner;
};

/// What softmax makes of a slice that holds nothing but -inf.
enum class EmptySlice {
  nan,   ///< 0 / 0, as the formula says
  zero,  ///< zeros: a query that may see no key takes nothing from any
};

/// y_k = exp(x_k - max x) / sum_j exp(x_j - max x) along `extent`; x and y may be the same array.
///
/// -inf gives exactly 0; a slice with +inf or NaN gives NaN.
template <std::floating_point T>
void softmax(const T* x, T* y, AxisView view, int threads, EmptySlice empty = EmptySlice::nan);

/// dx_k = y_k (g_k - sum_j g_j y_j): softmax needs its output, not its input. dx may be g or y.
template <std::floating_point T>
void softmax_vjp(const T* y, const T* g, T* dx, AxisView view, int threads);

/// y_k = x_k - max x - log sum_j exp(x_j - max x) along `extent`; x and y may be the same array.
template <std::floating_point T>
void log_softmax(const T* x, T* y, AxisView view, int threads);

/// dx_k = g_k - exp(y_k) sum_j g_j, from the output y. dx may be g or y.
template <std::floating_point T>
void log_softmax_vjp(const T* y, const T* g, T* dx, AxisView view, int threads);

}  // namespace lectern::kernels
