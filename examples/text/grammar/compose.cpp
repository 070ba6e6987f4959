#include "examples/text/grammar/compose.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tensor/error.h"

namespace lectern::text {

namespace {

constexpr std::pair<std::string_view, Determiner> kDeterminers[] = {
    {"the", Determiner::definite},
    {"a", Determiner::indefinite},
    {"an", Determiner::indefinite},
    {"some", Determiner::some},
    {"any", Determiner::some},
    {"this", Determiner::demonstrative},
    {"these", Determiner::demonstrative},
    {"my", Determiner::my},
    {"your", Determiner::your},
    {"his", Determiner::his},
    {"her", Determiner::her},
    {"our", Determiner::our},
    {"their", Determiner::their},
};

/// Takes the first word off `text`.
std::string_view next_word(std::string_view& text) {
  const std::size_t blank = text.find(' ');
  const std::string_view word = text.substr(0, blank);
  text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  return word;
}

/// The noun that `word` is the singular or plural of.
std::pair<const Noun*, bool> number_of(std::string_view word) {
  for (const Noun& noun : nouns())
    if (noun.countable() && noun.english_plural == word) return {&noun, true};
  return {&noun(word), false};
}

void add_modifier(NounPhrase& phrase, std::string_view word) {
  const auto numeral = std::ranges::find(numerals(), word, &Phrase::english);
  if (numeral != numerals().end()) {
    phrase.numeral = &*numeral;
    return;
  }
  const Adjective& found = adjective(word);
  (found.position == Position::before ? phrase.before : phrase.after) = &found;
}

}  // namespace

NounPhrase phrase(std::string_view english) {
  NounPhrase result;
  const std::size_t of = english.find(" of ");
  if (of != std::string_view::npos) result.owner.push_back(phrase(english.substr(of + 4)));
  std::string_view rest = english.substr(0, of);

  std::string_view word = next_word(rest);
  const auto* determiner =
      std::ranges::find(kDeterminers, word, &std::pair<std::string_view, Determiner>::first);
  const bool bare = determiner == std::end(kDeterminers);
  if (!bare) word = next_word(rest);
  for (; !rest.empty(); word = next_word(rest)) add_modifier(result, word);
  std::tie(result.noun, result.plural) = number_of(word);
  const bool alone = result.numeral != nullptr || result.noun->is(kName);
  result.determiner = !bare ? determiner->second : alone ? Determiner::none : Determiner::generic;
  return result;
}

Place place(std::string_view english) {
  const auto fixed = std::ranges::find(fixed_places(), english, &Phrase::english);
  if (fixed != fixed_places().end()) return {.fixed = &*fixed};
  for (const Preposition& preposition : prepositions()) {
    const std::string start = std::string(preposition.english) + " ";
    if (english.starts_with(start))
      return {.preposition = &preposition, .phrase = phrase(english.substr(start.size()))};
  }
  fail<ValueError>("place: \"{}\" begins with no preposition of the lexicon", english);
}

const TimePhrase& time_phrase(std::string_view english) {
  const auto found = std::ranges::find(times(), english, &TimePhrase::english);
  require<ValueError>(found != times().end(), "time_phrase: \"{}\" is not in the lexicon", english);
  return *found;
}

const Conjunction& conjunction(std::string_view english) {
  const auto found = std::ranges::find(conjunctions(), english, &Conjunction::english);
  require<ValueError>(found != conjunctions().end(), "conjunction: \"{}\" is not in the lexicon",
                      english);
  return *found;
}

}  // namespace lectern::text
