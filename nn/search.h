#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::nn {

/// What a decoder is asked at one position: the scores of the next token for every live row.
struct SearchStep {
  /// i64 [A]: which rows of the last step the live ones come from. A decoder that keeps state for
  /// each row (a key/value cache) selects these rows of it. Undefined while every row of the last
  /// step goes on in its place, and at position 0.
  Tensor rows;
  Tensor tokens;          ///< i64 [A]: the newest token of each live row
  std::int64_t position;  ///< tokens each row has generated so far
};

/// Scores [A, V] of the next token for the live rows of a step, usually log-probabilities. It owns
/// whatever state the decoder needs; it is called with positions 0, 1, 2, … without recording.
using NextScores = std::function<Tensor(const SearchStep& step)>;

/// A sequence that a search has found.
struct Found {
  std::vector<std::int64_t> tokens;  ///< generated ones, the end mark included
  double score = 0;                  ///< sum of its tokens' scores
  bool ended = false;                ///< whether it reached the end mark within its length
};

/// The marks around a sequence.
struct SearchMarks {
  std::int64_t begin;  ///< token that stands before the first one
  std::int64_t end;    ///< token that ends a sequence
};

/// Always goes on with the token of the highest score, the lowest id among equals, until that is
/// the end mark or the sequence has max_lengths[i] tokens. A finished sequence leaves the batch.
///
/// Shapes: one sequence for each entry of max_lengths; results in the same order.
/// Throws: ValueError unless max_lengths are >= 1; ShapeError, DTypeError unless next_scores gives
///         floating [A, V]. Refuses NaN scores with a ValueError.
std::vector<Found> greedy_search(const NextScores& next_scores, SearchMarks marks,
                                 std::span<const std::int64_t> max_lengths);

}  // namespace lectern::nn
