#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "examples/text/grammar/sentence.h"

namespace lectern::text {

/// What a sentence asks of its translator.
enum class Phenomenon {
  article,           ///< le, la, les, un, une, des: the gender and number of a noun
  plural,            ///< a plural noun
  agreement,         ///< an adjective or participle takes another's gender and number
  adjective_before,  ///< le petit chat
  adjective_after,   ///< le chat noir
  pronoun,           ///< a pronoun as subject
  object_pronoun,    ///< je le vois: before the verb
  present,
  past,
  future,
  negation,     ///< ne … pas
  elision,      ///< l', j', n', d', qu', m', t'
  contraction,  ///< au, aux, du, des
  possessive,   ///< mon, ma, mes …: the gender of what is owned
  question,     ///< est-ce que
  number,       ///< number words
  subordinate   ///< que, parce que
};

inline constexpr std::array kPhenomena = {
    Phenomenon::article,          Phenomenon::plural,          Phenomenon::agreement,
    Phenomenon::adjective_before, Phenomenon::adjective_after, Phenomenon::pronoun,
    Phenomenon::object_pronoun,   Phenomenon::present,         Phenomenon::past,
    Phenomenon::future,           Phenomenon::negation,        Phenomenon::elision,
    Phenomenon::contraction,      Phenomenon::possessive,      Phenomenon::question,
    Phenomenon::number,           Phenomenon::subordinate};

/// "adjective before the noun", for tables.
std::string_view phenomenon_name(Phenomenon phenomenon);

/// The phenomena of a sentence and its translation, each once, in the order of kPhenomena.
std::vector<Phenomenon> phenomena(const Sentence& sentence, const FrenchText& translation);

/// The clauses of a sentence, and all its noun phrases, owners included.
std::vector<const Clause*> clauses(const Sentence& sentence);
std::vector<const NounPhrase*> noun_phrases(const Sentence& sentence);

}  // namespace lectern::text
