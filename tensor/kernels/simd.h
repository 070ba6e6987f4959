#pragma once

#include <cstdint>
#include <cstring>

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

/// Copies count < lanes<T> elements in pieces whose size is known when compiling.
template <std::int64_t Piece = 0, class T>
inline void copy_elements(T* to, const T* from, std::int64_t count) {
  if constexpr (Piece == 0) {
    copy_elements<lanes<T> / 2>(to, from, count);
  } else {
    const bool has_piece = (count & Piece) != 0;
    if (has_piece) std::memcpy(to, from, Piece * sizeof(T));
    if constexpr (Piece > 1) {
      const std::int64_t done = has_piece ? Piece : 0;
      copy_elements<Piece / 2>(to + done, from + done, count);
    }
  }
}

/// Reads the first `count` <= lanes<T> lanes from memory; the others are `rest`.
template <class T>
inline Vector<T> load(const T* from, std::int64_t count, T rest) {
  if (count == lanes<T>) return load(from);
  T lane[lanes<T>];
  for (T& value : lane) value = rest;
  copy_elements(lane, from, count);
  return load(lane);
}

/// Writes a register to any address.
template <class T>
inline void store(T* to, Vector<T> v) {
  std::memcpy(to, &v, sizeof v);
}

/// Writes the first `count` <= lanes<T> lanes.
template <class T>
inline void store(T* to, Vector<T> v, std::int64_t count) {
  if (count == lanes<T>) return store(to, v);
  T lane[lanes<T>];
  store(lane, v);
  copy_elements(to, lane, count);
}

/// A register with `value` in every lane.
template <class T>
inline Vector<T> broadcast(T value) {
  return value - Vector<T>{};
}

}  // namespace lectern::kernels
