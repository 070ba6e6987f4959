#include "tensor/kernels/attention.h"

#include <cmath>

#include "tensor/kernels/attention_tile.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/vector_math.h"

namespace lectern::kernels {

// softmax(scale Q Kᵀ) V without ever holding [Tq, Tk]: for a tile of queries, the tiles of keys
// pass by one after the other, and each row keeps the largest score so far, m, and the sum of
// exponentials relative to it, l. When a later tile holds a larger score, what was summed before is
// scaled down by exp(m_old - m_new). Sentences of up to 64 words are a single tile, for which this
// is plain softmax.
//
//               keys →   0..63     64..127   128..191
//   queries  0..63      │ 1 2 3 │ skipped │ skipped │ 4       (a causal mask; lengths
//           64..127     │ 1 2 3 │  1 2 3  │ skipped │ 4        of keys skip tiles too)
//
//   1. scores S = Q Kᵀ of a tile
//   2. weights: scale, hide, m, P = exp(S - m), l; dropout of P
//   3. out += P V
//   4. after the last tile: out / l, log_sum_exp = m + log l

namespace {

/// What the rows of a tile of queries carry from one tile of keys to the next.
template <class T>
struct RunningRows {
  T maximum[attention_tile];
  double total[attention_tile];
  bool seen[attention_tile];  ///< some key was visible
};

/// Turns row i of the scores into exponentials relative to the largest score so far, times the
/// factors of dropout if there are any. Returns the factor by which that scales what the row summed
/// before.
template <class T>
T weigh_row(T* row, std::int64_t keys, const T* factors, std::int64_t i, RunningRows<T>& rows) {
  constexpr T lowest = hidden_score<T>;
  Vector<T> top = broadcast(lowest);
  for (std::int64_t j = 0; j < keys; j += lanes<T>) {
    const Vector<T> score = load(row + j);
    top = score > top ? score : top;
  }
  const T before = rows.maximum[i];
  const T maximum = std::max(before, largest_lane<T>(top));
  const T shift = maximum == lowest ? 0 : maximum;  // -inf - -inf would be NaN
  Vector<T> sums = {};  // a tile adds at most attention_tile / lanes<T> numbers to each lane
  for (std::int64_t j = 0; j < keys; j += lanes<T>) {
    const Vector<T> e = vexp(load(row + j) - shift);
    sums += e;
    store(row + j, factors != nullptr ? e * load(factors + j) : e);
  }
  const T total = reduce_lanes<T>(sums, [](auto x, auto y) { return x + y; });
  const T rescale = before == lowest ? 0 : std::exp(before - shift);
  rows.maximum[i] = maximum;
  rows.total[i] = rows.total[i] * static_cast<double>(rescale) + static_cast<double>(total);
  return rescale;
}

template <class T>
void scale_row(T* row, std::int64_t width, T factor) {
  for (std::int64_t j = 0; j < width; ++j) row[j] *= factor;
}

/// Matrices [T, D] of one head.
template <class T>
struct HeadMatrices {
  MatrixView<const T> q, k, v;
  MatrixView<T> out;
};

/// Adds a tile of keys to the rows of a tile of queries.
template <class T>
void add_tile(const Attention& a, const Head& head, const HeadMatrices<T>& in,
              const ScoreTile& tile, RunningRows<T>& rows, const AttentionScratch<T>& scratch) {
  // 1. Scores.
  gemm(Gemm<T>{.m = tile.queries,
               .n = tile.keys,
               .k = a.width,
               .a = rows_from(in.q, tile.query),
               .b = transposed(rows_from(in.k, tile.key)),
               .c = scratch.scores,
               .whole_registers = true},
       scratch.products, 1);
  // 2. Weights, not yet divided by their sum. Registers are read and written whole; what lies
  // beyond the last key is never used.
  const MatrixView<T> out = rows_from(in.out, tile.query);
  const bool first = tile.key == 0, drops = a.dropout.p > 0;
  if (drops) draw_dropout(a, head, tile, scratch.factors);
  for (std::int64_t i = 0; i < tile.queries; ++i) {
    T* const row = scratch.scores.data + i * attention_tile;
    const T* const factors = drops ? scratch.factors + i * tile.keys : nullptr;
    rows.seen[i] |= scale_and_hide(a, head, tile, i, row);
    const T rescale = weigh_row(row, tile.keys, factors, i, rows);
    if (!first) scale_row(out.data + i * out.row_stride, a.value_width, rescale);
  }
  // 3. Values.
  gemm(Gemm<T>{.m = tile.queries,
               .n = a.value_width,
               .k = tile.keys,
               .a = read_only(scratch.scores),
               .b = rows_from(in.v, tile.key),
               .c = out,
               .accumulate = !first},
       scratch.products, 1);
}

template <class T>
void attend(const Attention& a, const Head& head, const HeadMatrices<T>& in, std::int64_t query,
            std::int64_t queries, double* log_sum_exp, const AttentionScratch<T>& scratch) {
  RunningRows<T> rows;
  std::fill_n(rows.maximum, queries, -std::numeric_limits<T>::infinity());
  std::fill_n(rows.total, queries, 0.0);
  std::fill_n(rows.seen, queries, false);
  each_key_tile(a, head, query, queries,
                [&](const ScoreTile& tile) { add_tile(a, head, in, tile, rows, scratch); });
  // 4. Division by the sum of weights. A row that saw no key is zero.
  for (std::int64_t i = 0; i < queries; ++i) {
    T* const out = in.out.data + (query + i) * in.out.row_stride;
    if (rows.seen[i]) {
      scale_row(out, a.value_width, static_cast<T>(1 / rows.total[i]));
    } else {
      std::fill_n(out, a.value_width, T{0});
    }
    if (log_sum_exp != nullptr) {
      log_sum_exp[query + i] = rows.seen[i]
                                   ? static_cast<double>(rows.maximum[i]) + std::log(rows.total[i])
                                   : -std::numeric_limits<double>::infinity();
    }
  }
}

}  // namespace

template <std::floating_point T>
std::int64_t attention_scratch_bytes(const Attention& a, int threads) {
  return threads * attention_thread_bytes<T>(a);
}

template <std::floating_point T>
void attention(const Attention& a, HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
               HeadsView<T> out, double* log_sum_exp, std::byte* scratch, int threads) {
  const std::int64_t tiles = (a.queries + attention_tile - 1) / attention_tile;
  const std::int64_t bytes = attention_thread_bytes<T>(a);
  on_team(team_size(attention_work<T>(a), threads), [&](int rank, int size) {
    const AttentionScratch<T> mine(scratch, bytes, rank);
    const Range units = share(a.batch * a.heads * tiles, rank, size);
    for (std::int64_t unit = units.begin; unit < units.end; ++unit) {
      const std::int64_t index = unit / tiles, query = unit % tiles * attention_tile;
      const Head head(a, index);
      attend<T>(a, head, {head.of(q), head.of(k), head.of(v), head.of(out)}, query,
                std::min(attention_tile, a.queries - query),
                log_sum_exp == nullptr ? nullptr : log_sum_exp + index * a.queries, mine);
    }
  });
}

template std::int64_t attention_scratch_bytes<float>(const Attention&, int);
template std::int64_t attention_scratch_bytes<double>(const Attention&, int);
template void attention(const Attention&, HeadsView<const float>, HeadsView<const float>,
                        HeadsView<const float>, HeadsView<float>, double*, std::byte*, int);
template void attention(const Attention&, HeadsView<const double>, HeadsView<const double>,
                        HeadsView<const double>, HeadsView<double>, double*, std::byte*, int);

}  // namespace lectern::kernels
