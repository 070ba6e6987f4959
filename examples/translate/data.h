#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/text/corpus.h"
#include "examples/text/grammar/corpus.h"
#include "examples/translate/options.h"

namespace lectern::translate {

using Pairs = std::vector<text::LinePair>;

/// Reads one TSV file or two line-parallel files.
///
/// Throws: as text::read_tsv and text::read_parallel.
text::Corpus read_pairs(const PairFiles& files, std::int64_t max_pairs = 0);

/// What a training needs, and how it came about, in sentences for the user.
struct TrainingData {
  Pairs train, valid, test;  ///< test is empty unless it was asked for
  std::vector<std::string> notes;
};

/// The data the options name; without --data, pairs of the built-in grammar; without --valid, some
/// of the data are held out.
///
/// Throws: as read_pairs; IoError if nothing would be left to learn from.
TrainingData choose_data(const TrainOptions& options);

/// Draws sentences of a part of the built-in grammar: train, valid, test, compositions or demo (ten
/// sentences that are in none of the others).
///
/// Throws: ValueError for any other name, or more sentences than can be drawn.
std::vector<text::SentencePair> draw_from(const std::string& split, std::int64_t count,
                                          std::uint64_t seed);

/// Sentences of the built-in grammar as pairs, numbered like lines.
Pairs as_pairs(const std::vector<text::SentencePair>& sentences);

struct Division {
  Pairs kept, held_out;
};

/// Holds out the pairs whose source has a hash in the lowest 2 %. Only letters and digits count,
/// and not their case, so copies of a sentence that differ in its punctuation stay together. If no
/// hash is that low, the lowest is taken.
///
/// Throws: IoError if nothing would be kept.
Division hold_out(Pairs pairs);

}  // namespace lectern::translate
