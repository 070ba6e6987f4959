#include "examples/translate/data.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "examples/text/unicode.h"
#include "tensor/error.h"

namespace lectern::translate {
namespace {

constexpr double kHeldOutShare = 0.02;
constexpr std::int64_t kGrammarValidPairs = 500;

/// FNV-1a over the letters and digits of the sentence in lower case, its bits mixed once more,
/// since FNV leaves the high ones of short texts nearly constant.
std::uint64_t hash_of(const std::string& sentence) {
  std::u32string letters;
  for (const char32_t point : text::decode_utf8(text::clean_up(sentence))) {
    if (text::is_word_character(point)) letters += point;
  }
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : text::encode_utf8(letters)) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  }
  hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
  return hash ^ hash >> 32;
}

std::string names_of(const PairFiles& files) {
  std::string names = files.front().string();
  if (files.size() > 1) names += " and " + files.back().string();
  return names;
}

void note_reading(TrainingData& data, const char* purpose, const PairFiles& files,
                  const text::Corpus& corpus) {
  std::string note =
      fmt::format("{}: {} pairs of {}", purpose, corpus.pairs.size(), names_of(files));
  if (corpus.skipped > 0)
    note += fmt::format("; {} lines with an empty side skipped", corpus.skipped);
  data.notes.push_back(note);
}

TrainingData draw_grammar(const TrainOptions& options) {
  TrainingData data;
  data.train = as_pairs(draw_from("train", options.max_pairs, options.seed));
  data.valid = as_pairs(draw_from("valid", kGrammarValidPairs, options.seed));
  data.notes.push_back(
      fmt::format("training: {} pairs of the built-in grammar; validation: {} others",
                  data.train.size(), data.valid.size()));
  return data;
}

}  // namespace

text::Corpus read_pairs(const PairFiles& files, std::int64_t max_pairs) {
  const text::ReadOptions options{.max_pairs = max_pairs};
  return files.size() == 1 ? text::read_tsv(files[0], options)
                           : text::read_parallel(files.at(0), files.at(1), options);
}

Division hold_out(Pairs pairs) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(pairs.size());
  for (const auto& pair : pairs) hashes.push_back(hash_of(pair.source));
  constexpr auto limit = static_cast<std::uint64_t>(
      kHeldOutShare * static_cast<double>(std::numeric_limits<std::uint64_t>::max()));
  const std::uint64_t lowest = hashes.empty() ? 0 : *std::min_element(hashes.begin(), hashes.end());
  Division division;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Pairs& side = hashes[i] <= std::max(limit, lowest) ? division.held_out : division.kept;
    side.push_back(std::move(pairs[i]));
  }
  require<IoError>(!division.kept.empty(),
                   "train: with {} pairs held out for validation nothing is left to learn from; "
                   "give more data, or --valid",
                   division.held_out.size());
  return division;
}

std::vector<text::SentencePair> draw_from(const std::string& split, std::int64_t count,
                                          std::uint64_t seed) {
  if (split == "train") return text::draw(text::Split::train, count, seed);
  if (split == "valid") return text::draw(text::Split::valid, count, seed);
  if (split == "test") return text::draw(text::Split::test, count, seed);
  if (split == "compositions") return text::draw(text::Split::compositions, count, seed);
  require<ValueError>(split == "demo",
                      "split {}: there is none of this name; there are train, valid, test, "
                      "compositions and demo",
                      split);
  std::vector<text::SentencePair> sentences = text::demo_sentences();
  if (count < static_cast<std::int64_t>(sentences.size())) {
    sentences.resize(static_cast<std::size_t>(count));
  }
  return sentences;
}

Pairs as_pairs(const std::vector<text::SentencePair>& sentences) {
  Pairs pairs;
  pairs.reserve(sentences.size());
  for (const auto& sentence : sentences) {
    pairs.push_back(
        {sentence.english, sentence.french, static_cast<std::int64_t>(pairs.size()) + 1});
  }
  return pairs;
}

TrainingData choose_data(const TrainOptions& options) {
  if (options.data.empty()) return draw_grammar(options);
  TrainingData data;
  text::Corpus corpus = read_pairs(options.data, options.max_pairs);
  note_reading(data, "training", options.data, corpus);
  if (options.valid.empty()) {
    const std::size_t all = corpus.pairs.size();
    Division division = hold_out(std::move(corpus.pairs));
    data.train = std::move(division.kept);
    data.valid = std::move(division.held_out);
    data.notes.push_back(
        fmt::format("validation: {} of these {} pairs held out, chosen by a hash of the source",
                    data.valid.size(), all));
  } else {
    data.train = std::move(corpus.pairs);
    text::Corpus valid = read_pairs(options.valid);
    note_reading(data, "validation", options.valid, valid);
    data.valid = std::move(valid.pairs);
  }
  if (!options.test.empty()) {
    text::Corpus test = read_pairs(options.test);
    note_reading(data, "test", options.test, test);
    data.test = std::move(test.pairs);
  }
  return data;
}

}  // namespace lectern::translate
