#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>

#include "examples/text/grammar/sentence.h"

namespace lectern::text {

// The grammar is one set of functions that ask questions; who answers decides what they are good
// for. Random numbers draw a sentence, and a counter that tries every answer in turn counts all
// sentences (counting.cpp). So what is counted is what is drawn.

/// Which determiners a noun phrase may have.
enum class Determiners {
  specific,    ///< the, this, my …
  indefinite,  ///< also a and numerals
  all,         ///< also some
  liking       ///< specific, or bare and generic: (I love) cats
};

/// What a noun phrase must be like; decided by the clause before the phrase is derived.
struct NounPhraseRule {
  NounClasses classes;
  Determiners determiners;
  bool adjectives;
  bool owner;

  auto operator<=>(const NounPhraseRule&) const = default;
};

/// Where a clause may say when.
enum class Times { nowhere, at_end, anywhere };

/// What a clause must be like; decided by the sentence before the clause is derived.
struct ClauseRule {
  bool question = false;
  bool long_form = true;  ///< with adjectives, owners and adverbials
  Times times = Times::anywhere;
  bool place_asked = false;  ///< after *where*: a verb that has a place, and does not name it
  bool compound = false;     ///< one of two clauses, so a short one
  std::optional<Tense> tense = std::nullopt;

  auto operator<=>(const ClauseRule&) const = default;
};

/// Answers the grammar's questions. Weights are relative; an answer of weight 0 is never given.
class Choices {
 public:
  virtual ~Choices() = default;

  /// A choice that later choices depend on.
  virtual std::size_t pick(std::span<const int> weights) = 0;
  /// A choice that nothing depends on.
  virtual std::size_t leaf(std::span<const int> weights) = 0;
  /// A number word; as a leaf, but all of them count as one sentence.
  virtual std::size_t numeral(std::size_t count) = 0;

  // Parts whose inside nothing outside depends on.
  virtual NounPhrase noun_phrase(const NounPhraseRule& rule) = 0;
  virtual Clause clause(const ClauseRule& rule) = 0;
};

NounPhrase derive_noun_phrase(Choices& choices, const NounPhraseRule& rule);
Clause derive_clause(Choices& choices, const ClauseRule& rule);
Sentence derive_sentence(Choices& choices);

/// The sentence that random numbers derive; the same for the same two numbers, on every machine.
Sentence random_sentence(std::uint64_t seed, std::uint64_t index);

/// The number of sentences the grammar derives, exactly, where all number words count as one: a sum
/// of products over every derivation.
std::uint64_t derivable_sentences();

/// The number of noun phrases that satisfy a rule, counted likewise.
std::uint64_t derivable_noun_phrases(const NounPhraseRule& rule);

}  // namespace lectern::text
