#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/gemm.h"
#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// What forward and backward of attention share: the tiles into which queries and keys are cut, the
// scores of a tile, and which of them the mask hides.

/// Queries and keys of a tile: its scores, 16 KiB in float, stay in the first-level cache.
inline constexpr std::int64_t attention_tile = 64;

/// What a hidden score is: its exponential is exactly 0.
template <class T>
inline constexpr T hidden_score = -std::numeric_limits<T>::infinity();

/// One head of one sample.
struct Head {
  std::int64_t sample, head;

  Head(const Attention& a, std::int64_t index) : sample(index / a.heads), head(index % a.heads) {}

  /// Where the head begins in a view, as a matrix [T, D]; nowhere if the view has no elements and
  /// no address.
  template <class T>
  MatrixView<T> of(HeadsView<T> view) const {
    if (view.data == nullptr) return {nullptr, 0, 1};
    return {view.data + sample * view.batch_stride + head * view.head_stride, view.time_stride, 1};
  }
};

/// Half-open ranges of queries and keys.
struct ScoreTile {
  std::int64_t query, queries;  ///< first and number
  std::int64_t key, keys;
};

/// Rows of a matrix from `row` on.
template <class T>
MatrixView<T> rows_from(MatrixView<T> matrix, std::int64_t row) {
  return {matrix.data + row * matrix.row_stride, matrix.row_stride, matrix.col_stride};
}

template <class T>
MatrixView<const T> transposed(MatrixView<const T> matrix) {
  return {matrix.data, matrix.col_stride, matrix.row_stride};
}

template <class T>
MatrixView<const T> read_only(MatrixView<T> matrix) {
  return {matrix.data, matrix.row_stride, matrix.col_stride};
}

/// Keys j < end(i) that query i may see, the dense part of the mask aside.
inline std::int64_t visible_end(const Attention& a, const Head& head, std::int64_t query) {
  std::int64_t end = a.keys;
  if (a.mask.causal) end = std::min(end, query + a.keys - a.queries + 1);
  if (a.mask.key_lengths != nullptr) end = std::min(end, a.mask.key_lengths[head.sample]);
  return std::max<std::int64_t>(end, 0);
}

/// Scales row i of a tile (counted from its first query) and hides what the mask hides, and all
/// that lies beyond the last key. Returns whether any key is left.
template <class T>
bool scale_and_hide(const Attention& a, const Head& head, const ScoreTile& tile, std::int64_t i,
                    T* row) {
  const std::int64_t query = tile.query + i;
  const std::int64_t end =
      std::clamp<std::int64_t>(visible_end(a, head, query) - tile.key, 0, tile.keys);
  for (std::int64_t j = 0; j < tile.keys; j += lanes<T>) {
    const Vector<T> score = load(row + j) * static_cast<T>(a.scale);
    store(row + j, first_lanes<T>(score, end - j, hidden_score<T>));
  }
  if (a.mask.keep == nullptr) return end > 0;
  const std::int64_t* const stride = a.mask.keep_strides;
  const bool* const keep = a.mask.keep + head.sample * stride[0] + head.head * stride[1] +
                           query * stride[2] + tile.key * stride[3];
  bool any = false;
  for (std::int64_t j = 0; j < end; ++j) {
    const bool kept = keep[j * stride[3]];
    row[j] = kept ? row[j] : hidden_score<T>;
    any |= kept;
  }
  return any;
}

/// Calls body(tile) for the tiles of keys that any query of query..query+queries-1 may see.
template <class Body>
void each_key_tile(const Attention& a, const Head& head, std::int64_t query, std::int64_t queries,
                   const Body& body) {
  const std::int64_t end = visible_end(a, head, query + queries - 1);
  for (std::int64_t key = 0; key < end; key += attention_tile) {
    body(ScoreTile{query, queries, key, std::min(attention_tile, end - key)});
  }
}

/// Nanoseconds the forward pass takes on one core, roughly: products and exponentials.
template <class T>
double attention_work(const Attention& a) {
  const double scores = static_cast<double>(a.batch * a.heads) * static_cast<double>(a.queries) *
                        static_cast<double>(a.keys);
  constexpr double exponential = sizeof(T) == 4 ? 0.5 : 8;
  return scores * (exponential + 0.025 * static_cast<double>(a.width + a.value_width));
}

/// One thread's scratch: tiles of scores and of their gradients, and the products' panels.
template <class T>
struct AttentionScratch {
  MatrixView<T> scores, gradients;
  T* factors;  ///< of dropout
  std::byte* products;

  static constexpr std::int64_t tile_size = attention_tile * attention_tile;

  AttentionScratch(std::byte* from, std::int64_t bytes_per_thread, int rank)
      : scores{reinterpret_cast<T*>(from + rank * bytes_per_thread), attention_tile, 1},
        gradients{scores.data + tile_size, attention_tile, 1},
        factors(gradients.data + tile_size),
        products(reinterpret_cast<std::byte*>(factors + tile_size)) {}
};

/// Writes the dropout mask of a tile, dense [queries, keys]. Rows that are whole rows of the mask
/// follow each other in it, so a short sentence's tile is one draw.
template <class T>
void draw_dropout(const Attention& a, const Head& head, const ScoreTile& tile, T* factors) {
  const std::int64_t row = (head.sample * a.heads + head.head) * a.queries + tile.query;
  if (tile.keys == a.keys) {
    dropout_factors(a.dropout, row * a.keys, tile.queries * tile.keys, factors);
  } else {
    for (std::int64_t i = 0; i < tile.queries; ++i) {
      dropout_factors(a.dropout, (row + i) * a.keys + tile.key, tile.keys, factors + i * tile.keys);
    }
  }
}

/// Bytes of one thread's scratch.
template <class T>
std::int64_t attention_thread_bytes(const Attention& a) {
  const auto product = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return gemm_scratch_bytes(Gemm<T>{.m = m, .n = n, .k = k, .a = {}, .b = {}, .c = {}}, 1);
  };
  constexpr std::int64_t tile = attention_tile;
  const std::int64_t products =
      std::max({product(tile, tile, a.width), product(tile, tile, a.value_width),
                product(tile, a.width, tile), product(tile, a.value_width, tile)});
  const std::int64_t tiles = 3 * AttentionScratch<T>::tile_size;
  return tiles * static_cast<std::int64_t>(sizeof(T)) + (products + 63) / 64 * 64;
}

}  // namespace lectern::kernels
