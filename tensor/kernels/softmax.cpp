#include "tensor/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/vector_math.h"
#include "tensor/kernels/wide.h"

namespace lectern::kernels {

// Each slice is passed over a few times while it is in the cache, a register at a time. Where the
// axis is the last one a register holds neighbours of one slice (AlongSlice); otherwise it holds
// the same element of neighbouring slices (AcrossSlices). The passes are the same.
//
// Sums run in double, so that their error does not grow with the extent.

namespace {

template <class T>
constexpr T lowest = -std::numeric_limits<T>::infinity();

/// One slice whose elements are neighbours.
template <class T>
struct AlongSlice {
  std::int64_t extent;

  template <class Body>
  void each(const Body& body) const {
    each_register<T>(extent, body);
  }
  Vector<T> largest(Vector<T> lane_maxima) const { return broadcast(largest_lane<T>(lane_maxima)); }
  template <class Function>
  Vector<T> of_total(const LaneSums<T>& sums, const Function& function) const {
    return broadcast(static_cast<T>(function(sums.total())));
  }
};

/// Up to one register of neighbouring slices, whose elements are `step` apart.
template <class T>
struct AcrossSlices {
  std::int64_t extent, step, count;

  template <class Body>
  void each(const Body& body) const {
    for (std::int64_t k = 0; k < extent; ++k) body(k * step, count);
  }
  Vector<T> largest(Vector<T> lane_maxima) const { return lane_maxima; }
  template <class Function>
  Vector<T> of_total(const LaneSums<T>& sums, const Function& function) const {
    Vector<T> result{};
    for (std::int64_t i = 0; i < lanes<T>; ++i) result[i] = static_cast<T>(function(sums.lane(i)));
    return result;
  }
};

/// Calls body(slices, at) for all slices of the view; `at` is where the first one begins.
template <class T, class Body>
void each_slice(AxisView v, double work_per_element, int threads, const Body& body) {
  const std::int64_t groups = v.inner == 1 ? 1 : (v.inner + lanes<T> - 1) / lanes<T>;
  const double elements =
      static_cast<double>(v.outer) * static_cast<double>(v.extent) * static_cast<double>(v.inner);
  const int team = team_size(elements * work_per_element, threads);
  parallel_for(v.outer * groups, team, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) {
      if (v.inner == 1) {
        body(AlongSlice<T>{v.extent}, index * v.extent);
        continue;
      }
      const std::int64_t o = index / groups, i = index % groups * lanes<T>;
      body(AcrossSlices<T>{v.extent, v.inner, std::min(lanes<T>, v.inner - i)},
           o * v.extent * v.inner + i);
    }
  });
}

// Nanoseconds per element on one core.
template <class T>
constexpr double exponential_work = sizeof(T) == 4 ? 0.5 : 8;
constexpr double product_work = 0.25;

template <class T, class Slices>
Vector<T> slice_maximum(const Slices& slices, const T* x) {
  Vector<T> top = broadcast(lowest<T>);
  slices.each([&](std::int64_t at, std::int64_t count) {
    const Vector<T> value = load(x + at, count, lowest<T>);
    top = value > top ? value : top;
  });
  return slices.largest(top);
}

/// 1 in lanes whose slice holds -inf only, else 0.
template <class T, class Slices>
Vector<T> is_empty(const Slices& slices, const T* x) {
  LaneSums<T> others;
  slices.each([&](std::int64_t at, std::int64_t count) {
    const Vector<T> value = load(x + at, count, lowest<T>);
    others.add(value == broadcast(lowest<T>) ? Vector<T>{} : broadcast(T{1}));
  });
  return slices.of_total(others, [](double count) { return count == 0 ? 1 : 0; });
}

template <class T, class Slices>
void softmax_slices(const Slices& slices, const T* x, T* y, EmptySlice empty) {
  // 1. The largest score. NaN is passed over here and comes back in step 2.
  Vector<T> top = slice_maximum(slices, x);
  if (empty == EmptySlice::zero) {
    const Vector<T> nothing = is_empty(slices, x);
    top = nothing > Vector<T>{} ? Vector<T>{} : top;  // exp(-inf - 0) = 0
  }
  // 2. Exponentials and their sum; lanes beyond the end hold -inf and add 0.
  LaneSums<T> sums;
  slices.each([&](std::int64_t at, std::int64_t count) {
    const Vector<T> e = vexp(load(x + at, count, lowest<T>) - top);
    sums.add(e);
    store(y + at, e, count);
  });
  // 3. Weights.
  const Vector<T> scale = slices.of_total(sums, [empty](double total) {
    return total == 0 && empty == EmptySlice::zero ? 0 : 1 / total;
  });
  slices.each([&](std::int64_t at, std::int64_t count) {
    store(y + at, load(y + at, count, T{0}) * scale, count);
  });
}

template <class T, class Slices>
void softmax_vjp_slices(const Slices& slices, const T* y, const T* g, T* dx) {
  // 1. <g, y>, also the gradient of the denominator.
  LaneSums<T> sums;
  slices.each([&](std::int64_t at, std::int64_t count) {
    sums.add(load(g + at, count, T{0}) * load(y + at, count, T{0}));
  });
  const Vector<T> dot = slices.of_total(sums, [](double total) { return total; });
  // 2. The gradient of the scores.
  slices.each([&](std::int64_t at, std::int64_t count) {
    store(dx + at, load(y + at, count, T{0}) * (load(g + at, count, T{0}) - dot), count);
  });
}

template <class T, class Slices>
void log_softmax_slices(const Slices& slices, const T* x, T* y) {
  // 1. The largest score.
  const Vector<T> top = slice_maximum(slices, x);
  // 2. The logarithm of the denominator.
  LaneSums<T> sums;
  slices.each([&](std::int64_t at, std::int64_t count) {
    sums.add(vexp(load(x + at, count, lowest<T>) - top));
  });
  const Vector<T> log_total = slices.of_total(sums, [](double total) { return std::log(total); });
  // 3. Log-probabilities.
  slices.each([&](std::int64_t at, std::int64_t count) {
    store(y + at, (load(x + at, count, lowest<T>) - top) - log_total, count);
  });
}

template <class T, class Slices>
void log_softmax_vjp_slices(const Slices& slices, const T* y, const T* g, T* dx) {
  // 1. The gradient of the denominator's logarithm.
  LaneSums<T> sums;
  slices.each([&](std::int64_t at, std::int64_t count) { sums.add(load(g + at, count, T{0})); });
  const Vector<T> total = slices.of_total(sums, [](double sum) { return sum; });
  // 2. The gradient of the scores.
  slices.each([&](std::int64_t at, std::int64_t count) {
    const Vector<T> p = vexp(load(y + at, count, lowest<T>));
    store(dx + at, load(g + at, count, T{0}) - p * total, count);
  });
}

}  // namespace

template <std::floating_point T>
void softmax(const T* x, T* y, AxisView view, int threads, EmptySlice empty) {
  each_slice<T>(view, exponential_work<T>, threads, [&](const auto& slices, std::int64_t at) {
    softmax_slices(slices, x + at, y + at, empty);
  });
}

template <std::floating_point T>
void softmax_vjp(const T* y, const T* g, T* dx, AxisView view, int threads) {
  each_slice<T>(view, product_work, threads, [&](const auto& slices, std::int64_t at) {
    softmax_vjp_slices(slices, y + at, g + at, dx + at);
  });
}

template <std::floating_point T>
void log_softmax(const T* x, T* y, AxisView view, int threads) {
  each_slice<T>(view, exponential_work<T>, threads, [&](const auto& slices, std::int64_t at) {
    log_softmax_slices(slices, x + at, y + at);
  });
}

template <std::floating_point T>
void log_softmax_vjp(const T* y, const T* g, T* dx, AxisView view, int threads) {
  each_slice<T>(view, exponential_work<T>, threads, [&](const auto& slices, std::int64_t at) {
    log_softmax_vjp_slices(slices, y + at, g + at, dx + at);
  });
}

template void softmax(const float*, float*, AxisView, int, EmptySlice);
template void softmax(const double*, double*, AxisView, int, EmptySlice);
template void softmax_vjp(const float*, const float*, float*, AxisView, int);
template void softmax_vjp(const double*, const double*, double*, AxisView, int);
template void log_softmax(const float*, float*, AxisView, int);
template void log_softmax(const double*, double*, AxisView, int);
template void log_softmax_vjp(const float*, const float*, float*, AxisView, int);
template void log_softmax_vjp(const double*, const double*, double*, AxisView, int);

}  // namespace lectern::kernels
