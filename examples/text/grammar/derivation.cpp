#include "examples/text/grammar/derivation.h"

#include <initializer_list>

namespace lectern::text {

namespace {

std::size_t pick(Choices& choices, std::initializer_list<int> weights) {
  return choices.pick(std::span(weights.begin(), weights.size()));
}

std::size_t leaf(Choices& choices, std::initializer_list<int> weights) {
  return choices.leaf(std::span(weights.begin(), weights.size()));
}

constexpr int kPronounWeights[] = {12, 9, 8, 8, 9, 8};  // I, you, he, she, we, they
constexpr int kPronounWeight = 54;                      // their sum, against a noun phrase's

/// The subject's pronoun, or nothing where it is to be a noun phrase.
std::optional<Pronoun> pick_pronoun(Choices& choices, int noun_phrase_weight) {
  std::vector<int> weights(std::begin(kPronounWeights), std::end(kPronounWeights));
  weights.push_back(noun_phrase_weight);
  const std::size_t picked = choices.pick(weights);
  if (picked == std::size(kPronounWeights)) return std::nullopt;
  return static_cast<Pronoun>(picked);
}

const Verb& pick_verb(Choices& choices, const ClauseRule& rule) {
  std::vector<int> weights;
  for (const Verb& verb : verbs()) {
    const bool fits = (!rule.place_asked || (verb.adverbials & kWhere) != 0) &&
                      (!rule.compound || verb.frame != Frame::two);
    weights.push_back(!fits ? 0 : verb.frame == Frame::predicate ? 7 : 1);
  }
  return verbs()[choices.pick(weights)];
}

const Adjective& pick_predicate(Choices& choices, NounClasses subjects) {
  std::vector<int> weights;
  for (const Adjective& adjective : adjectives())
    weights.push_back((adjective.predicative & subjects) != 0 ? 1 : 0);
  return adjectives()[choices.pick(weights)];
}

/// me, you, him, her, us or them; never one who is the subject too (French would need a reflexive).
Pronoun leaf_object_pronoun(Choices& choices, const std::optional<Pronoun>& subject) {
  const bool speaker = subject == Pronoun::i || subject == Pronoun::we;
  const int me = speaker ? 0 : 1;
  const int you = subject == Pronoun::you ? 0 : 1;
  return static_cast<Pronoun>(leaf(choices, {me, you, 1, 1, me, 1}));
}

Determiners object_determiners(const Verb& verb) {
  if (verb.frame == Frame::liking) return Determiners::liking;
  return verb.preposition.empty() ? Determiners::all : Determiners::indefinite;  // no *de des*
}

void choose_object(Choices& choices, const ClauseRule& rule, const std::optional<Pronoun>& subject,
                   Clause& clause) {
  const Verb& verb = *clause.verb;
  if (verb.objects == 0) return;
  if (verb.object_pronouns && pick(choices, {60, 40}) == 1) {
    clause.object = leaf_object_pronoun(choices, subject);
    return;
  }
  clause.object = choices.noun_phrase({.classes = verb.objects,
                                       .determiners = object_determiners(verb),
                                       .adjectives = rule.long_form,
                                       .owner = rule.long_form});
  if (verb.frame != Frame::two) return;
  clause.recipient = choices.noun_phrase({.classes = kPeople,
                                          .determiners = Determiners::specific,
                                          .adjectives = false,
                                          .owner = false});
}

void choose_place(Choices& choices, Adverbials allowed, Clause& clause) {
  std::vector<int> weights{(allowed & kWhere) != 0 ? 8 : 2};  // nowhere in particular
  weights.push_back((allowed & kIn) != 0 ? 3 : 0);
  for (const Preposition& preposition : prepositions())
    weights.push_back((allowed & preposition.kind) != 0 ? preposition.kind == kNear ? 1 : 3 : 0);
  const std::size_t picked = choices.pick(weights);
  if (picked == 0) return;
  if (picked == 1) {
    const std::vector<int> even(fixed_places().size(), 1);
    clause.place = Place{.fixed = &fixed_places()[choices.leaf(even)]};
    return;
  }
  const Preposition& preposition = prepositions()[picked - 2];
  clause.place = Place{.preposition = &preposition,
                       .phrase = choices.noun_phrase({.classes = preposition.nouns,
                                                      .determiners = Determiners::specific,
                                                      .adjectives = clause.verb->objects == 0,
                                                      .owner = false})};
}

void choose_time(Choices& choices, const ClauseRule& rule, Clause& clause) {
  const std::size_t where = rule.long_form
                                ? pick(choices, {38, 50, rule.times == Times::anywhere ? 12 : 0})
                                : pick(choices, {80, 20});  // none, last, first
  if (where == 0) return;
  std::vector<int> weights;
  for (const TimePhrase& time : times())
    weights.push_back(clause.tense == Tense::present ? time.present
                      : clause.tense == Tense::past  ? time.past
                                                     : time.future);
  clause.time = &times()[choices.leaf(weights)];
  clause.time_first = where == 2;
}

/// A noun phrase as subject. Questions and negations have a specific one (the, this, my …).
NounPhrase derive_subject(Choices& choices, const ClauseRule& rule, const Clause& clause) {
  const bool predicate = clause.predicate != nullptr;
  const bool specific = rule.question || clause.negated || predicate;
  return choices.noun_phrase(
      {.classes = predicate ? clause.predicate->predicative : clause.verb->subjects,
       .determiners = specific ? Determiners::specific : Determiners::all,
       .adjectives = rule.long_form && !predicate && clause.verb->frame != Frame::two,
       .owner = rule.long_form && predicate});
}

Sentence derive_compound(Choices& choices) {
  const auto tense = static_cast<Tense>(pick(choices, {1, 1, 1}));
  const ClauseRule rule{
      .long_form = false, .times = Times::nowhere, .compound = true, .tense = tense};
  Sentence sentence{.clause = choices.clause(rule)};
  const std::vector<int> even(conjunctions().size(), 1);
  sentence.conjunction = &conjunctions()[choices.leaf(even)];
  sentence.second = choices.clause(rule);
  return sentence;
}

Opinion derive_opinion(Choices& choices) {
  Opinion opinion;
  if (const auto pronoun = pick_pronoun(choices, kPronounWeight / 2))
    opinion.subject = *pronoun;
  else
    opinion.subject = choices.noun_phrase({.classes = kAnyone,
                                           .determiners = Determiners::specific,
                                           .adjectives = false,
                                           .owner = false});
  const std::vector<int> even(subordinate_verbs().size(), 1);
  opinion.verb = &subordinate_verbs()[choices.leaf(even)];
  return opinion;
}

Sentence derive_question(Choices& choices) {
  const std::size_t word = pick(choices, {60, 14, 13, 13});  // none, why, when, where
  const bool long_form = pick(choices, {1, 1}) == 1;
  Sentence sentence{.clause = choices.clause({.question = true,
                                              .long_form = long_form,
                                              .times = word == 2 ? Times::nowhere : Times::at_end,
                                              .place_asked = word == 3}),
                    .question = true};
  if (word > 0) sentence.question_word = &question_words()[word - 1];
  return sentence;
}

}  // namespace

Clause derive_clause(Choices& choices, const ClauseRule& rule) {
  Clause clause;
  const std::optional<Pronoun> pronoun = pick_pronoun(choices, kPronounWeight);
  clause.verb = &pick_verb(choices, rule);
  const Verb& verb = *clause.verb;
  clause.tense = rule.tense ? *rule.tense : static_cast<Tense>(pick(choices, {38, 31, 31}));
  clause.negated = !rule.question && pick(choices, {72, 28}) == 1;
  if (verb.frame == Frame::predicate) {
    clause.predicate = &pick_predicate(choices, pronoun ? kName : verb.subjects);
    clause.very = leaf(choices, {70, clause.predicate->gradable ? 30 : 0}) == 1;
  }
  if (pronoun)
    clause.subject = *pronoun;
  else
    clause.subject = derive_subject(choices, rule, clause);
  choose_object(choices, rule, pronoun, clause);
  if (rule.long_form && !rule.place_asked) choose_place(choices, verb.adverbials, clause);
  if (rule.times != Times::nowhere && (verb.adverbials & kTime) != 0)
    choose_time(choices, rule, clause);
  return clause;
}

Sentence derive_sentence(Choices& choices) {
  // Short and long statements, questions, opinions, compounds: the weights give seven words on
  // average and ten or more in a fifth of the sentences.
  switch (pick(choices, {34, 36, 11, 6, 13})) {
    case 0:
      return {.clause = choices.clause({.long_form = false, .times = Times::at_end})};
    case 1:
      return {.clause = choices.clause({})};
    case 2:
      return derive_question(choices);
    case 3: {
      Opinion opinion = derive_opinion(choices);
      return {.clause = choices.clause({.long_form = false, .times = Times::at_end}),
              .opinion = std::move(opinion)};
    }
    default:
      return derive_compound(choices);
  }
}

}  // namespace lectern::text
