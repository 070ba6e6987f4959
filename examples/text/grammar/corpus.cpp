#include "examples/text/grammar/corpus.h"

#include <algorithm>
#include <unordered_set>

#include "examples/text/grammar/compose.h"
#include "examples/text/grammar/derivation.h"
#include "examples/text/grammar/hash.h"
#include "tensor/error.h"

namespace lectern::text {

namespace {

SentencePair pair_of(const Sentence& sentence) {
  FrenchText translation = french(sentence);
  std::vector<Phenomenon> tags = phenomena(sentence, translation);
  return {english(sentence), std::move(translation.text), std::move(tags)};
}

const std::vector<Sentence>& demo_trees() {
  static const std::vector<Sentence> trees = {
      {.clause = {.subject = Pronoun::i,
                  .verb = &verb("love"),
                  .object = phrase("artificial intelligence")}},
      {.clause = {.subject = phrase("Alice"),
                  .verb = &verb("eat"),
                  .negated = true,
                  .object = phrase("any eggs"),
                  .time = &time_phrase("in the morning")}},
      {.clause = {.subject = Pronoun::she,
                  .verb = &verb("give"),
                  .tense = Tense::past,
                  .object = phrase("the red flowers"),
                  .recipient = phrase("the children")}},
      {.clause = {.subject = Pronoun::we,
                  .verb = &verb("go", "to"),
                  .tense = Tense::past,
                  .object = phrase("the market"),
                  .place = place("with our aunts"),
                  .time = &time_phrase("yesterday"),
                  .time_first = true}},
      {.clause = {.subject = Pronoun::you,
                  .verb = &verb("buy"),
                  .tense = Tense::future,
                  .object = phrase("three red apples"),
                  .time = &time_phrase("tomorrow")},
       .question = true,
       .question_word = &question_words()[2]},
      {.clause = {.subject = Pronoun::they,
                  .verb = &verb("see"),
                  .tense = Tense::past,
                  .object = Pronoun::she,
                  .time = &time_phrase("yesterday")},
       .opinion = Opinion{.subject = Pronoun::i, .verb = &subordinate_verbs()[0]}},
      {.clause = {.subject = phrase("the cars of the doctors"),
                  .verb = &verb("be"),
                  .predicate = &adjective("old"),
                  .very = true}},
      {.clause = {.subject = phrase("your friend"),
                  .verb = &verb("have"),
                  .object = phrase("a new computer")},
       .question = true},
      {.clause = {.subject = phrase("the queen"),
                  .verb = &verb("be"),
                  .tense = Tense::past,
                  .predicate = &adjective("happy")},
       .conjunction = &conjunction("because"),
       .second = Clause{.subject = Pronoun::we, .verb = &verb("sing"), .tense = Tense::past}},
      {.clause = {.subject = phrase("my sister"),
                  .verb = &verb("study"),
                  .tense = Tense::future,
                  .object = phrase("modern art"),
                  .place = place("at the library"),
                  .time = &time_phrase("next year")}},
  };
  return trees;
}

/// "talk to": the verb with the preposition of its object.
std::string verb_name(const Verb& verb) {
  std::string name(verb.english);
  if (!verb.english_preposition.empty()) name.append(" ").append(verb.english_preposition);
  return name;
}

WordPair joined(const Adjective& adjective, const Noun& noun) {
  return {std::string(adjective.english), std::string(noun.english)};
}

WordPair joined(const Verb& verb, const Noun& noun) {
  return {verb_name(verb), std::string(noun.english)};
}

Split split_by_hash(std::string_view english) {
  const std::uint64_t tenth = stable_hash(english) % 10;
  return tenth == 0 ? Split::valid : tenth == 1 ? Split::test : Split::train;
}

}  // namespace

std::vector<WordPair> word_pairs(const Sentence& sentence) {
  std::vector<WordPair> pairs;
  for (const NounPhrase* phrase : noun_phrases(sentence)) {
    if (phrase->before != nullptr) pairs.push_back(joined(*phrase->before, *phrase->noun));
    if (phrase->after != nullptr) pairs.push_back(joined(*phrase->after, *phrase->noun));
  }
  for (const Clause* clause : clauses(sentence)) {
    const auto* subject = std::get_if<NounPhrase>(&clause->subject);
    if (clause->predicate != nullptr && subject != nullptr)
      pairs.push_back(joined(*clause->predicate, *subject->noun));
    const auto* object = clause->object ? std::get_if<NounPhrase>(&*clause->object) : nullptr;
    if (object != nullptr) pairs.push_back(joined(*clause->verb, *object->noun));
  }
  return pairs;
}

std::vector<WordPair> derivable_word_pairs() {
  std::vector<WordPair> pairs;
  for (const Noun& noun : nouns()) {
    for (const Adjective& adjective : adjectives()) {
      const bool attributive = noun.is(adjective.attributive) && !noun.is(kName);
      if (attributive || noun.is(adjective.predicative)) pairs.push_back(joined(adjective, noun));
    }
    for (const Verb& verb : verbs())
      if (noun.is(verb.objects)) pairs.push_back(joined(verb, noun));
  }
  return pairs;
}

bool held_out(const WordPair& pair) {
  return stable_hash(pair.first + " + " + pair.second) % 8 == 0;
}

std::optional<Split> split_of(const Sentence& sentence) {
  if (std::ranges::find(demo_trees(), sentence) != demo_trees().end()) return std::nullopt;
  if (std::ranges::any_of(word_pairs(sentence), held_out)) return Split::compositions;
  return split_by_hash(english(sentence));
}

std::vector<SentencePair> draw(Split split, std::int64_t count, std::uint64_t seed) {
  require<ValueError>(count >= 0 && count <= 1'000'000,
                      "draw: count is {}; it must be between 0 and 1000000", count);
  std::vector<SentencePair> pairs;
  std::unordered_set<std::string> seen;
  for (std::uint64_t index = 0; std::ssize(pairs) < count; ++index) {
    const Sentence sentence = random_sentence(seed, index);
    if (split_of(sentence) != split) continue;
    SentencePair pair = pair_of(sentence);
    if (seen.insert(pair.english).second) pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<SentencePair> demo_sentences() {
  std::vector<SentencePair> pairs;
  for (const Sentence& sentence : demo_trees()) pairs.push_back(pair_of(sentence));
  return pairs;
}

}  // namespace lectern::text
