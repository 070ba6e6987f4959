#include <cmath>
#include <concepts>
#include <limits>

#include "tensor/kernels/reduce_pass.h"

namespace lectern::kernels {
namespace {

/// Whether x comes before y: NaN first, then by size.
template <class T, bool largest>
bool precedes(T x, T y) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(y)) return false;
    if (std::isnan(x)) return true;
  }
  return largest ? x > y : x < y;
}

/// The value that everything precedes or equals.
template <class T, bool largest>
constexpr T last() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::floating_point<T>) {
    return largest ? -Limits::infinity() : Limits::infinity();
  } else {
    return largest ? Limits::lowest() : Limits::max();
  }
}

template <class T, bool largest>
struct Extreme {
  using Acc = T;
  Acc start() const { return last<T, largest>(); }
  Acc step(Acc a, T x, double, std::int64_t) const { return precedes<T, largest>(x, a) ? x : a; }
  Acc merge(Acc a, Acc b) const { return precedes<T, largest>(b, a) ? b : a; }
  T finish(Acc a, double) const { return a; }
};

template <class T, bool largest>
struct ArgExtreme {
  struct Acc {
    T value;
    std::int64_t at;
  };
  Acc start() const { return {last<T, largest>(), std::numeric_limits<std::int64_t>::max()}; }
  Acc step(Acc a, T x, double, std::int64_t at) const { return merge(a, {x, at}); }
  Acc merge(Acc a, Acc b) const {
    if (precedes<T, largest>(b.value, a.value)) return b;
    if (precedes<T, largest>(a.value, b.value)) return a;
    return b.at < a.at ? b : a;
  }
  std::int64_t finish(Acc a, double) const { return a.at; }
};

template <class T>
struct Any {
  using Acc = bool;
  Acc start() const { return false; }
  Acc step(Acc a, T x, double, std::int64_t) const { return a | (x != T(0)); }
  Acc merge(Acc a, Acc b) const { return a | b; }
  bool finish(Acc a, double) const { return a; }
};

template <class T>
struct All {
  using Acc = bool;
  Acc start() const { return true; }
  Acc step(Acc a, T x, double, std::int64_t) const { return a & (x != T(0)); }
  Acc merge(Acc a, Acc b) const { return a & b; }
  bool finish(Acc a, double) const { return a; }
};

}  // namespace

template <class T>
void max(const ReduceNest& nest, const T* x, T* y, std::byte* scratch, int threads) {
  reduce(Extreme<T, true>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void min(const ReduceNest& nest, const T* x, T* y, std::byte* scratch, int threads) {
  reduce(Extreme<T, false>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void argmax(const ReduceNest& nest, const T* x, std::int64_t* y, std::byte* scratch, int threads) {
  reduce(ArgExtreme<T, true>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void argmin(const ReduceNest& nest, const T* x, std::int64_t* y, std::byte* scratch, int threads) {
  reduce(ArgExtreme<T, false>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void any(const ReduceNest& nest, const T* x, bool* y, std::byte* scratch, int threads) {
  reduce(Any<T>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void all(const ReduceNest& nest, const T* x, bool* y, std::byte* scratch, int threads) {
  reduce(All<T>{}, nest, x, nullptr, y, scratch, threads);
}

template void max(const ReduceNest&, const float*, float*, std::byte*, int);
template void max(const ReduceNest&, const double*, double*, std::byte*, int);
template void max(const ReduceNest&, const std::int64_t*, std::int64_t*, std::byte*, int);
template void min(const ReduceNest&, const float*, float*, std::byte*, int);
template void min(const ReduceNest&, const double*, double*, std::byte*, int);
template void min(const ReduceNest&, const std::int64_t*, std::int64_t*, std::byte*, int);
template void argmax(const ReduceNest&, const float*, std::int64_t*, std::byte*, int);
template void argmax(const ReduceNest&, const double*, std::int64_t*, std::byte*, int);
template void argmax(const ReduceNest&, const std::int64_t*, std::int64_t*, std::byte*, int);
template void argmin(const ReduceNest&, const float*, std::int64_t*, std::byte*, int);
template void argmin(const ReduceNest&, const double*, std::int64_t*, std::byte*, int);
template void argmin(const ReduceNest&, const std::int64_t*, std::int64_t*, std::byte*, int);
template void any(const ReduceNest&, const float*, bool*, std::byte*, int);
template void any(const ReduceNest&, const double*, bool*, std::byte*, int);
template void any(const ReduceNest&, const std::int64_t*, bool*, std::byte*, int);
template void any(const ReduceNest&, const bool*, bool*, std::byte*, int);
template void all(const ReduceNest&, const float*, bool*, std::byte*, int);
template void all(const ReduceNest&, const double*, bool*, std::byte*, int);
template void all(const ReduceNest&, const std::int64_t*, bool*, std::byte*, int);
template void all(const ReduceNest&, const bool*, bool*, std::byte*, int);

}  // namespace lectern::kernels
