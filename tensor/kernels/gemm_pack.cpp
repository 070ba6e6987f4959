#include "tensor/kernels/gemm_pack.h"

#include <algorithm>
#include <utility>

#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// Packing touches every element of A and B once per block, while the product uses it hundreds of
// times; but in small products it counts. Two of the possible layouts are worth vector code: strips
// whose steps across are dense are copied row by row, strips dense along k are transposed in
// registers, one square of lanes × lanes elements after the other.

namespace {

template <class T>
constexpr auto square = static_cast<std::size_t>(lanes<T>);

/// a0 b0 a1 b1 … of the lower (Half = 0) or upper (1) halves of two registers.
template <int Half, class V, std::size_t... I>
V interleave(V a, V b, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  return __builtin_shufflevector(a, b, (Half * n / 2 + I / 2 + I % 2 * n)...);
}

/// Transposes a square: interleaving rows i and i + n/2, log2(n) times, moves the bits of the row
/// number from the row index into the lane index one by one.
template <class T>
void transpose(Vector<T> (&rows)[square<T>]) {
  constexpr std::size_t n = square<T>;
  constexpr auto all = std::make_index_sequence<n>();
  for (std::size_t stage = 1; stage < n; stage *= 2) {
    Vector<T> next[n];
    for (std::size_t i = 0; i < n / 2; ++i) {
      next[2 * i] = interleave<0>(rows[i], rows[i + n / 2], all);
      next[2 * i + 1] = interleave<1>(rows[i], rows[i + n / 2], all);
    }
    for (std::size_t i = 0; i < n; ++i) rows[i] = next[i];
  }
}

// Rows of a strip often lie pages apart, where no hardware prefetcher follows, so both ask ahead:
// copying for a row some steps later; transposing, which takes all of k for some rows before it
// comes to the next, for the same place of the next strip. They write whole registers; the last one
// of a row may reach into the next row of the panel, so that one is always written later.

/// Transposes the square that begins at row `first` and step `p`; missing rows are zeros.
template <class T, bool IsWhole>
void pack_square(const Strip<T>& strip, std::int64_t p, std::int64_t first, T* to,
                 std::int64_t width) {
  const std::int64_t ahead = strip.count * strip.across;
  const std::int64_t depths = IsWhole ? lanes<T> : strip.k - p;
  const std::int64_t count = strip.count - first;
  Vector<T> rows[square<T>];
  for (std::int64_t i = 0; i < lanes<T>; ++i) {
    rows[i] = Vector<T>{};
    if (i >= count) continue;
    const T* const from = strip.data + (first + i) * strip.across + p;
    if (IsWhole) __builtin_prefetch(from + ahead);
    rows[i] = IsWhole ? load(from) : load(from, depths, T{0});
  }
  transpose<T>(rows);
  for (std::int64_t q = 0; q < depths; ++q) store(to + (p + q) * width + first, rows[q]);
}

/// Steps along k are dense.
template <class T>
void pack_transposed(const Strip<T>& strip, T* to, std::int64_t width) {
  const std::int64_t last = (width - 1) / lanes<T> * lanes<T>;
  for (std::int64_t first = last; first >= 0; first -= lanes<T>) {
    for (std::int64_t p = 0; p < strip.k; p += lanes<T>) {
      const bool is_whole = strip.k - p >= lanes<T>;
      (is_whole ? pack_square<T, true> : pack_square<T, false>)(strip, p, first, to, width);
    }
  }
}

/// Steps across are dense.
template <class T>
void pack_copied(const Strip<T>& strip, T* to, std::int64_t width) {
  constexpr std::int64_t ahead = 32;
  for (std::int64_t p = 0; p < strip.k; ++p) {
    const T* const from = strip.data + p * strip.along;
    T* const row = to + p * width;
    std::int64_t i = 0;
    for (; i + lanes<T> <= strip.count; i += lanes<T>) {
      __builtin_prefetch(from + ahead * strip.along + i);
      store(row + i, load(from + i));
    }
    for (; i < width; i += lanes<T>) {
      store(row + i, load(from + i, std::max<std::int64_t>(strip.count - i, 0), T{0}));
    }
  }
}

/// Any steps.
template <class T>
void pack_gathered(const Strip<T>& strip, T* to, std::int64_t width) {
  for (std::int64_t p = 0; p < strip.k; ++p) {
    for (std::int64_t i = 0; i < strip.count; ++i) {
      to[p * width + i] = strip.data[p * strip.along + i * strip.across];
    }
    std::fill(to + p * width + strip.count, to + (p + 1) * width, T{0});
  }
}

}  // namespace

template <class T>
void pack_panel(const Strip<T>& strip, T* to, std::int64_t width) {
  if (strip.along == 1) return pack_transposed(strip, to, width);
  if (strip.across == 1) return pack_copied(strip, to, width);
  pack_gathered(strip, to, width);
}

template void pack_panel(const Strip<float>&, float*, std::int64_t);
template void pack_panel(const Strip<double>&, double*, std::int64_t);

}  // namespace lectern::kernels
