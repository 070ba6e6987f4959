#include <array>
#include <cctype>

#include "examples/text/grammar/sentence.h"

namespace lectern::text {

namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 6> kSubjects = {"je", "tu", "il", "elle", "nous", "ils"};
constexpr std::array<std::string_view, 6> kObjects = {"me", "te", "le", "la", "nous", "les"};
constexpr std::array<std::string_view, 5> kFuture = {"ai", "as", "a", "ons", "ont"};
constexpr std::array<std::string_view, 5> kImperfect = {"ais", "ais", "ait", "ions", "aient"};
constexpr std::array<std::string_view, 5> kAvoir = {"ai", "as", "a", "avons", "ont"};
constexpr std::array<std::string_view, 5> kEtre = {"suis", "es", "est", "sommes", "sont"};

/// Masculine, feminine and plural of my, your, his, her, our, their.
constexpr std::array<std::array<std::string_view, 3>, 6> kPossessives = {
    {{"mon", "ma", "mes"},
     {"ton", "ta", "tes"},
     {"son", "sa", "ses"},
     {"son", "sa", "ses"},
     {"notre", "notre", "nos"},
     {"leur", "leur", "leurs"}}};

void add(Words& words, std::string_view word) {
  if (!word.empty()) words.emplace_back(word);
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::size_t index(Pronoun pronoun) { return static_cast<std::size_t>(pronoun); }

/// The column of a verb table: je, tu, il, nous, ils.
std::size_t column(const Agreement& a) {
  if (a.person == 3) return a.plural ? 4 : 2;
  return a.plural ? 3 : static_cast<std::size_t>(a.person - 1);
}

/// Word `position` of a list separated by blanks.
std::string_view nth_word(std::string_view list, std::size_t position) {
  for (; position > 0; --position) list.remove_prefix(list.find(' ') + 1);
  return list.substr(0, list.find(' '));
}

/// True if je, le, la, … lose their vowel before `word`. Every h of the lexicon is silent, and
/// huit and onze are the two words that begin with a vowel's sound yet elide nothing.
bool elides(std::string_view word) {
  if (word == "huit" || word == "onze") return false;
  for (const std::string_view start :
       {"a", "e", "i", "o", "u", "h", "A", "é", "ê", "è", "â", "î", "ô", "œ"})
    if (word.starts_with(start)) return true;
  return false;
}

std::string_view form(const Adjective& adjective, const Noun& noun, bool plural) {
  const bool feminine = noun.gender == Gender::feminine;
  if (plural) return feminine ? adjective.feminines : adjective.masculines;
  if (feminine) return adjective.feminine;
  const bool joined = adjective.position == Position::before && !adjective.before_vowel.empty() &&
                      elides(noun.french);
  return joined ? adjective.before_vowel : adjective.masculine;
}

Words indefinite(const NounPhrase& phrase, bool after_negation) {
  if (after_negation) return {"de"};
  if (phrase.plural) return {phrase.before != nullptr ? "de" : "des"};
  const bool feminine = phrase.noun->gender == Gender::feminine;
  if (phrase.determiner == Determiner::some) return {"de", feminine ? "la" : "le"};  // partitive
  return {feminine ? "une" : "un"};
}

/// `next`: the word that will follow; feminine my, your, his, her and masculine this depend on it.
Words determiner(const NounPhrase& phrase, bool after_negation, std::string_view next) {
  const bool feminine = phrase.noun->gender == Gender::feminine;
  switch (phrase.determiner) {
    case Determiner::none:
      return {};
    case Determiner::generic:
    case Determiner::definite:
      return {phrase.plural ? "les" : feminine ? "la" : "le"};
    case Determiner::indefinite:
    case Determiner::some:
      return indefinite(phrase, after_negation);
    case Determiner::demonstrative:
      return {phrase.plural ? "ces" : feminine ? "cette" : elides(next) ? "cet" : "ce"};
    default: {
      const auto& forms = kPossessives[static_cast<std::size_t>(phrase.determiner) -
                                       static_cast<std::size_t>(Determiner::my)];
      return {std::string(forms[phrase.plural ? 2 : feminine && !elides(next) ? 1 : 0])};
    }
  }
}

/// `after_negation`: the phrase is the direct object of a negated verb: pas de chat.
Words noun_phrase(const NounPhrase& phrase, bool after_negation = false) {
  Words rest;
  if (phrase.numeral != nullptr) add(rest, phrase.numeral->french);
  if (phrase.before != nullptr) add(rest, form(*phrase.before, *phrase.noun, phrase.plural));
  add(rest, phrase.plural ? phrase.noun->french_plural : phrase.noun->french);
  Words words = determiner(phrase, after_negation, rest.front());
  append(words, rest);
  if (phrase.after != nullptr) add(words, form(*phrase.after, *phrase.noun, phrase.plural));
  for (const NounPhrase& owner : phrase.owner) {
    add(words, "de");
    append(words, noun_phrase(owner));
  }
  return words;
}

Words subject(const Nominal& nominal) {
  if (const auto* pronoun = std::get_if<Pronoun>(&nominal))
    return {std::string(kSubjects[index(*pronoun)])};
  return noun_phrase(std::get<NounPhrase>(nominal));
}

std::string participle(std::string_view masculine, const Agreement& a) {
  std::string word(masculine);
  if (a.feminine) word += 'e';
  if (a.plural && !word.ends_with('s')) word += 's';
  return word;
}

std::string predicate(const Adjective& adjective, const Agreement& a) {
  if (a.plural) return std::string(a.feminine ? adjective.feminines : adjective.masculines);
  return std::string(a.feminine ? adjective.feminine : adjective.masculine);
}

/// The conjugated word and, in the passé composé, the participle; it agrees with the subject after
/// être, and with an object that stands before it after avoir.
struct VerbGroup {
  std::string conjugated, participle;
};

VerbGroup verb_group(const Clause& clause, const Pronoun* object) {
  const Verb& verb = *clause.verb;
  const Agreement a = agreement(clause.subject);
  const auto with = [&](std::string_view stem, std::string_view ending) {
    return VerbGroup{std::string(stem) + std::string(ending), ""};
  };
  if (clause.tense == Tense::present) return with(nth_word(verb.present, column(a)), "");
  if (clause.tense == Tense::future) return with(verb.future, kFuture[column(a)]);
  if (verb.participle.empty()) return with(verb.imperfect, kImperfect[column(a)]);
  if (verb.with_etre) return {std::string(kEtre[column(a)]), participle(verb.participle, a)};
  const Agreement none{3, false, false};
  return {std::string(kAvoir[column(a)]),
          participle(verb.participle, object != nullptr ? agreement(*object) : none)};
}

Words place(const Place& where) {
  if (where.fixed != nullptr) return {std::string(where.fixed->french)};
  Words words;
  std::string_view preposition = where.preposition->french;
  if (preposition.ends_with(" de")) {  // près de: its de meets the article
    add(words, preposition.substr(0, preposition.size() - 3));
    preposition = "de";
  }
  add(words, preposition);
  append(words, noun_phrase(where.phrase));
  return words;
}

Words complements(const Clause& clause) {
  Words words;
  if (clause.object && std::holds_alternative<NounPhrase>(*clause.object)) {
    const bool direct = clause.verb->preposition.empty();
    add(words, clause.verb->preposition);
    append(words, noun_phrase(std::get<NounPhrase>(*clause.object), clause.negated && direct));
  }
  if (clause.recipient) {
    add(words, "à");
    append(words, noun_phrase(*clause.recipient));
  }
  if (clause.very) add(words, "très");
  if (clause.predicate != nullptr)
    add(words, predicate(*clause.predicate, agreement(clause.subject)));
  if (clause.place) append(words, place(*clause.place));
  if (clause.time != nullptr && !clause.time_first) add(words, clause.time->french);
  return words;
}

Words clause_words(const Clause& clause) {
  const Pronoun* object = clause.object ? std::get_if<Pronoun>(&*clause.object) : nullptr;
  const VerbGroup group = verb_group(clause, object);
  Words words;
  if (clause.time_first) add(words, std::string(clause.time->french) + ",");
  append(words, subject(clause.subject));
  if (clause.negated) add(words, "ne");
  if (object != nullptr) add(words, kObjects[index(*object)]);
  add(words, group.conjugated);
  if (clause.negated) add(words, "pas");
  add(words, group.participle);
  append(words, complements(clause));
  return words;
}

/// The word that à or de and the article `next` become, or nothing if they stay apart.
std::string_view contraction(std::string_view word, std::string_view next) {
  if (next == "le") return word == "de" ? "du" : word == "à" ? "au" : "";
  if (next == "les") return word == "de" ? "des" : word == "à" ? "aux" : "";
  return "";
}

/// Elision first (le homme → l'homme), then contraction of the articles that are left (de le pain
/// → du pain, but de l'eau), then blanks. No object pronoun ever follows à or de.
FrenchText join(Words words) {
  FrenchText result;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    for (const std::string_view short_word : {"je", "le", "la", "ne", "de", "que", "me", "te"}) {
      if (words[i] == short_word && elides(words[i + 1])) {
        words[i].back() = '\'';
        result.elision = true;
        break;
      }
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (i + 1 < words.size() && !contraction(word, words[i + 1]).empty()) {
      word = contraction(word, words[++i]);
      result.contraction = true;
    }
    if (!result.text.empty() && !result.text.ends_with('\'')) result.text += ' ';
    result.text += word;
  }
  return result;
}

}  // namespace

Agreement agreement(const Nominal& subject) {
  if (const auto* phrase = std::get_if<NounPhrase>(&subject))
    return {3, phrase->plural, phrase->noun->gender == Gender::feminine};
  switch (std::get<Pronoun>(subject)) {
    case Pronoun::i:
      return {1, false, false};
    case Pronoun::you:
      return {2, false, false};
    case Pronoun::he:
      return {3, false, false};
    case Pronoun::she:
      return {3, false, true};
    case Pronoun::we:
      return {1, true, false};
    case Pronoun::they:
      return {3, true, false};
  }
  return {};
}

FrenchText french(const Sentence& sentence) {
  Words words;
  if (sentence.question_word != nullptr) add(words, sentence.question_word->french);
  if (sentence.question) append(words, {"est-ce", "que"});
  if (sentence.opinion) {
    const Clause opinion{.subject = sentence.opinion->subject, .verb = sentence.opinion->verb};
    append(words, clause_words(opinion));
    add(words, "que");
  }
  append(words, clause_words(sentence.clause));
  if (sentence.second) {
    if (sentence.conjunction->comma) words.back() += ',';
    std::string_view conjunction = sentence.conjunction->french;
    if (conjunction.ends_with(" que")) {  // parce que il → parce qu'il
      add(words, conjunction.substr(0, conjunction.size() - 4));
      conjunction = "que";
    }
    add(words, conjunction);
    append(words, clause_words(*sentence.second));
  }
  FrenchText result = join(std::move(words));
  result.text.front() =
      static_cast<char>(std::toupper(static_cast<unsigned char>(result.text.front())));
  result.text += sentence.question ? " ?" : ".";
  return result;
}

}  // namespace lectern::text
