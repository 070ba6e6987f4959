#include "examples/text/grammar/phenomena.h"

#include <algorithm>
#include <bitset>

namespace lectern::text {

namespace {

void collect(const NounPhrase& phrase, std::vector<const NounPhrase*>& found) {
  found.push_back(&phrase);
  for (const NounPhrase& owner : phrase.owner) collect(owner, found);
}

void collect(const Nominal& nominal, std::vector<const NounPhrase*>& found) {
  if (const auto* phrase = std::get_if<NounPhrase>(&nominal)) collect(*phrase, found);
}

bool possessive(Determiner determiner) { return determiner >= Determiner::my; }

bool has_article(const NounPhrase& phrase) {
  return phrase.determiner >= Determiner::generic && phrase.determiner <= Determiner::some;
}

/// True if a participle changes with the subject or with an object pronoun.
bool participle_agrees(const Clause& clause) {
  const bool compound_past = clause.tense == Tense::past && !clause.verb->participle.empty();
  const bool object_first = clause.object && std::holds_alternative<Pronoun>(*clause.object);
  return compound_past && (clause.verb->with_etre || object_first);
}

using Found = std::bitset<kPhenomena.size()>;

void mark(Found& found, Phenomenon phenomenon, bool present = true) {
  if (present) found.set(static_cast<std::size_t>(phenomenon));
}

void mark_clause(Found& found, const Clause& clause) {
  constexpr std::array tenses = {Phenomenon::present, Phenomenon::past, Phenomenon::future};
  mark(found, tenses[static_cast<std::size_t>(clause.tense)]);
  mark(found, Phenomenon::negation, clause.negated);
  mark(found, Phenomenon::pronoun, std::holds_alternative<Pronoun>(clause.subject));
  mark(found, Phenomenon::object_pronoun,
       clause.object && std::holds_alternative<Pronoun>(*clause.object));
  mark(found, Phenomenon::agreement, clause.predicate != nullptr || participle_agrees(clause));
}

void mark_noun_phrase(Found& found, const NounPhrase& phrase) {
  mark(found, Phenomenon::article, has_article(phrase));
  mark(found, Phenomenon::plural, phrase.plural);
  mark(found, Phenomenon::adjective_before, phrase.before != nullptr);
  mark(found, Phenomenon::adjective_after, phrase.after != nullptr);
  mark(found, Phenomenon::agreement, phrase.before != nullptr || phrase.after != nullptr);
  mark(found, Phenomenon::possessive, possessive(phrase.determiner));
  mark(found, Phenomenon::number, phrase.numeral != nullptr);
}

}  // namespace

std::vector<const Clause*> clauses(const Sentence& sentence) {
  std::vector<const Clause*> found{&sentence.clause};
  if (sentence.second) found.push_back(&*sentence.second);
  return found;
}

std::vector<const NounPhrase*> noun_phrases(const Sentence& sentence) {
  std::vector<const NounPhrase*> found;
  if (sentence.opinion) collect(sentence.opinion->subject, found);
  for (const Clause* clause : clauses(sentence)) {
    collect(clause->subject, found);
    if (clause->object) collect(*clause->object, found);
    if (clause->recipient) collect(*clause->recipient, found);
    if (clause->place && clause->place->fixed == nullptr) collect(clause->place->phrase, found);
  }
  return found;
}

std::vector<Phenomenon> phenomena(const Sentence& sentence, const FrenchText& translation) {
  Found found;
  for (const Clause* clause : clauses(sentence)) mark_clause(found, *clause);
  for (const NounPhrase* phrase : noun_phrases(sentence)) mark_noun_phrase(found, *phrase);
  const bool because =
      sentence.conjunction != nullptr && sentence.conjunction->french == "parce que";
  mark(found, Phenomenon::subordinate, sentence.opinion.has_value() || because);
  mark(found, Phenomenon::question, sentence.question);
  mark(found, Phenomenon::elision, translation.elision);
  mark(found, Phenomenon::contraction, translation.contraction);
  if (sentence.opinion) {
    mark(found, Phenomenon::present);
    mark(found, Phenomenon::pronoun, std::holds_alternative<Pronoun>(sentence.opinion->subject));
  }
  std::vector<Phenomenon> result;
  for (const Phenomenon phenomenon : kPhenomena)
    if (found.test(static_cast<std::size_t>(phenomenon))) result.push_back(phenomenon);
  return result;
}

std::string_view phenomenon_name(Phenomenon phenomenon) {
  constexpr std::array<std::string_view, kPhenomena.size()> names = {"article",
                                                                     "plural",
                                                                     "agreement",
                                                                     "adjective before noun",
                                                                     "adjective after noun",
                                                                     "pronoun",
                                                                     "object pronoun",
                                                                     "present",
                                                                     "past",
                                                                     "future",
                                                                     "negation",
                                                                     "elision",
                                                                     "contraction",
                                                                     "possessive",
                                                                     "question",
                                                                     "number",
                                                                     "subordinate clause"};
  return names[static_cast<std::size_t>(phenomenon)];
}

}  // namespace lectern::text
