#include <algorithm>

#include "examples/text/grammar/lexicon.h"
#include "tensor/error.h"

namespace lectern::text {

namespace {

constexpr Gender m = Gender::masculine;
constexpr Gender f = Gender::feminine;

// No noun begins with an aspirated h: le and la always lose their vowel before h.
// No English plural is also a singular (fish, sheep): the English must tell the number.
constexpr Noun kNouns[] = {
    {"Paul", "", "Paul", "", m, kName},
    {"Lucas", "", "Lucas", "", m, kName},
    {"Marie", "", "Marie", "", f, kName},
    {"Alice", "", "Alice", "", f, kName},

    {"boy", "boys", "garçon", "garçons", m, kPerson},
    {"man", "men", "homme", "hommes", m, kPerson},
    {"father", "fathers", "père", "pères", m, kKin},
    {"brother", "brothers", "frère", "frères", m, kKin},
    {"uncle", "uncles", "oncle", "oncles", m, kKin},
    {"child", "children", "enfant", "enfants", m, kPerson},
    {"friend", "friends", "ami", "amis", m, kKin},
    {"teacher", "teachers", "professeur", "professeurs", m, kPerson},
    {"student", "students", "étudiant", "étudiants", m, kPerson},
    {"doctor", "doctors", "médecin", "médecins", m, kPerson},
    {"baker", "bakers", "boulanger", "boulangers", m, kPerson},
    {"king", "kings", "roi", "rois", m, kPerson},
    {"girl", "girls", "fille", "filles", f, kPerson},
    {"woman", "women", "femme", "femmes", f, kPerson},
    {"mother", "mothers", "mère", "mères", f, kKin},
    {"sister", "sisters", "sœur", "sœurs", f, kKin},
    {"aunt", "aunts", "tante", "tantes", f, kKin},
    {"nurse", "nurses", "infirmière", "infirmières", f, kPerson},
    {"queen", "queens", "reine", "reines", f, kPerson},

    {"dog", "dogs", "chien", "chiens", m, kAnimal},
    {"cat", "cats", "chat", "chats", m, kAnimal},
    {"bird", "birds", "oiseau", "oiseaux", m, kAnimal},
    {"horse", "horses", "cheval", "chevaux", m, kAnimal},
    {"donkey", "donkeys", "âne", "ânes", m, kAnimal},
    {"cow", "cows", "vache", "vaches", f, kAnimal},
    {"mouse", "mice", "souris", "souris", f, kAnimal},

    {"computer", "computers", "ordinateur", "ordinateurs", m, kObject},
    {"phone", "phones", "téléphone", "téléphones", m, kObject},
    {"pen", "pens", "stylo", "stylos", m, kObject},
    {"knife", "knives", "couteau", "couteaux", m, kObject},
    {"hat", "hats", "chapeau", "chapeaux", m, kObject},
    {"gift", "gifts", "cadeau", "cadeaux", m, kObject | kOpening},
    {"bag", "bags", "sac", "sacs", m, kObject | kOpening | kContainer},
    {"umbrella", "umbrellas", "parapluie", "parapluies", m, kObject | kOpening},
    {"bicycle", "bicycles", "vélo", "vélos", m, kObject},
    {"car", "cars", "voiture", "voitures", f, kObject},
    {"table", "tables", "table", "tables", f, kObject},
    {"chair", "chairs", "chaise", "chaises", f, kObject},
    {"key", "keys", "clé", "clés", f, kObject},
    {"flower", "flowers", "fleur", "fleurs", f, kObject},
    {"dress", "dresses", "robe", "robes", f, kObject},
    {"shoe", "shoes", "chaussure", "chaussures", f, kObject},
    {"box", "boxes", "boîte", "boîtes", f, kObject | kOpening | kContainer},
    {"bottle", "bottles", "bouteille", "bouteilles", f, kObject | kOpening | kContainer},
    {"door", "doors", "porte", "portes", f, kFixture | kOpening},
    {"window", "windows", "fenêtre", "fenêtres", f, kFixture | kOpening},

    {"book", "books", "livre", "livres", m, kText | kOpening},
    {"poem", "poems", "poème", "poèmes", m, kText},
    {"letter", "letters", "lettre", "lettres", f, kText | kOpening},
    {"story", "stories", "histoire", "histoires", f, kText},
    {"song", "songs", "chanson", "chansons", f, kText | kSound},

    {"cake", "cakes", "gâteau", "gâteaux", m, kFood},
    {"egg", "eggs", "œuf", "œufs", m, kFood},
    {"apple", "apples", "pomme", "pommes", f, kFood},
    {"orange", "oranges", "orange", "oranges", f, kFood},
    {"banana", "bananas", "banane", "bananes", f, kFood},
    {"tomato", "tomatoes", "tomate", "tomates", f, kFood},
    {"bread", "", "pain", "", m, kDish},
    {"cheese", "", "fromage", "", m, kDish},
    {"chocolate", "", "chocolat", "", m, kDish},
    {"meat", "", "viande", "", f, kDish},
    {"soup", "", "soupe", "", f, kDish},
    {"coffee", "", "café", "", m, kDrink},
    {"tea", "", "thé", "", m, kDrink},
    {"milk", "", "lait", "", m, kDrink},
    {"wine", "", "vin", "", m, kDrink},
    {"water", "", "eau", "", f, kDrink},

    {"market", "markets", "marché", "marchés", m, kVenue},
    {"restaurant", "restaurants", "restaurant", "restaurants", m, kVenue},
    {"hotel", "hotels", "hôtel", "hôtels", m, kVenue},
    {"museum", "museums", "musée", "musées", m, kVenue},
    {"hospital", "hospitals", "hôpital", "hôpitaux", m, kVenue},
    {"office", "offices", "bureau", "bureaux", m, kVenue},
    {"school", "schools", "école", "écoles", f, kVenue},
    {"beach", "beaches", "plage", "plages", f, kVenue},
    {"library", "libraries", "bibliothèque", "bibliothèques", f, kVenue},
    {"station", "stations", "gare", "gares", f, kVenue},
    {"garden", "gardens", "jardin", "jardins", m, kSpace},
    {"park", "parks", "parc", "parcs", m, kSpace},
    {"castle", "castles", "château", "châteaux", m, kSpace},
    {"house", "houses", "maison", "maisons", f, kSpace},
    {"city", "cities", "ville", "villes", f, kSpace},
    {"church", "churches", "église", "églises", f, kSpace},

    {"art", "", "art", "", m, kIdea},
    {"winter", "", "hiver", "", m, kIdea},
    {"sport", "", "sport", "", m, kIdea},
    {"intelligence", "", "intelligence", "", f, kIdea},
    {"music", "", "musique", "", f, kIdea | kSound},
    {"nature", "", "nature", "", f, kIdea},
    {"freedom", "", "liberté", "", f, kIdea},
};

}  // namespace

std::span<const Noun> nouns() { return kNouns; }

const Noun& noun(std::string_view english) {
  const auto* found = std::ranges::find(kNouns, english, &Noun::english);
  require<ValueError>(found != std::end(kNouns), "noun: \"{}\" is not in the lexicon", english);
  return *found;
}

}  // namespace lectern::text
