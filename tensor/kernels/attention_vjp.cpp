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
//   2. weights W = exp(scale S - L), 0 where hidden
//   3. dV += (W F)ᵀ G, and, since out_i = sum_j W_ij F_ij v_j,
//      dW = (G Vᵀ) F, dS = scale W (dW - <g_i, out_i>)
//   4. dQ += dS K, dK += dSᵀ Q
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

/// c += a b on one thread.
template <class T>
void add_product(std::int64_t m, std::int64_t n, std::int64_t k, MatrixView<const T> a,
                 MatrixView<const T> b, MatrixView<T> c, std::byte* scratch) {
  gemm(Gemm<T>{.m = m, .n = n, .k = k, .a = a, .b = b, .c = c, .accumulate = true}, scratch, 1);
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

/// Scores of row i to weights; a query that sees no key has log_sum_exp -inf and weights 0.
template <class T>
void weigh_row(T* row, std::int64_t keys, std::int64_t end, double log_sum_exp) {
  if (log_sum_exp == -std::numeric_limits<double>::infinity()) {
    std::fill_n(row, keys, T{0});
    return;
  }
  const T first = static_cast<T>(log_sum_exp);  // in two parts: score - first is nearly exact
  const T second = static_cast<T>(log_sum_exp - static_cast<double>(first));
  for (std::int64_t j = 0; j < keys; j += lanes<T>) {
    store(row + j, vexp((load_scores(row, j, end) - first) - second));
  }
}

template <class T>
void tile_vjp(const Attention& a, const Head& head, const HeadMatrices<T>& in,
              const ScoreTile& tile, const T* dots, const AttentionScratch<T>& scratch) {
  const auto scale = static_cast<T>(a.scale);
  const MatrixView<const T> q = rows_from(in.q, tile.query), g = rows_from(in.g, tile.query);
  const MatrixView<const T> k = rows_from(in.k, tile.key), v = rows_from(in.v, tile.key);
  const MatrixView<T> weights = scratch.scores, gradients = scratch.gradients;
  // 1. Scores, and G Vᵀ.
  gemm(Gemm<T>{.m = tile.queries,
               .n = tile.keys,
               .k = a.width,
               .a = q,
               .b = transposed(k),
               .c = weights},
       scratch.products, 1);
  gemm(Gemm<T>{.m = tile.queries,
               .n = tile.keys,
               .k = a.value_width,
               .a = g,
               .b = transposed(v),
               .c = gradients},
       scratch.products, 1);
  // 2. Weights.
  for (std::int64_t i = 0; i < tile.queries; ++i) {
    T* const w = weights.data + i * attention_tile;
    const VisibleKeys visible = scale_and_hide(a, head, tile, i, w);
    weigh_row(w, tile.keys, visible.end, in.log_sum_exp[tile.query + i]);
  }
  // 3. dS in place of G Vᵀ, and W F in place of W.
  const bool drops = a.dropout.p > 0;
  if (drops) draw_dropout(a, head, tile, scratch.factors);
  for (std::int64_t i = 0; i < tile.queries; ++i) {
    T* const w = weights.data + i * attention_tile;
    T* const ds = gradients.data + i * attention_tile;
    const T* const factors = scratch.factors + i * tile.keys;
    for (std::int64_t j = 0; j < tile.keys; ++j) {
      const T factor = drops ? factors[j] : 1;
      ds[j] = scale * w[j] * (ds[j] * factor - dots[i]);
      w[j] *= factor;
    }
  }
  add_product(tile.keys, a.value_width, tile.queries, transposed(read_only(weights)), g,
              rows_from(in.dv, tile.key), scratch.products);
  // 4. Gradients of queries and keys.
  add_product(tile.queries, a.width, tile.keys, read_only(gradients), k,
              rows_from(in.dq, tile.query), scratch.products);
  add_product(tile.keys, a.width, tile.queries, transposed(read_only(gradients)), q,
              rows_from(in.dk, tile.key), scratch.products);
}

template <class T>
void head_vjp(const Attention& a, const Head& head, const HeadMatrices<T>& in,
              const AttentionScratch<T>& scratch) {
  clear(in.dq, a.queries, a.width);
  clear(in.dk, a.keys, a.width);
  clear(in.dv, a.keys, a.value_width);
  for (std::int64_t query = 0; query < a.queries; query += attention_tile) {
    const std::int64_t queries = std::min(attention_tile, a.queries - query);
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
