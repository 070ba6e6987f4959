#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>
#include <utility>

namespace lectern::kernels {

// Vectors as wide as the registers of the processor the file is compiled for, in the vector
// extensions of GCC and Clang: operators work lane by lane, x[i] is a lane. On x86 only the
// compiler's flags (-march) decide; without them this is SSE2, on AArch64 it is NEON.

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int vector_registers = 32;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
inline constexpr int vector_registers = 16;
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16;
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_bytes = 16;
inline constexpr int vector_registers = 16;
#endif

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type [[gnu::vector_size(vector_bytes)]] = float;
};
template <>
struct VectorOf<double> {
  using type [[gnu::vector_size(vector_bytes)]] = double;
};
template <>
struct VectorOf<std::int32_t> {
  using type [[gnu::vector_size(vector_bytes)]] = std::int32_t;
};

/// One register of elements of T.
template <class T>
using Vector = typename VectorOf<T>::type;

/// Elements of T in one register.
template <class T>
inline constexpr std::int64_t lanes = vector_bytes / static_cast<std::int64_t>(sizeof(T));

/// Reads a register from any address.
template <class T>
inline Vector<T> load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// Writes a register to any address.
template <class T>
inline void store(T* to, Vector<T> v) {
  std::memcpy(to, &v, sizeof v);
}

/// Before some elements of an output are written: asks for those 2 KiB further on. What another
/// core has written last takes hundreds of cycles to come, and stores wait for it one after the
/// other.
template <class T>
inline void fetch_for_writing(const T* to, std::int64_t count) {
  constexpr std::int64_t line = 64 / sizeof(T), ahead = 2048 / sizeof(T);
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(to + ahead + i, 1);
}

/// A register with `value` in every lane.
template <class T>
inline Vector<T> broadcast(T value) {
  return value - Vector<T>{};
}

template <class T, std::size_t... I>
inline Vector<T> number_lanes(std::index_sequence<I...>) {
  return Vector<T>{static_cast<T>(I)...};
}

/// v with `rest` in the lanes from `count` on (any count: all or none are kept beyond the ends).
template <class T>
inline Vector<T> first_lanes(Vector<T> v, std::int64_t count, T rest) {
  const auto lane = number_lanes<T>(std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>());
  return lane < broadcast(static_cast<T>(count)) ? v : broadcast(rest);
}

// Reading and writing part of a register is the one thing that vector extensions do not express;
// x86 has instructions for it, and going through memory instead costs more than a short row.

#if defined(__AVX512F__)

inline Vector<float> load(const float* from, std::int64_t count, float rest) {
  return _mm512_mask_loadu_ps(broadcast(rest), static_cast<__mmask16>((1U << count) - 1), from);
}
inline Vector<double> load(const double* from, std::int64_t count, double rest) {
  return _mm512_mask_loadu_pd(broadcast(rest), static_cast<__mmask8>((1U << count) - 1), from);
}
inline void store(float* to, Vector<float> v, std::int64_t count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), v);
}
inline void store(double* to, Vector<double> v, std::int64_t count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1), v);
}

#else

/// Copies count < lanes<T> elements in pieces whose size is known when compiling.
template <std::int64_t Piece, class T>
inline void copy_elements(T* to, const T* from, std::int64_t count) {
  const bool has_piece = (count & Piece) != 0;
  if (has_piece) std::memcpy(to, from, Piece * sizeof(T));
  if constexpr (Piece > 1) {
    const std::int64_t done = has_piece ? Piece : 0;
    copy_elements<Piece / 2>(to + done, from + done, count);
  }
}

/// Reads the first `count` <= lanes<T> lanes from memory; the others are `rest`.
template <class T>
inline Vector<T> load(const T* from, std::int64_t count, T rest) {
  if (count == lanes<T>) return load(from);
  T lane[lanes<T>];
  for (T& value : lane) value = rest;
  copy_elements<lanes<T> / 2>(lane, from, count);
  return load(lane);
}

/// Writes the first `count` <= lanes<T> lanes.
template <class T>
inline void store(T* to, Vector<T> v, std::int64_t count) {
  if (count == lanes<T>) return store(to, v);
  T lane[lanes<T>];
  store(lane, v);
  copy_elements<lanes<T> / 2>(to, lane, count);
}

#endif

/// Lane i of the result is lane (i + Step) mod n.
template <std::size_t Step, class V, std::size_t... I>
inline V rotate_lanes(V v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, ((I + Step) % sizeof...(I))...);
}

/// Joins all lanes by `join`, an associative and commutative operation on registers: neighbours at
/// half the width first, so the order is fixed.
template <class T, class Join, std::size_t Step = static_cast<std::size_t>(lanes<T>) / 2>
inline T reduce_lanes(Vector<T> v, const Join& join) {
  if constexpr (Step == 0) {
    return v[0];
  } else {
    constexpr auto all = std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>();
    return reduce_lanes<T, Join, Step / 2>(join(v, rotate_lanes<Step>(v, all)), join);
  }
}

/// The largest lane; NaN is passed over where another lane is none.
template <class T>
inline T largest_lane(Vector<T> v) {
  return reduce_lanes<T>(v, [](Vector<T> a, Vector<T> b) { return a > b ? a : b; });
}

}  // namespace lectern::kernels
