#include <cmath>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/attention_tile.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/vector_math.h"
#include "tensor/kernels/wide.h"

namespace lectern::kernels {

// The weights are made again, tile by tile, from the scores and the saved log_sum_exp L; nothing of
// size [Tq, Tk] is kept. With F the factors of dropout (1 without):
//
//   1. scores S = Q Kᵀ of a tile
//   2. weights W = exp(scale S - L), 0 where hidden; since out_i = sum_j W_ij F_ij v_j,
//      dW = (G Vᵀ) F, dS = scale W (dW - <g_i, out_i>)
//   3. dV += (W F)ᵀ G, dQ += dS K, dK += dSᵀ Q
//
// A head is one thread's, and its tiles are added in a fixed order.

namespace {

/// Matrices [T, D] of one head.
template <class T>
struct HeadMatrices {
  MatrixView<const T> q, k, v, out, g;
  MatrixView<T> dq, dk, dv;
  const double* log_sum_exp;
};

template <class T>
void clear(MatrixView<T> matrix, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    std::fill_n(matrix.data + i * matrix.row_stride, columns, T{0});
  }
}

/// <g_i, out_i>: the sum over keys of weight times its gradient.
template <class T>
double weight_dot(const T* g, const T* out, std::int64_t width) {
  LaneSums<T> sums;
  each_register<T>(width, [&](std::int64_t at, std::int64_t count) {
    sums.add(load(g + at, count, T{0}) * load(out + at, count, T{0}));
  });
  return sums.total();
}

/// What step 2 knows of a row.
template <class T>
struct Row {
  double log_sum_exp;  ///< -inf for a query that sees no key
  T dot;               ///< <g_i, out_i>
  const T* factors;    ///< of dropout, or null
};

/// A row of scores becomes W F, the row of G Vᵀ becomes dS. Registers are read and written whole;
/// what lies beyond the last key is never used.
template <class T>
void weigh_row(const Row<T>& row, T scale, std::int64_t keys, T* w, T* ds) {
  if (row.log_sum_exp == -std::numeric_limits<double>::infinity()) {
    std::fill_n(w, keys, T{0});
    std::fill_n(ds, keys, T{0});
    return;
  }
  // In two parts: score - first is nearly exact.
  const T first = static_cast<T>(row.log_sum_exp);
  const T second = static_cast<T>(row.log_sum_exp - static_cast<double>(first));
  for (std::int64_t j = 0; j < keys; j += lanes<T>) {
    const Vector<T> factor = row.factors != nullptr ? load(row.factors + j) : broadcast(T{1});
    const Vector<T> weight = vexp((load(w + j) - first) - second);
    store(ds + j, scale * weight * (load(ds + j) * factor - row.dot));
    store(w + j, weight * factor);
  }
}

template <class T>
void tile_vjp(const Attention& a, const Head& head, const HeadMatrices<T>& in,
              const ScoreTile& tile, const T* dots, const AttentionScratch<T>& scratch) {
  const MatrixView<const T> q = rows_from(in.q, tile.query), g = rows_from(in.g, tile.query);
  const MatrixView<const T> k = rows_from(in.k, tile.key), v = rows_from(in.v, tile.key);
  const MatrixView<T> weights = scratch.scores, gradients = scratch.gradients;
  // 1. Scores, and G Vᵀ.
  const auto rows_times_rows = [&](MatrixView<const T> rows, MatrixView<const T> others,
                                   std::int64_t width, MatrixView<T> c) {
    gemm(Gemm<T>{.m = tile.queries,
                 .n = tile.keys,
                 .k = width,
                 .a = rows,
                 .b = transposed(others),
                 .c = c,
                 .whole_registers = true},
         scratch.products, 1);
  };
  rows_times_rows(q, k, a.width, weights);
  rows_times_rows(g, v, a.value_width, gradients);
  // 2. W F in place of the scores, dS in place of G Vᵀ.
  const bool drops = a.dropout.p > 0;
  if (drops) draw_dropout(a, head, tile, scratch.factors);
  for (std::int64_t i = 0; i < tile.queries; ++i) {
    T* const w = weights.data + i * attention_tile;
    scale_and_hide(a, head, tile, i, w);
    const Row<T> row{in.log_sum_exp[tile.query + i], dots[i],
                     drops ? scratch.factors + i * tile.keys : nullptr};
    weigh_row(row, static_cast<T>(a.scale), tile.keys, w, gradients.data + i * attention_tile);
  }
  // 3. Gradients. The first tile of keys writes those of its queries, the first of queries those of
  // its keys; the others add.
  const auto multiply = [&](std::int64_t m, std::int64_t n, std::int64_t depth,
                            MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> c,
                            bool accumulate) {
    gemm(
        Gemm<T>{
            .m = m, .n = n, .k = depth, .a = left, .b = right, .c = c, .accumulate = accumulate},
        scratch.products, 1);
  };
  multiply(tile.keys, a.value_width, tile.queries, transposed(read_only(weights)), g,
           rows_from(in.dv, tile.key), tile.query > 0);
  multiply(tile.queries, a.width, tile.keys, read_only(gradients), k, rows_from(in.dq, tile.query),
           tile.key > 0);
  multiply(tile.keys, a.width, tile.queries, transposed(read_only(gradients)), q,
           rows_from(in.dk, tile.key), tile.query > 0);
}

template <class T>
void head_vjp(const Attention& a, const Head& head, const HeadMatrices<T>& in,
              const AttentionScratch<T>& scratch) {
  // What no first tile will write.
  const std::int64_t last_of_first = std::min(attention_tile, a.queries) - 1;
  const std::int64_t written = last_of_first < 0 ? 0 : visible_end(a, head, last_of_first);
  clear(rows_from(in.dk, written), a.keys - written, a.width);
  clear(rows_from(in.dv, written), a.keys - written, a.value_width);
  for (std::int64_t query = 0; query < a.queries; query += attention_tile) {
    const std::int64_t queries = std::min(attention_tile, a.queries - query);
    if (visible_end(a, head, query + queries - 1) == 0) {
      clear(rows_from(in.dq, query), queries, a.width);
      continue;
    }
    T dots[attention_tile];
    for (std::int64_t i = 0; i < queries; ++i) {
      dots[i] =
          static_cast<T>(weight_dot(in.g.data + (query + i) * in.g.row_stride,
                                    in.out.data + (query + i) * in.out.row_stride, a.value_width));
    }
    each_key_tile(a, head, query, queries,
                  [&](const ScoreTile& tile) { tile_vjp(a, head, in, tile, dots, scratch); });
  }
}

}  // namespace

template <std::floating_point T>
void attention_vjp(const Attention& a, HeadsView<const T> q, HeadsView<const T> k,
                   HeadsView<const T> v, HeadsView<const T> out, const double* log_sum_exp,
                   HeadsView<const T> g, HeadsView<T> dq, HeadsView<T> dk, HeadsView<T> dv,
                   std::byte* scratch, int threads) {
  const std::int64_t bytes = attention_thread_bytes<T>(a);
  on_team(team_size(2.5 * attention_work<T>(a), threads), [&](int rank, int size) {
    const AttentionScratch<T> mine(scratch, bytes, rank);
    const Range heads = share(a.batch * a.heads, rank, size);
    for (std::int64_t index = heads.begin; index < heads.end; ++index) {
      const Head head(a, index);
      head_vjp<T>(a, head,
                  {head.of(q), head.of(k), head.of(v), head.of(out), head.of(g), head.of(dq),
                   head.of(dk), head.of(dv), log_sum_exp + index * a.queries},
                  mine);
    }
  });
}

template void attention_vjp(const Attention&, HeadsView<const float>, HeadsView<const float>,
                            HeadsView<const float>, HeadsView<const float>, const double*,
                            HeadsView<const float>, HeadsView<float>, HeadsView<float>,
                            HeadsView<float>, std::byte*, int);
template void attention_vjp(const Attention&, HeadsView<const double>, HeadsView<const double>,
                            HeadsView<const double>, HeadsView<const double>, const double*,
                            HeadsView<const double>, HeadsView<double>, HeadsView<double>,
                            HeadsView<double>, std::byte*, int);

}  // namespace lectern::kernels
