#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/text/grammar/phenomena.h"
#include "examples/text/grammar/sentence.h"

namespace lectern::text {

/// The parts of the corpus. No sentence is in two of them, whatever is drawn with whatever seed.
enum class Split {
  train,
  valid,
  test,
  compositions  ///< sentences that join words which are never joined in the other three
};

/// An English sentence and its translation.
struct SentencePair {
  std::string english, french;
  std::vector<Phenomenon> phenomena;
};

/// Draws `count` distinct sentences of a split: the same ones for the same seed on every machine,
/// and the first n of a longer draw are the draw of n.
/// Throws: ValueError unless 0 <= count <= 1,000,000.
std::vector<SentencePair> draw(Split split, std::int64_t count, std::uint64_t seed);

/// Ten sentences, "I love artificial intelligence." the first, that are in no split.
std::vector<SentencePair> demo_sentences();

/// Two words that a sentence joins: an adjective and the noun it describes ("the red car", "the car
/// is red"), or a verb and the noun that is its object ("eat", "apple"; "talk to", "baker").
struct WordPair {
  std::string first, second;

  auto operator<=>(const WordPair&) const = default;
};

/// The pairs a sentence joins.
std::vector<WordPair> word_pairs(const Sentence& sentence);

/// All pairs that the grammar joins.
std::vector<WordPair> derivable_word_pairs();

/// True for the eighth of all pairs that only `Split::compositions` joins: a hash decides.
bool held_out(const WordPair& pair);

/// The split a sentence belongs to; none for the ten of demo_sentences().
std::optional<Split> split_of(const Sentence& sentence);

}  // namespace lectern::text
