#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// Sums in double. A float sum of n terms may be off by n roundings, a double sum of floats is
// exact to float for any n met in practice; and the conversion is cheap next to reading memory.

/// Registers of double that hold the lanes of one register of T, in order.
template <class T>
inline constexpr std::size_t wide_parts = sizeof(double) / sizeof(T);
template <class T>
using Wide = std::array<Vector<double>, wide_parts<T>>;

/// As many lanes of double as a register holds floats; GCC converts to and from it in one step.
using DoubleLanes [[gnu::vector_size(2 * vector_bytes)]] = double;

/// The lanes of v as double.
inline Wide<double> widen(Vector<double> v) { return {v}; }
inline Wide<float> widen(Vector<float> v) {
  return std::bit_cast<Wide<float>>(__builtin_convertvector(v, DoubleLanes));
}

/// The lanes rounded to T.
inline Vector<double> narrow(const Wide<double>& w) { return w[0]; }
inline Vector<float> narrow(const Wide<float>& w) {
  DoubleLanes all;
  std::memcpy(&all, &w, sizeof all);
  return __builtin_convertvector(all, Vector<float>);
}

/// Reads the first `count` lanes from memory as double; the others are 0.
template <class T>
inline Wide<T> load_wide(const T* from, std::int64_t count) {
  return widen(load(from, count, T{0}));
}

/// Applies `function` to each register of the operands.
template <class T, class Function, class... Operands>
inline Wide<T> each_part(const Function& function, const Operands&... operands) {
  Wide<T> result;
  for (std::size_t part = 0; part < wide_parts<T>; ++part) {
    result[part] = function(operands[part]...);
  }
  return result;
}

/// Sets the lanes from `count` on to 0.
template <class T>
inline Wide<T> first_lanes(Wide<T> w, std::int64_t count) {
  for (std::size_t part = 0; part < wide_parts<T>; ++part) {
    const std::int64_t before = static_cast<std::int64_t>(part) * lanes<double>;
    w[part] = first_lanes<double>(w[part], count - before, 0.0);
  }
  return w;
}

/// A running sum per lane, in double.
template <class T>
class LaneSums {
 public:
  void add(Vector<T> v) {
    const Wide<T> wide = widen(v);
    for (std::size_t part = 0; part < wide_parts<T>; ++part) sums_[part] += wide[part];
  }
  void add(const Wide<T>& v) {
    for (std::size_t part = 0; part < wide_parts<T>; ++part) sums_[part] += v[part];
  }

  /// The sum of one lane.
  double lane(std::int64_t i) const {
    return sums_[static_cast<std::size_t>(i / lanes<double>)][i % lanes<double>];
  }

  /// The sum of all lanes, in a fixed order.
  double total() const {
    Vector<double> sum = sums_[0];
    for (std::size_t part = 1; part < wide_parts<T>; ++part) sum += sums_[part];
    return reduce_lanes<double>(sum, [](auto a, auto b) { return a + b; });
  }

 private:
  Wide<T> sums_ = {};
};

/// Calls body(at, count) for the registers of a row of n elements: count = lanes<T>, fewer at last.
template <class T, class Body>
inline void each_register(std::int64_t n, const Body& body) {
  std::int64_t at = 0;
  for (; at + lanes<T> <= n; at += lanes<T>) body(at, lanes<T>);
  if (at < n) body(at, n - at);
}

}  // namespace lectern::kernels
