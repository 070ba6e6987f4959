#include "examples/text/grammar/lexicon.h"

namespace lectern::text {

namespace {

constexpr Phrase kNumerals[] = {
    {"two", "deux"}, {"three", "trois"}, {"four", "quatre"},  {"five", "cinq"},
    {"six", "six"},  {"seven", "sept"},  {"eight", "huit"},   {"nine", "neuf"},
    {"ten", "dix"},  {"eleven", "onze"}, {"twelve", "douze"}, {"twenty", "vingt"},
};

constexpr Phrase kQuestionWords[] = {{"why", "pourquoi"}, {"when", "quand"}, {"where", "où"}};

constexpr Conjunction kConjunctions[] = {
    {"and", "et", false}, {"but", "mais", true}, {"because", "parce que", false}};

constexpr Phrase kFixedPlaces[] = {
    {"here", "ici"},
    {"at home", "à la maison"},
    {"in Paris", "à Paris"},
    {"in London", "à Londres"},
    {"in France", "en France"},
};

constexpr TimePhrase kTimes[] = {
    {"today", "aujourd'hui", true, false, true},
    {"now", "maintenant", true, false, false},
    {"every day", "tous les jours", true, false, true},
    {"in the morning", "le matin", true, false, false},
    {"in the evening", "le soir", true, false, false},
    {"yesterday", "hier", false, true, false},
    {"yesterday morning", "hier matin", false, true, false},
    {"last week", "la semaine dernière", false, true, false},
    {"last month", "le mois dernier", false, true, false},
    {"last year", "l'année dernière", false, true, false},
    {"tomorrow", "demain", false, false, true},
    {"tomorrow morning", "demain matin", false, false, true},
    {"next week", "la semaine prochaine", false, false, true},
    {"next month", "le mois prochain", false, false, true},
    {"next year", "l'année prochaine", false, false, true},
    {"soon", "bientôt", false, false, true},
    {"on Monday", "lundi", false, true, true},
    {"on Tuesday", "mardi", false, true, true},
    {"on Wednesday", "mercredi", false, true, true},
    {"on Thursday", "jeudi", false, true, true},
    {"on Friday", "vendredi", false, true, true},
    {"on Saturday", "samedi", false, true, true},
    {"on Sunday", "dimanche", false, true, true},
};

constexpr Preposition kPrepositions[] = {
    {"at", "à", kAt, kVenue},
    {"in", "dans", kIn, kSpace},
    {"near", "près de", kNear, kPlace},
    {"behind", "derrière", kNear, kPlace},
    {"in front of", "devant", kNear, kPlace},
    {"with", "avec", kWith, kAnyone},
    {"for", "pour", kFor, kAnyone},
};

}  // namespace

std::span<const Phrase> numerals() { return kNumerals; }
std::span<const Phrase> question_words() { return kQuestionWords; }
std::span<const Conjunction> conjunctions() { return kConjunctions; }
std::span<const Phrase> fixed_places() { return kFixedPlaces; }
std::span<const TimePhrase> times() { return kTimes; }
std::span<const Preposition> prepositions() { return kPrepositions; }

}  // namespace lectern::text
