#include <initializer_list>

#include "examples/text/grammar/derivation.h"

namespace lectern::text {

namespace {

std::size_t pick(Choices& choices, std::initializer_list<int> weights) {
  return choices.pick(std::span(weights.begin(), weights.size()));
}

const Noun& pick_noun(Choices& choices, NounClasses classes) {
  std::vector<int> weights;
  for (const Noun& noun : nouns())
    weights.push_back(!noun.is(classes) ? 0 : noun.is(kIdea) ? 4 : 1);
  return nouns()[choices.pick(weights)];
}

enum class Article { generic, definite, indefinite, some, demonstrative, possessive, numeral };

Article pick_article(Choices& choices, Determiners allowed, const Noun& noun) {
  const bool liking = allowed == Determiners::liking;
  const bool some = allowed == Determiners::all;
  const bool counted = noun.countable() && (some || allowed == Determiners::indefinite);
  const bool idea = noun.is(kIdea);  // no "our freedom", "this winter"; no "love the science"
  return static_cast<Article>(
      pick(choices, {liking ? 60 : 0, idea && liking ? 0 : 45, counted ? 28 : 0,
                     !some              ? 0
                     : noun.countable() ? 12
                                        : 30,
                     idea ? 0 : 10, idea ? 0 : 24, counted ? 8 : 0}));
}

/// Sets determiner, number and numeral, which go together: a cat, cats, three cats.
void choose_determiner(Choices& choices, const NounPhraseRule& rule, NounPhrase& phrase) {
  const bool countable = phrase.noun->countable();
  const Article article = pick_article(choices, rule.determiners, *phrase.noun);
  bool numeral = article == Article::numeral;
  switch (article) {
    case Article::generic:
      phrase.determiner = Determiner::generic;
      phrase.plural = countable;
      return;
    case Article::some:
      phrase.determiner = Determiner::some;
      phrase.plural = countable;
      return;
    case Article::indefinite:
      phrase.determiner = Determiner::indefinite;
      return;
    case Article::numeral:
      phrase.determiner = Determiner::none;
      break;
    case Article::definite:
      phrase.determiner = Determiner::definite;
      break;
    case Article::demonstrative:
      phrase.determiner = Determiner::demonstrative;
      break;
    case Article::possessive: {
      constexpr int even[] = {1, 1, 1, 1, 1, 1};
      phrase.determiner =
          static_cast<Determiner>(static_cast<std::size_t>(Determiner::my) + choices.leaf(even));
      break;
    }
  }
  if (!countable) return;
  if (!numeral) {
    const std::size_t number = pick(choices, {55, 40, 5});  // singular, plural, plural with numeral
    phrase.plural = number > 0;
    numeral = number == 2;
  }
  if (!numeral) return;
  phrase.plural = true;
  phrase.numeral = &numerals()[choices.numeral(numerals().size())];
}

/// Adjectives of one position that go with the noun, as weights.
std::vector<int> suitable(const Noun& noun, Position position) {
  std::vector<int> weights;
  for (const Adjective& adjective : adjectives())
    weights.push_back(adjective.position == position && noun.is(adjective.attributive) ? 1 : 0);
  return weights;
}

bool any(std::span<const int> weights) {
  for (const int weight : weights)
    if (weight > 0) return true;
  return false;
}

void choose_adjectives(Choices& choices, NounPhrase& phrase) {
  const std::vector<int> before = suitable(*phrase.noun, Position::before);
  const std::vector<int> after = suitable(*phrase.noun, Position::after);
  const int has_before = any(before) ? 1 : 0;
  const int has_after = any(after) ? 1 : 0;
  const std::size_t shape =
      pick(choices, {42, 23 * has_before, 25 * has_after, 10 * has_before * has_after});
  if (shape == 1 || shape == 3) phrase.before = &adjectives()[choices.leaf(before)];
  if (shape == 2 || shape == 3) phrase.after = &adjectives()[choices.leaf(after)];
}

}  // namespace

NounPhrase derive_noun_phrase(Choices& choices, const NounPhraseRule& rule) {
  NounPhrase phrase{.noun = &pick_noun(choices, rule.classes)};
  if (phrase.noun->is(kName)) {
    phrase.determiner = Determiner::none;
    return phrase;
  }
  choose_determiner(choices, rule, phrase);
  if (rule.adjectives) choose_adjectives(choices, phrase);
  const bool can_be_owned = phrase.noun->is(kAnimal | kObject | kFixture | kText | kPlace);
  if (rule.owner && can_be_owned && phrase.determiner == Determiner::definite &&
      pick(choices, {70, 30}) == 1) {
    phrase.owner.push_back(choices.noun_phrase({.classes = kAnyone,
                                                .determiners = Determiners::specific,
                                                .adjectives = false,
                                                .owner = false}));
  }
  return phrase;
}

}  // namespace lectern::text
