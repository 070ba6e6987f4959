#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "examples/text/grammar/lexicon.h"

namespace lectern::text {

// A sentence before it has a language: a small tree that the grammar derives (derivation.h) and
// that is then realised twice, in English and in French.

/// In the order of Verb::present; *they* follows *we*. "you" is always *tu*, "they" always *ils*.
enum class Pronoun { i, you, he, she, we, they };

enum class Determiner {
  none,        ///< before a bare numeral, and with names
  generic,     ///< bare in English, definite in French: (I love) cats, les chats
  definite,    ///< the
  indefinite,  ///< a, an
  some,        ///< some; any in negations and yes-or-no questions
  demonstrative,
  my,
  your,
  his,
  her,
  our,
  their
};

struct NounPhrase {
  Determiner determiner = Determiner::definite;
  const Noun* noun = nullptr;
  bool plural = false;
  const Phrase* numeral = nullptr;
  const Adjective* before = nullptr;  ///< stands before the noun in French
  const Adjective* after = nullptr;
  std::vector<NounPhrase> owner = {};  ///< none or one: of the teacher

  bool operator==(const NounPhrase&) const = default;
};

using Nominal = std::variant<Pronoun, NounPhrase>;

enum class Tense { present, past, future };

/// Where, with whom or for whom: a preposition and its noun phrase, or a phrase that never changes.
struct Place {
  const Phrase* fixed = nullptr;
  const Preposition* preposition = nullptr;
  NounPhrase phrase = {};

  bool operator==(const Place&) const = default;
};

struct Clause {
  Nominal subject;
  const Verb* verb = nullptr;
  Tense tense = Tense::present;
  bool negated = false;
  std::optional<Nominal> object = {};
  std::optional<NounPhrase> recipient = {};  ///< (give an apple) to the girl
  const Adjective* predicate = nullptr;
  bool very = false;
  std::optional<Place> place = {};
  const TimePhrase* time = nullptr;
  bool time_first = false;  ///< Yesterday, …

  bool operator==(const Clause&) const = default;
};

/// I think that …: always in the present, never negated (French would need the subjunctive).
struct Opinion {
  Nominal subject;
  const Verb* verb = nullptr;

  bool operator==(const Opinion&) const = default;
};

struct Sentence {
  Clause clause;
  bool question = false;
  const Phrase* question_word = nullptr;
  std::optional<Opinion> opinion = {};
  const Conjunction* conjunction = nullptr;
  std::optional<Clause> second = {};  ///< after the conjunction

  bool operator==(const Sentence&) const = default;
};

/// What the subject imposes on verb, participle and predicate.
struct Agreement {
  int person;  ///< 1, 2 or 3
  bool plural;
  bool feminine;
};
Agreement agreement(const Nominal& subject);

/// "The boys do not eat the red apples." Punctuation is joined to the word before it.
std::string english(const Sentence& sentence);

/// A French sentence, and what happened where its words met.
struct FrenchText {
  std::string text;
  bool elision = false;      ///< l', j', n', d', qu', m', t'
  bool contraction = false;  ///< au, aux, du, des from à or de and an article
};

/// "Les garçons ne mangent pas les pommes rouges." A question mark follows an ordinary blank.
FrenchText french(const Sentence& sentence);

}  // namespace lectern::text
