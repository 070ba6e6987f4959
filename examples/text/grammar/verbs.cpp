#include <algorithm>

#include "examples/text/grammar/lexicon.h"
#include "tensor/error.h"

namespace lectern::text {

namespace {

constexpr NounClasses kGoods = kObject | kText | kFood;
constexpr NounClasses kMass = kDish | kDrink;
constexpr NounClasses kSights = kAlive | kObject | kFixture | kPlace;
constexpr NounClasses kAnything = kAlive | kGoods | kFixture | kMass | kPlace;
constexpr Adverbials kAnywhere = kWhere | kTime;
constexpr bool pronouns = true;
constexpr bool etre = true;

// English past and present differ in every verb (so no read, put, cut): the English must tell the
// tense. States (be, have, want) have the imparfait as their past, all others the passé composé.
constexpr Verb kVerbs[] = {
    {"be", "is", "was", "", "suis es est sommes sont", "ser", "", "ét", !etre, "", Frame::predicate,
     kAlive | kAnything, 0, !pronouns, 0},

    {"sleep", "sleeps", "slept", "", "dors dors dort dormons dorment", "dormir", "dormi", "", !etre,
     "", Frame::none, kAlive, 0, !pronouns, kAnywhere},
    {"sing", "sings", "sang", "", "chante chantes chante chantons chantent", "chanter", "chanté",
     "", !etre, "", Frame::none, kAnyone, 0, !pronouns, kAnywhere | kWith | kFor},
    {"work", "works", "worked", "", "travaille travailles travaille travaillons travaillent",
     "travailler", "travaillé", "", !etre, "", Frame::none, kAnyone, 0, !pronouns,
     kAnywhere | kWith | kFor},
    {"arrive", "arrives", "arrived", "", "arrive arrives arrive arrivons arrivent", "arriver",
     "arrivé", "", etre, "", Frame::none, kAlive, 0, !pronouns, kAt | kTime | kWith},
    {"leave", "leaves", "left", "", "pars pars part partons partent", "partir", "parti", "", etre,
     "", Frame::none, kAlive, 0, !pronouns, kTime | kWith},

    {"go", "goes", "went", "to", "vais vas va allons vont", "ir", "allé", "", etre, "à",
     Frame::object, kAlive, kVenue, !pronouns, kTime | kWith},
    {"come", "comes", "came", "from", "viens viens vient venons viennent", "viendr", "venu", "",
     etre, "de", Frame::object, kAlive, kPlace, !pronouns, kTime | kWith},
    {"talk", "talks", "talked", "to", "parle parles parle parlons parlent", "parler", "parlé", "",
     !etre, "à", Frame::object, kAnyone, kAlive, !pronouns, kAnywhere},
    {"think", "thinks", "thought", "about", "pense penses pense pensons pensent", "penser", "pensé",
     "", !etre, "à", Frame::object, kAnyone, kAlive | kText | kPlace, !pronouns, kTime},
    {"play", "plays", "played", "with", "joue joues joue jouons jouent", "jouer", "joué", "", !etre,
     "avec", Frame::object, kAlive, kAlive, !pronouns, kAnywhere},

    {"eat", "eats", "ate", "", "mange manges mange mangeons mangent", "manger", "mangé", "", !etre,
     "", Frame::object, kAlive, kFood | kDish, !pronouns, kAnywhere | kWith},
    {"drink", "drinks", "drank", "", "bois bois boit buvons boivent", "boir", "bu", "", !etre, "",
     Frame::object, kAnyone, kDrink, !pronouns, kAnywhere | kWith},
    {"buy", "buys", "bought", "", "achète achètes achète achetons achètent", "achèter", "acheté",
     "", !etre, "", Frame::object, kAnyone, kGoods | kMass | kAnimal, !pronouns,
     kAt | kTime | kFor},
    {"take", "takes", "took", "", "prends prends prend prenons prennent", "prendr", "pris", "",
     !etre, "", Frame::object, kAnyone, kObject | kFood, !pronouns, kTime},
    {"open", "opens", "opened", "", "ouvre ouvres ouvre ouvrons ouvrent", "ouvrir", "ouvert", "",
     !etre, "", Frame::object, kAnyone, kOpening, !pronouns, kTime},
    {"close", "closes", "closed", "", "ferme fermes ferme fermons ferment", "fermer", "fermé", "",
     !etre, "", Frame::object, kAnyone, kOpening, !pronouns, kTime},
    {"write", "writes", "wrote", "", "écris écris écrit écrivons écrivent", "écrir", "écrit", "",
     !etre, "", Frame::object, kAnyone, kText, !pronouns, kAnywhere | kWith | kFor},
    {"visit", "visits", "visited", "", "visite visites visite visitons visitent", "visiter",
     "visité", "", !etre, "", Frame::object, kAnyone, kPlace, !pronouns, kTime | kWith},

    {"see", "sees", "saw", "", "vois vois voit voyons voient", "verr", "vu", "", !etre, "",
     Frame::object, kAlive, kSights, pronouns, kAnywhere},
    {"find", "finds", "found", "", "trouve trouves trouve trouvons trouvent", "trouver", "trouvé",
     "", !etre, "", Frame::object, kAlive, kAlive | kGoods, pronouns, kAnywhere},
    {"look", "looks", "looked", "for", "cherche cherches cherche cherchons cherchent", "chercher",
     "cherché", "", !etre, "", Frame::object, kAlive, kAlive | kObject | kText | kVenue, pronouns,
     kTime},
    {"wait", "waits", "waited", "for", "attends attends attend attendons attendent", "attendr",
     "attendu", "", !etre, "", Frame::object, kAlive, kAnyone, pronouns, kAnywhere},
    {"watch", "watches", "watched", "", "regarde regardes regarde regardons regardent", "regarder",
     "regardé", "", !etre, "", Frame::object, kAlive, kAlive, pronouns, kAnywhere},
    {"listen", "listens", "listened", "to", "écoute écoutes écoute écoutons écoutent", "écouter",
     "écouté", "", !etre, "", Frame::object, kAlive, kAnyone | kSound, pronouns, kAnywhere},
    {"help", "helps", "helped", "", "aide aides aide aidons aident", "aider", "aidé", "", !etre, "",
     Frame::object, kAnyone, kAlive, pronouns, kAnywhere},

    {"love", "loves", "loved", "", "aime aimes aime aimons aiment", "aimer", "aimé", "", !etre, "",
     Frame::liking, kAnyone, kAnything | kIdea, pronouns, 0},
    {"hate", "hates", "hated", "", "déteste détestes déteste détestons détestent", "détester",
     "détesté", "", !etre, "", Frame::liking, kAnyone, kAnything | kIdea, pronouns, 0},
    {"study", "studies", "studied", "", "étudie étudies étudie étudions étudient", "étudier",
     "étudié", "", !etre, "", Frame::liking, kAnyone, kIdea, !pronouns, kAt | kTime | kWith},
    {"want", "wants", "wanted", "", "veux veux veut voulons veulent", "voudr", "", "voul", !etre,
     "", Frame::object, kAnyone, kGoods | kMass, !pronouns, kTime},
    {"have", "has", "had", "", "ai as a avons ont", "aur", "", "av", !etre, "", Frame::object,
     kAnyone, kGoods | kMass | kAnimal, !pronouns, kTime},

    {"give", "gives", "gave", "", "donne donnes donne donnons donnent", "donner", "donné", "",
     !etre, "", Frame::two, kAnyone, kGoods, !pronouns, kTime},
    {"send", "sends", "sent", "", "envoie envoies envoie envoyons envoient", "enverr", "envoyé", "",
     !etre, "", Frame::two, kAnyone, kObject | kText, !pronouns, kTime},
};

constexpr Verb kSubordinateVerbs[] = {
    {"think", "thinks", "thought", "", "pense penses pense pensons pensent", "penser", "pensé", "",
     !etre, "", Frame::subordinate, kAnyone, 0, !pronouns, 0},
    {"know", "knows", "knew", "", "sais sais sait savons savent", "saur", "", "sav", !etre, "",
     Frame::subordinate, kAnyone, 0, !pronouns, 0},
    {"say", "says", "said", "", "dis dis dit disons disent", "dir", "dit", "", !etre, "",
     Frame::subordinate, kAnyone, 0, !pronouns, 0},
    {"hope", "hopes", "hoped", "", "espère espères espère espérons espèrent", "espérer", "espéré",
     "", !etre, "", Frame::subordinate, kAnyone, 0, !pronouns, 0},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }
std::span<const Verb> subordinate_verbs() { return kSubordinateVerbs; }

const Verb& verb(std::string_view english, std::string_view preposition) {
  const auto* found = std::ranges::find_if(kVerbs, [&](const Verb& candidate) {
    return candidate.english == english && candidate.english_preposition == preposition;
  });
  require<ValueError>(found != std::end(kVerbs), "verb: \"{}\" with \"{}\" is not in the lexicon",
                      english, preposition);
  return *found;
}

}  // namespace lectern::text
