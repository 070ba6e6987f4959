#pragma once

#include <string_view>

#include "examples/text/grammar/sentence.h"

namespace lectern::text {

// Parts of sentences from their English words, for sentences that are chosen rather than drawn:
//   Clause{.subject = Pronoun::i, .verb = &verb("love"), .object = phrase("artificial
//   intelligence")}

/// A noun phrase: "my three old cars", "some bread", "the red car of Paul", "Alice".
/// Throws: ValueError for a word that is not in the lexicon.
NounPhrase phrase(std::string_view english);

/// "at home", "in front of the old castle". Throws: ValueError as above.
Place place(std::string_view english);

/// "next week". Throws: ValueError if the lexicon has no such time.
const TimePhrase& time_phrase(std::string_view english);

/// "because". Throws: ValueError if the lexicon has no such conjunction.
const Conjunction& conjunction(std::string_view english);

}  // namespace lectern::text
