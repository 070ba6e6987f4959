#include <algorithm>
#include <array>
#include <cctype>

#include "examples/text/grammar/sentence.h"

namespace lectern::text {

namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 6> kSubjects = {"I", "you", "he", "she", "we", "they"};
constexpr std::array<std::string_view, 6> kObjects = {"me", "you", "him", "her", "us", "them"};
constexpr std::array<std::string_view, 6> kPossessives = {"my",  "your", "his",
                                                          "her", "our",  "their"};

std::size_t index(Pronoun pronoun) { return static_cast<std::size_t>(pronoun); }

void add(Words& words, std::string_view word) {
  if (!word.empty()) words.emplace_back(word);
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// a or an. The lexicon has no word whose first letter misleads (hour, university).
std::string_view article_before(std::string_view word) {
  return std::string_view("aeiou").find(word.front()) != std::string_view::npos ||
                 word.starts_with("E")
             ? "an"
             : "a";
}

std::string_view determiner(const NounPhrase& phrase, bool any, std::string_view next) {
  switch (phrase.determiner) {
    case Determiner::none:
    case Determiner::generic:
      return "";
    case Determiner::definite:
      return "the";
    case Determiner::indefinite:
      return article_before(next);
    case Determiner::some:
      return any ? "any" : "some";
    case Determiner::demonstrative:
      return phrase.plural ? "these" : "this";
    default:
      return kPossessives[static_cast<std::size_t>(phrase.determiner) -
                          static_cast<std::size_t>(Determiner::my)];
  }
}

/// `any`: in a negation or a yes-or-no question, where *some* becomes *any*.
Words noun_phrase(const NounPhrase& phrase, bool any) {
  Words words;
  if (phrase.numeral != nullptr) add(words, phrase.numeral->english);
  if (phrase.before != nullptr) add(words, phrase.before->english);
  if (phrase.after != nullptr) add(words, phrase.after->english);
  add(words, phrase.plural ? phrase.noun->english_plural : phrase.noun->english);
  if (const auto word = determiner(phrase, any, words.front()); !word.empty())
    words.emplace(words.begin(), word);
  for (const NounPhrase& owner : phrase.owner) {
    add(words, "of");
    append(words, noun_phrase(owner, false));
  }
  return words;
}

Words subject(const Nominal& nominal) {
  if (const auto* pronoun = std::get_if<Pronoun>(&nominal))
    return {std::string(kSubjects[index(*pronoun)])};
  return noun_phrase(std::get<NounPhrase>(nominal), false);
}

Words object(const Nominal& nominal, bool any) {
  if (const auto* pronoun = std::get_if<Pronoun>(&nominal))
    return {std::string(kObjects[index(*pronoun)])};
  return noun_phrase(std::get<NounPhrase>(nominal), any);
}

bool third_singular(const Agreement& a) { return a.person == 3 && !a.plural; }

std::string_view form_of_be(Tense tense, const Agreement& a) {
  const bool first = a.person == 1 && !a.plural;
  if (tense == Tense::past) return first || third_singular(a) ? "was" : "were";
  return first ? "am" : third_singular(a) ? "is" : "are";
}

/// The auxiliary of a clause: a form of be, will, or the do that English needs to ask and deny.
std::string_view auxiliary(const Clause& clause, bool question) {
  const Agreement a = agreement(clause.subject);
  if (clause.tense == Tense::future) return "will";
  if (clause.verb->frame == Frame::predicate) return form_of_be(clause.tense, a);
  if (!question && !clause.negated) return "";
  if (clause.tense == Tense::past) return "did";
  return third_singular(a) ? "does" : "do";
}

/// The verb itself, given that an auxiliary stands before it or not.
std::string_view main_verb(const Clause& clause, bool has_auxiliary) {
  if (clause.verb->frame == Frame::predicate)
    return clause.tense == Tense::future ? "be" : "";  // otherwise be is its own auxiliary
  if (has_auxiliary) return clause.verb->english;
  if (clause.tense == Tense::past) return clause.verb->english_past;
  return third_singular(agreement(clause.subject)) ? clause.verb->english_third
                                                   : clause.verb->english;
}

Words place(const Place& where) {
  if (where.fixed != nullptr) return {std::string(where.fixed->english)};
  Words words{std::string(where.preposition->english)};
  append(words, noun_phrase(where.phrase, false));
  return words;
}

Words complements(const Clause& clause, bool any) {
  Words words;
  add(words, clause.verb->english_preposition);
  if (clause.object) append(words, object(*clause.object, any));
  if (clause.recipient) {
    add(words, "to");
    append(words, noun_phrase(*clause.recipient, false));
  }
  if (clause.very) add(words, "very");
  if (clause.predicate != nullptr) add(words, clause.predicate->english);
  if (clause.place) append(words, place(*clause.place));
  if (clause.time != nullptr && !clause.time_first) add(words, clause.time->english);
  return words;
}

/// How a clause stands in its sentence.
enum class Mood { statement, yes_or_no, after_question_word };

Words clause_words(const Clause& clause, Mood mood) {
  const bool question = mood != Mood::statement;
  Words words;
  const std::string_view helper = auxiliary(clause, question);
  if (clause.time_first) add(words, std::string(clause.time->english) + ",");
  if (question) add(words, helper);
  append(words, subject(clause.subject));
  if (!question) add(words, helper);
  if (clause.negated) add(words, "not");
  add(words, main_verb(clause, !helper.empty()));
  append(words, complements(clause, clause.negated || mood == Mood::yes_or_no));
  return words;
}

Words opinion_words(const Opinion& opinion) {
  Words words = subject(opinion.subject);
  add(words, third_singular(agreement(opinion.subject)) ? opinion.verb->english_third
                                                        : opinion.verb->english);
  add(words, "that");
  return words;
}

}  // namespace

std::string english(const Sentence& sentence) {
  const Mood mood = !sentence.question                  ? Mood::statement
                    : sentence.question_word == nullptr ? Mood::yes_or_no
                                                        : Mood::after_question_word;
  Words words;
  if (sentence.question_word != nullptr) add(words, sentence.question_word->english);
  if (sentence.opinion) append(words, opinion_words(*sentence.opinion));
  append(words, clause_words(sentence.clause, mood));
  if (sentence.second) {
    if (sentence.conjunction->comma) words.back() += ',';
    add(words, sentence.conjunction->english);
    append(words, clause_words(*sentence.second, Mood::statement));
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + (sentence.question ? "?" : ".");
}

}  // namespace lectern::text
