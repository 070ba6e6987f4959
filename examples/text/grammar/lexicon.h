#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lectern::text {

// The words of the built-in corpus, each with its one French translation. Every table is written
// out in full, regular forms too: what the model must learn is there to be read.

/// What a noun stands for, as a set of bits: it decides which verbs, adjectives and prepositions go
/// with the noun, so that sentences make some sense.
using NounClasses = std::uint32_t;
constexpr NounClasses kPerson = 1 << 0;
constexpr NounClasses kKin = 1 << 13;  ///< relatives and friends: a *petit ami* is no small friend
constexpr NounClasses kName = 1 << 1;
constexpr NounClasses kAnimal = 1 << 2;
constexpr NounClasses kObject = 1 << 3;
constexpr NounClasses kOpening = 1 << 4;     ///< can be opened and closed
constexpr NounClasses kFixture = 1 << 14;    ///< stays where it is: a door
constexpr NounClasses kContainer = 1 << 15;  ///< can be empty
constexpr NounClasses kFood = 1 << 5;        ///< one can count it: an apple
constexpr NounClasses kDish = 1 << 6;        ///< one can not: bread
constexpr NounClasses kDrink = 1 << 7;
constexpr NounClasses kVenue = 1 << 8;  ///< one is *at* it
constexpr NounClasses kSpace = 1 << 9;  ///< one is *in* it
constexpr NounClasses kText = 1 << 10;  ///< can be written
constexpr NounClasses kSound = 1 << 11;
constexpr NounClasses kIdea = 1 << 12;  ///< an uncountable notion: intelligence
constexpr NounClasses kPlace = kVenue | kSpace;
constexpr NounClasses kPeople = kPerson | kKin;
constexpr NounClasses kAnyone = kPeople | kName;
constexpr NounClasses kAlive = kAnyone | kAnimal;

enum class Gender { masculine, feminine };

struct Noun {
  std::string_view english, english_plural;  ///< no plural: uncountable, or a name
  std::string_view french, french_plural;
  Gender gender;
  NounClasses classes;

  bool countable() const { return !english_plural.empty(); }
  bool is(NounClasses any_of) const { return (classes & any_of) != 0; }
};

/// Where a French adjective stands.
enum class Position { before, after };

struct Adjective {
  std::string_view english;
  std::string_view masculine, feminine, masculines, feminines;
  std::string_view before_vowel;  ///< masculine singular before a vowel, if it differs: bel
  Position position;
  NounClasses attributive;  ///< nouns it may stand next to: the red car
  NounClasses predicative;  ///< subjects it may be said of: the car is red
  bool gradable = true;     ///< may follow *very*
};

/// How a verb takes its object.
enum class Frame {
  none,        ///< She sleeps.
  object,      ///< She eats an apple; with a preposition: She talks to the baker.
  liking,      ///< She loves cats: a bare noun is generic, and definite in French.
  two,         ///< She gives an apple to the girl.
  predicate,   ///< She is tired.
  subordinate  ///< She thinks that …
};

/// The adverbials that go with a verb, as a set of bits.
using Adverbials = std::uint32_t;
constexpr Adverbials kTime = 1 << 0;
constexpr Adverbials kAt = 1 << 1;    ///< at the station
constexpr Adverbials kIn = 1 << 2;    ///< in the garden
constexpr Adverbials kNear = 1 << 3;  ///< near, behind, in front of
constexpr Adverbials kWith = 1 << 4;
constexpr Adverbials kFor = 1 << 5;
constexpr Adverbials kWhere = kAt | kIn | kNear;

struct Verb {
  std::string_view english, english_third, english_past, english_preposition;
  std::string_view present;      ///< five forms: je, tu, il, nous, ils; *vous* does not occur
  std::string_view future;       ///< stem: mangera is manger + a
  std::string_view participle;   ///< masculine singular; empty: the past is imparfait
  std::string_view imperfect;    ///< stem: était is ét + ait
  bool with_etre;                ///< passé composé with être
  std::string_view preposition;  ///< à, de, avec before the object
  Frame frame;
  NounClasses subjects, objects;
  bool object_pronouns;  ///< may take him, her, them, … as its object
  Adverbials adverbials;
};

/// Words that go into the sentence as they are.
struct Phrase {
  std::string_view english, french;
};

/// When something happens, and the tenses that go with it.
struct TimePhrase {
  std::string_view english, french;
  bool present, past, future;
};

struct Conjunction {
  std::string_view english, french;
  bool comma;  ///< stands after a comma
};

struct Preposition {
  std::string_view english, french;
  Adverbials kind;
  NounClasses nouns;
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();              ///< of main clauses
std::span<const Verb> subordinate_verbs();  ///< think, know, say, hope
std::span<const Phrase> numerals();         ///< two … twenty
std::span<const Phrase> question_words();   ///< why, when, where, in this order
std::span<const Conjunction> conjunctions();
std::span<const Phrase> fixed_places();
std::span<const TimePhrase> times();
std::span<const Preposition> prepositions();

/// The word in a table by its English form. Throws: ValueError if there is none.
const Noun& noun(std::string_view english);
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english, std::string_view preposition = "");

}  // namespace lectern::text
