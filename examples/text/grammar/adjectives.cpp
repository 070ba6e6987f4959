#include <algorithm>

#include "examples/text/grammar/lexicon.h"
#include "tensor/error.h"

namespace lectern::text {

namespace {

constexpr NounClasses kBeing = kPeople | kAnimal;
constexpr NounClasses kThing = kObject | kFixture;
constexpr NounClasses kSolid = kThing | kFood;  // things that come in colours and sizes
constexpr NounClasses kMeal = kFood | kDish;
constexpr NounClasses kMass = kDish | kDrink;
constexpr NounClasses kNever = 0;
constexpr bool gradable = true;

constexpr Position before = Position::before;
constexpr Position after = Position::after;

// Left out: adjectives whose meaning depends on their position (ancien, pauvre, cher ami) where the
// English does not tell which is meant, and predicates that French puts otherwise (il a chaud).
constexpr Adjective kAdjectives[] = {
    {"big", "grand", "grande", "grands", "grandes", "", before, kAnimal | kSolid | kPlace,
     kAnimal | kSolid | kPlace},
    {"small", "petit", "petite", "petits", "petites", "", before,
     kPerson | kAnimal | kSolid | kPlace, kAlive | kSolid | kPlace},
    {"beautiful", "beau", "belle", "beaux", "belles", "bel", before,
     kPerson | kAnimal | kThing | kPlace | kText, kAlive | kThing | kPlace | kText},
    {"old", "vieux", "vieille", "vieux", "vieilles", "vieil", before,
     kBeing | kThing | kPlace | kText, kAlive | kThing | kPlace | kText},
    {"new", "nouveau", "nouvelle", "nouveaux", "nouvelles", "nouvel", before,
     kPerson | kThing | kPlace | kText, kNever},
    {"good", "bon", "bonne", "bons", "bonnes", "", before, kPerson | kMeal | kDrink | kText,
     kMeal | kDrink | kText},
    {"bad", "mauvais", "mauvaise", "mauvais", "mauvaises", "", before, kText | kMass,
     kText | kMass},
    {"young", "jeune", "jeune", "jeunes", "jeunes", "", before, kBeing, kAlive},
    {"pretty", "joli", "jolie", "jolis", "jolies", "", before, kAnimal | kThing | kPlace | kText,
     kAnimal | kThing | kPlace | kText},
    {"long", "long", "longue", "longs", "longues", "", before, kText, kText},

    {"red", "rouge", "rouge", "rouges", "rouges", "", after, kSolid, kSolid},
    {"blue", "bleu", "bleue", "bleus", "bleues", "", after, kThing, kThing},
    {"green", "vert", "verte", "verts", "vertes", "", after, kSolid, kSolid},
    {"yellow", "jaune", "jaune", "jaunes", "jaunes", "", after, kSolid, kSolid},
    {"black", "noir", "noire", "noirs", "noires", "", after, kAnimal | kThing, kAnimal | kThing},
    {"white", "blanc", "blanche", "blancs", "blanches", "", after, kAnimal | kThing,
     kAnimal | kThing},

    {"happy", "heureux", "heureuse", "heureux", "heureuses", "", after, kBeing, kAlive},
    {"sad", "triste", "triste", "tristes", "tristes", "", after, kBeing | kText, kAlive | kText},
    {"tired", "fatigué", "fatiguée", "fatigués", "fatiguées", "", after, kBeing, kAlive},
    {"sick", "malade", "malade", "malades", "malades", "", after, kBeing, kAlive},
    {"rich", "riche", "riche", "riches", "riches", "", after, kPerson, kAnyone},
    {"intelligent", "intelligent", "intelligente", "intelligents", "intelligentes", "", after,
     kBeing, kAlive},
    {"funny", "drôle", "drôle", "drôles", "drôles", "", after, kBeing | kText, kAlive | kText},
    {"famous", "célèbre", "célèbre", "célèbres", "célèbres", "", after, kPerson | kText | kPlace,
     kAnyone | kText | kPlace},
    {"kind", "gentil", "gentille", "gentils", "gentilles", "", after, kBeing, kAlive},
    {"brave", "courageux", "courageuse", "courageux", "courageuses", "", after, kBeing, kAlive},
    {"dangerous", "dangereux", "dangereuse", "dangereux", "dangereuses", "", after,
     kAnimal | kPlace, kAnimal | kPlace},

    {"interesting", "intéressant", "intéressante", "intéressants", "intéressantes", "", after,
     kText | kPlace | kIdea, kText | kPlace},
    {"important", "important", "importante", "importants", "importantes", "", after,
     kPerson | kText | kPlace, kAnyone | kText | kPlace},
    {"difficult", "difficile", "difficile", "difficiles", "difficiles", "", after, kText | kIdea,
     kText},
    {"modern", "moderne", "moderne", "modernes", "modernes", "", after,
     kThing | kPlace | kText | kIdea, kThing | kPlace | kText},
    {"artificial", "artificiel", "artificielle", "artificiels", "artificielles", "", after, kIdea,
     kNever},
    {"French", "français", "française", "français", "françaises", "", after,
     kPerson | kThing | kText | kMass | kIdea, kAnyone | kThing | kText | kMass, !gradable},
    {"English", "anglais", "anglaise", "anglais", "anglaises", "", after,
     kPerson | kThing | kText | kMass | kIdea, kAnyone | kThing | kText | kMass, !gradable},

    {"expensive", "cher", "chère", "chers", "chères", "", after, kSolid | kMass | kVenue,
     kSolid | kMass | kVenue},
    {"clean", "propre", "propre", "propres", "propres", "", after, kThing | kPlace,
     kThing | kPlace},
    {"dirty", "sale", "sale", "sales", "sales", "", after, kThing | kAnimal, kThing | kAnimal},
    {"empty", "vide", "vide", "vides", "vides", "", after, kContainer | kPlace, kContainer | kPlace,
     !gradable},
    {"hot", "chaud", "chaude", "chauds", "chaudes", "", after, kMass, kMass},
    {"cold", "froid", "froide", "froids", "froides", "", after, kMass, kMass},
    {"fresh", "frais", "fraîche", "frais", "fraîches", "", after, kFood, kFood},
    {"delicious", "délicieux", "délicieuse", "délicieux", "délicieuses", "", after, kMeal, kMeal,
     !gradable},
};

}  // namespace

std::span<const Adjective> adjectives() { return kAdjectives; }

const Adjective& adjective(std::string_view english) {
  const auto* found = std::ranges::find(kAdjectives, english, &Adjective::english);
  require<ValueError>(found != std::end(kAdjectives), "adjective: \"{}\" is not in the lexicon",
                      english);
  return *found;
}

}  // namespace lectern::text
