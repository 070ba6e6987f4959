#include "examples/text/batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "examples/text/vocabulary.h"
#include "tensor/error.h"

namespace lectern::text {
namespace {

std::int64_t length_of(const std::vector<std::int64_t>& ids) {
  return static_cast<std::int64_t>(ids.size());
}

std::vector<Example> checked(std::vector<Example> examples, BatchOptions options) {
  const auto count = static_cast<std::int64_t>(examples.size());
  require<ValueError>(count > 0, "Batches: there is no example");
  require<ValueError>(options.size >= 1, "Batches: batch size is {}; it must be at least 1",
                      options.size);
  require<ValueError>(!options.drop_last || count >= options.size,
                      "Batches: {} examples do not fill a batch of {}, and drop_last leaves out "
                      "what does not; no step would be made",
                      count, options.size);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    require<ValueError>(!examples[i].source.empty() && !examples[i].target.empty(),
                        "Batches: example {} has an empty side; each side needs its end mark", i);
  }
  return examples;
}

/// Row by row, each filled up with kPad on the right.
Tensor pad(std::span<const std::span<const std::int64_t>> rows, std::int64_t length) {
  const auto count = static_cast<std::int64_t>(rows.size());
  Tensor ids = Tensor::full({count, length}, kPad, DType::i64);  // [B, T]
  std::int64_t* place = ids.mutable_data<std::int64_t>().data();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), place);
    place += length;
  }
  return ids;
}

/// What the decoder is given: the sentence one place to the right, with kBegin in front.
Tensor shift_right(const Tensor& target_out) {
  Tensor target_in = target_out.clone();  // [B, Tt]
  const std::int64_t length = target_in.shape()[1];
  const std::span<std::int64_t> ids = target_in.mutable_data<std::int64_t>();
  for (auto row = ids.begin(); row != ids.end(); row += length) {
    // The end mark is not given: after it there is nothing left to answer.
    std::replace(row, row + length, kEnd, kPad);
    std::rotate(row, row + (length - 1), row + length);
    *row = kBegin;
  }
  return target_in;
}

void find_answers(Batch& batch) {
  const auto ids = batch.target_out.data<std::int64_t>();
  std::vector<std::int64_t> places, answers;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kPad) continue;
    places.push_back(static_cast<std::int64_t>(i));
    answers.push_back(ids[i]);
  }
  const Shape shape{static_cast<std::int64_t>(answers.size())};  // [N]
  batch.places = Tensor::from(places, shape);
  batch.answers = Tensor::from(answers, shape);
}

}  // namespace

Batches::Batches(std::vector<Example> examples, BatchOptions options)
    : examples_(checked(std::move(examples), options)), options_(options) {}

std::vector<Batch> Batches::shuffled(Rng& rng) const {
  const Tensor permutation = rng.permutation(size());
  const auto ids = permutation.data<std::int64_t>();
  std::vector<std::int64_t> order(ids.begin(), ids.end());
  // Dropped before the sort: afterwards it would be the longest sentences, epoch for epoch.
  if (options_.drop_last)
    order.resize(order.size() - order.size() % static_cast<std::size_t>(options_.size));

  const auto cuts = cut(std::move(order));
  const Tensor sequence = rng.permutation(static_cast<std::int64_t>(cuts.size()));
  std::vector<Batch> epoch;
  epoch.reserve(cuts.size());
  for (const std::int64_t i : sequence.data<std::int64_t>()) {
    epoch.push_back(make_batch(examples_, cuts[static_cast<std::size_t>(i)]));
  }
  return epoch;
}

std::vector<Batch> Batches::in_order() const {
  std::vector<std::int64_t> order(examples_.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Batch> batches;
  for (const auto& rows : cut(std::move(order))) batches.push_back(make_batch(examples_, rows));
  return batches;
}

std::int64_t Batches::batches_per_epoch() const {
  return options_.drop_last ? size() / options_.size : (size() + options_.size - 1) / options_.size;
}

std::int64_t Batches::tokens() const {
  return std::accumulate(examples_.begin(), examples_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Example& e) { return sum + e.tokens(); });
}

std::vector<std::vector<std::int64_t>> Batches::cut(std::vector<std::int64_t> order) const {
  const auto tokens = [&](std::int64_t row) {
    return examples_[static_cast<std::size_t>(row)].tokens();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return tokens(a) < tokens(b); });
  std::vector<std::vector<std::int64_t>> cuts;
  const auto size = static_cast<std::size_t>(options_.size);
  for (std::size_t begin = 0; begin < order.size(); begin += size) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(begin);
    cuts.emplace_back(from,
                      from + static_cast<std::ptrdiff_t>(std::min(size, order.size() - begin)));
  }
  return cuts;
}

Batch make_batch(std::span<const Example> examples, std::span<const std::int64_t> rows) {
  require<ValueError>(!rows.empty(), "make_batch: there is no row");
  const auto count = static_cast<std::int64_t>(examples.size());
  Batch batch;
  batch.rows.assign(rows.begin(), rows.end());
  std::vector<std::span<const std::int64_t>> sources, targets;
  std::vector<std::int64_t> source_lengths;
  std::int64_t source_length = 0, target_length = 0;
  for (const std::int64_t row : rows) {
    require<IndexError>(row >= 0 && row < count, "make_batch: row {} is outside 0..{}", row,
                        count - 1);
    const Example& example = examples[static_cast<std::size_t>(row)];
    sources.emplace_back(example.source);
    targets.emplace_back(example.target);
    source_length = std::max(source_length, length_of(example.source));
    target_length = std::max(target_length, length_of(example.target));
    source_lengths.push_back(length_of(example.source));
    batch.source_tokens += length_of(example.source);
    batch.target_tokens += length_of(example.target);
  }
  batch.source = pad(sources, source_length);       // [B, Ts]
  batch.target_out = pad(targets, target_length);   // [B, Tt]
  batch.target_in = shift_right(batch.target_out);  // [B, Tt]
  find_answers(batch);
  batch.source_lengths = Tensor::from(source_lengths, {static_cast<std::int64_t>(rows.size())});
  return batch;
}

Tensor pad_sources(std::span<const std::vector<std::int64_t>> sentences) {
  require<ValueError>(!sentences.empty(), "pad_sources: there is no sentence");
  std::int64_t longest = 0;
  for (const auto& sentence : sentences) longest = std::max(longest, length_of(sentence));
  return pad(std::vector<std::span<const std::int64_t>>(sentences.begin(), sentences.end()),
             longest);
}

}  // namespace lectern::text
