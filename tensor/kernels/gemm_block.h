#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gemm_pack.h"
#include "tensor/kernels/gemm_tile.h"
#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

// One block of a matrix product, as gemm.cpp cuts it: packing what it needs, and the loops over its
// tiles.

// In bytes for float: a panel of B is 32 KiB and one of A 12 KiB, which fit the first level; a
// block of A is 192 KiB, a fraction of the second level; a block of B is 2 MiB, a fraction of the
// third. The depth also bounds the chains of roundings. Measured on Zen 5: half or twice of any of
// these changes less than the noise.
inline constexpr std::int64_t depth_block = 256;
inline constexpr std::int64_t row_block = 16 * tile_rows;
inline constexpr std::int64_t column_block = 2048;

// Up to these sizes reading in place was no slower in training steps, where operands come from
// distant caches and packing waits for them.
inline constexpr std::int64_t columns_for_packing_a = 512;
inline constexpr std::int64_t rows_for_packing_b = 2 * tile_rows;

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// One product without its batch, after a possible exchange of roles.
template <class T>
struct Product {
  std::int64_t m, n, k;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  const T* bias;
  std::int64_t bias_row, bias_col;
  bool accumulate, relu, whole_registers;
};

/// The part of B that is multiplied before the next is fetched.
struct Block {
  std::int64_t column, columns;  ///< first column and their number
  std::int64_t depth, depths;    ///< first k and their number
};

template <class T>
bool reads_in_place(const Product<T>& p, std::int64_t panel_columns) {
  return p.m <= rows_for_packing_b && p.b.col_stride == 1 && panel_columns % lanes<T> == 0;
}

template <class T>
bool packs_a(const Product<T>& p) {
  return p.n > columns_for_packing_a && p.a.row_stride != 1;
}

/// Width of a panel of B: the whole registers that its columns fill.
template <class T>
std::int64_t panel_width(std::int64_t columns) {
  return round_up(columns, lanes<T>);
}

/// Packs the block of B into panels, one after the other.
template <class T>
void pack_b(const Product<T>& p, const Block& block, T* to) {
  for (std::int64_t j = 0; j < block.columns; j += tile_columns<T>) {
    const std::int64_t count = std::min(tile_columns<T>, block.columns - j);
    if (reads_in_place(p, count)) continue;
    const T* const from =
        p.b.data + block.depth * p.b.row_stride + (block.column + j) * p.b.col_stride;
    const Strip<T> strip{from, p.b.col_stride, p.b.row_stride, count, block.depths};
    pack_panel(strip, to + j * block.depths, panel_width<T>(count));
  }
}

/// Packs `rows` of A, over the depths of the block, into panels.
template <class T>
void pack_a(const Product<T>& p, const Block& block, Range rows, T* to) {
  for (std::int64_t i = rows.begin; i < rows.end; i += tile_rows) {
    const T* const from = p.a.data + i * p.a.row_stride + block.depth * p.a.col_stride;
    const std::int64_t count = std::min<std::int64_t>(tile_rows, rows.end - i);
    const Strip<T> strip{from, p.a.row_stride, p.a.col_stride, count, block.depths};
    pack_panel(strip, to + (i - rows.begin) * block.depths, tile_rows);
  }
}

/// What the tile at (i, j) needs, j counted from the block's first column; its panel of B may be
/// packed.
template <class T>
Tile<T> tile_at(const Product<T>& p, const Block& block, std::int64_t i, std::int64_t j,
                const T* b_panel) {
  const std::int64_t column = block.column + j;
  const std::int64_t columns = std::min(tile_columns<T>, block.columns - j);
  const bool in_place = reads_in_place(p, columns);
  const bool first = block.depth == 0, last = block.depth + block.depths == p.k;
  return {
      .k = block.depths,
      .a = p.a.data + i * p.a.row_stride + block.depth * p.a.col_stride,
      .a_row = p.a.row_stride,
      .a_col = p.a.col_stride,
      .b = in_place ? p.b.data + block.depth * p.b.row_stride + column : b_panel,
      .b_row = in_place ? p.b.row_stride : panel_width<T>(columns),
      .c = p.c.data + i * p.c.row_stride + column * p.c.col_stride,
      .c_row = p.c.row_stride,
      .c_col = p.c.col_stride,
      .columns = p.whole_registers ? panel_width<T>(columns) : columns,
      .bias = first && p.bias != nullptr ? p.bias + i * p.bias_row + column * p.bias_col : nullptr,
      .bias_row = p.bias_row,
      .bias_col = p.bias_col,
      .accumulate = p.accumulate || !first,
      .relu = p.relu && last,
  };
}

template <class T>
void compute(const Tile<T>& tile, std::int64_t rows) {
  const int count = static_cast<int>(rows);
  if (tile.columns <= lanes<T>) return tile_function<T, 1>(count)(tile);
  if (rows == tile_rows && tile.a_row == 1) {
    return compute_tile<T, tile_rows, 2, 1>(tile);
  }
  tile_function<T, 2>(count)(tile);
}

/// Multiplies some rows of A by the block.
template <class T>
void multiply_block(const Product<T>& p, const Block& block, Range rows, T* a_panels,
                    const T* b_panels) {
  for (std::int64_t top = rows.begin; top < rows.end; top += row_block) {
    const Range these{top, std::min(rows.end, top + row_block)};
    if (packs_a(p)) pack_a(p, block, these, a_panels);
    for (std::int64_t j = 0; j < block.columns; j += tile_columns<T>) {
      for (std::int64_t i = these.begin; i < these.end; i += tile_rows) {
        Tile<T> tile = tile_at(p, block, i, j, b_panels + j * block.depths);
        if (packs_a(p)) {
          tile.a = a_panels + (i - top) * block.depths;
          tile.a_row = 1;
          tile.a_col = tile_rows;
        }
        compute(tile, std::min<std::int64_t>(tile_rows, these.end - i));
      }
    }
  }
}

}  // namespace lectern::kernels
