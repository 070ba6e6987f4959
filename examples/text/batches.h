#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace lectern::text {

/// A sentence pair as ids, each side with kEnd behind it.
struct Example {
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> target;

  /// Ids of both sides, end marks included.
  std::int64_t tokens() const { return static_cast<std::int64_t>(source.size() + target.size()); }
};

/// Some examples side by side, the short ones filled up with kPad.
struct Batch {
  Tensor source;          ///< i64 [B, Ts]: words, kEnd
  Tensor target_in;       ///< i64 [B, Tt]: kBegin, words — what the decoder is given
  Tensor target_out;      ///< i64 [B, Tt]: words, kEnd — what it shall answer, one position ahead
  Tensor places;          ///< i64 [N]: where target_out, row after row, holds no padding
  Tensor answers;         ///< i64 [N]: what it holds there
  Tensor source_lengths;  ///< i64 [B], kEnd included: the keys an encoder may see
  std::vector<std::int64_t> rows;  ///< [B], which examples these are
  std::int64_t source_tokens = 0;  ///< without padding
  std::int64_t target_tokens = 0;  ///< without padding: what a loss is the mean over
};

/// How examples are put into batches.
struct BatchOptions {
  std::int64_t size = 64;  ///< examples in a batch
  bool drop_last = false;  ///< leave out what does not fill the last batch
};

/// Examples of like length side by side, so that little of a batch is padding.
///
/// Sorted by the sum of both lengths, then cut. An epoch shuffles first (the sort is stable, so
/// equal lengths meet in another order each time) and then the order of the batches. Each epoch
/// holds each example once; with drop_last the ones left out are drawn anew each epoch.
class Batches {
 public:
  /// Throws: ValueError if there is no example, an example has an empty side, the size is < 1, or
  ///         drop_last would leave no batch at all.
  explicit Batches(std::vector<Example> examples, BatchOptions options = {});

  /// One epoch; the order depends on the state of `rng` alone, which moves on.
  std::vector<Batch> shuffled(Rng& rng) const;

  /// All examples, always in the same order, none dropped: for validation.
  std::vector<Batch> in_order() const;

  std::int64_t size() const { return static_cast<std::int64_t>(examples_.size()); }
  std::int64_t batches_per_epoch() const;

  /// Ids of both sides of all examples, end marks included.
  std::int64_t tokens() const;

 private:
  std::vector<std::vector<std::int64_t>> cut(std::vector<std::int64_t> order) const;

  std::vector<Example> examples_;
  BatchOptions options_;
};

/// Pads the examples named by `rows` to one length on each side.
///
/// Throws: IndexError if a row is outside `examples`; ValueError if there is no row.
Batch make_batch(std::span<const Example> examples, std::span<const std::int64_t> rows);

/// Pads source sentences (ids with kEnd) into one matrix, i64 [B, Ts], for translation.
///
/// Throws: ValueError if there is no sentence.
Tensor pad_sources(std::span<const std::vector<std::int64_t>> sentences);

}  // namespace lectern::text
