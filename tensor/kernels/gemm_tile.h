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

/// What one tile needs: C(0:rows, 0:columns) (+)= sum over p < k of a(:, p) b(p, :), + bias; then
/// relu.
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
  bool relu;
};

/// max(x, 0), and NaN for NaN.
template <class T>
inline Vector<T> relu(Vector<T> x) {
  return x <= T{0} ? Vector<T>{} : x;
}

/// Writes register v of row i, c = relu((sum + bias) + c), where it may reach past the columns of C
/// or these are not dense.
template <class T>
[[gnu::noinline]] void finish_edge(const Tile<T>& t, Vector<T> sum, int i, int v) {
  const std::int64_t first = v * lanes<T>;
  const std::int64_t count = std::min(lanes<T>, t.columns - first);
  const T* const bias = t.bias == nullptr ? nullptr : t.bias + i * t.bias_row + first * t.bias_col;
  T* const c = t.c + i * t.c_row + first * t.c_col;
  if (t.c_col == 1 && (bias == nullptr || t.bias_col == 1)) {
    if (bias != nullptr) sum += load(bias, count, T{0});
    if (t.accumulate) sum += load(c, count, T{0});
    return store(c, t.relu ? relu<T>(sum) : sum, count);
  }
  T lane[lanes<T>];
  store(lane, sum);
  for (std::int64_t j = 0; j < count; ++j) {
    T value = bias != nullptr ? lane[j] + bias[j * t.bias_col] : lane[j];
    if (t.accumulate) value += c[j * t.c_col];
    c[j * t.c_col] = t.relu && value <= 0 ? T{0} : value;
  }
}

/// Calls body(i, v) for each register v of each row i, without a loop: an array whose places are
/// known when compiling stays in registers. (GCC unrolls too late for that if it isn't told to, and
/// then clears and copies the sums in memory.)
template <int Rows, int Registers, class Body>
[[gnu::always_inline]] inline void each_register(const Body& body) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 16
    for (int v = 0; v < Registers; ++v) body(i, v);
  }
}

/// Computes a tile of `Rows` rows. `RowStep` is a_row where it is known when compiling, or 0.
template <class T, int Rows, int Registers, std::int64_t RowStep>
void compute_tile(const Tile<T>& t) {
  const auto each = [](const auto& body) { each_register<Rows, Registers>(body); };
  const auto c = [&t](int i, int v) { return t.c + i * t.c_row + v * lanes<T>; };
  each([&](int i, int v) { __builtin_prefetch(c(i, v), 1); });  // it arrives while k runs
  Vector<T> sum[Rows][Registers] = {};
  const std::int64_t a_row = RowStep != 0 ? RowStep : t.a_row;
  constexpr int group = 4;  // rows per pointer: x86 has no registers for twelve pointers or offsets
  const T* a[(Rows + group - 1) / group];
  for (int i = 0; i < Rows; i += group) a[i / group] = t.a + i * a_row;
  const T* b = t.b;
  for (std::int64_t p = 0; p < t.k; ++p, b += t.b_row) {
    Vector<T> b_row[Registers];
    for (int v = 0; v < Registers; ++v) b_row[v] = load(b + v * lanes<T>);
    each([&](int i, int v) { sum[i][v] += broadcast(a[i / group][i % group * a_row]) * b_row[v]; });
#pragma GCC unroll 16
    for (int i = 0; i < Rows; i += group) a[i / group] += t.a_col;
  }
  const bool is_dense = t.c_col == 1 && (t.bias == nullptr || t.bias_col == 1);
  if (!is_dense || t.columns != Registers * lanes<T>) {
    return each([&](int i, int v) { finish_edge<T>(t, sum[i][v], i, v); });
  }
  if (t.bias != nullptr) {
    each([&](int i, int v) { sum[i][v] += load(t.bias + i * t.bias_row + v * lanes<T>); });
  }
  if (t.accumulate) {
    each([&](int i, int v) { sum[i][v] += load(c(i, v)); });
  }
  if (t.relu) {
    each([&](int i, int v) { sum[i][v] = relu<T>(sum[i][v]); });
  }
  each([&](int i, int v) { store(c(i, v), sum[i][v]); });
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
