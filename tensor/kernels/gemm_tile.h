#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// The innermost piece of the matrix product: a tile of C that stays in registers while k runs.
//
//                       b: tile_columns wide
//                      ┌────────────────────┐
//                    p │ load 2 registers   │      per step p and row i:
//                      └────────────────────┘        sum[i] += a(i, p) * b(p, :)
//        a      p
//      ┌────────┐      ┌────────────────────┐
//  i   │ 1 value│      │ sum: tile_rows × 2 │
//      └────────┘      └────────────────────┘
//
// A fused multiply-add takes 4 cycles and two start in each, so at least 8 independent sums are
// needed; 12 × 2 of the 32 registers of AVX-512 (or 6 × 2 of 16) leave room for b and the value of
// a, and each step loads 14 values for 24 multiply-adds.

inline constexpr int tile_rows = vector_registers == 32 ? 12 : 6;
template <class T>
inline constexpr std::int64_t tile_columns = 2 * lanes<T>;

/// What one tile needs: C(0:rows, 0:columns) (+)= sum over p < k of a(:, p) b(p, :), + bias.
template <class T>
struct Tile {
  std::int64_t k;
  const T* a;  ///< a(i, p) = a[i * a_row + p * a_col]
  std::int64_t a_row, a_col;
  const T* b;  ///< b(p, j) = b[p * b_row + j]; whole registers are read
  std::int64_t b_row;
  T* c;
  std::int64_t c_row, c_col;
  std::int64_t columns;  ///< columns of C that exist; the registers hold at least as many
  const T* bias;         ///< null, or bias(i, j) = bias[i * bias_row + j * bias_col]
  std::int64_t bias_row, bias_col;
  bool accumulate;
};

/// Adds bias and old C to the sums and writes them, c = (sum + bias) + c, for tiles that end within
/// a register or whose columns are not dense in C.
template <class T, int Rows, int Registers>
void finish_edge(const Tile<T>& t, const Vector<T> (&sum)[Rows][Registers]) {
  const bool dense = t.c_col == 1 && (t.bias == nullptr || t.bias_col == 1);
  for (int i = 0; i < Rows; ++i) {
    for (int v = 0; v < Registers; ++v) {
      const std::int64_t first = v * lanes<T>;
      const std::int64_t count = std::min(lanes<T>, t.columns - first);
      const T* const bias =
          t.bias == nullptr ? nullptr : t.bias + i * t.bias_row + first * t.bias_col;
      T* const c = t.c + i * t.c_row + first * t.c_col;
      if (dense) {
        Vector<T> value = sum[i][v];
        if (bias != nullptr) value += load(bias, count, T{0});
        if (t.accumulate) value += load(c, count, T{0});
        store(c, value, count);
        continue;
      }
      T lane[lanes<T>];
      store(lane, sum[i][v]);
      for (std::int64_t j = 0; j < count; ++j) {
        const T value = bias != nullptr ? lane[j] + bias[j * t.bias_col] : lane[j];
        c[j * t.c_col] = t.accumulate ? value + c[j * t.c_col] : value;
      }
    }
  }
}

/// The same for whole, dense registers, straight from where the sums are.
template <class T, int Rows, int Registers>
[[gnu::always_inline]] inline void finish_tile(const Tile<T>& t,
                                               const Vector<T> (&sum)[Rows][Registers]) {
  const bool dense = t.c_col == 1 && (t.bias == nullptr || t.bias_col == 1);
  if (!dense || t.columns != Registers * lanes<T>) return finish_edge(t, sum);
  for (int i = 0; i < Rows; ++i) {
    for (int v = 0; v < Registers; ++v) {
      T* const c = t.c + i * t.c_row + v * lanes<T>;
      Vector<T> value = sum[i][v];
      if (t.bias != nullptr) value += load(t.bias + i * t.bias_row + v * lanes<T>);
      store(c, t.accumulate ? value + load(c) : value);
    }
  }
}

/// Computes a tile of `Rows` rows. `RowStep` is a_row where it is known when compiling, or 0.
template <class T, int Rows, int Registers, std::int64_t RowStep>
void compute_tile(const Tile<T>& t) {
  Vector<T> sum[Rows][Registers] = {};
  const std::int64_t a_row = RowStep != 0 ? RowStep : t.a_row;
  const T* a = t.a;
  const T* b = t.b;
  for (std::int64_t p = 0; p < t.k; ++p, a += t.a_col, b += t.b_row) {
    Vector<T> b_row[Registers];
    for (int v = 0; v < Registers; ++v) b_row[v] = load(b + v * lanes<T>);
    for (int i = 0; i < Rows; ++i) {
      const Vector<T> a_value = broadcast(a[i * a_row]);
      for (int v = 0; v < Registers; ++v) sum[i][v] += a_value * b_row[v];
    }
  }
  finish_tile(t, sum);
}

template <class T>
using TileFunction = void (*)(const Tile<T>&);

/// The function for a tile of 1..tile_rows rows and `Registers` registers per row.
template <class T, int Registers>
TileFunction<T> tile_function(int rows) {
  constexpr auto of_rows = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<TileFunction<T>, tile_rows>{&compute_tile<T, I + 1, Registers, 0>...};
  }(std::make_integer_sequence<int, tile_rows>());
  return of_rows[static_cast<std::size_t>(rows - 1)];
}

}  // namespace lectern::kernels
