#include <gtest/gtest.h>

#include "examples/text/grammar/compose.h"

namespace lectern::text {
namespace {

// Translations written by hand, rule by rule.

constexpr Tense kPast = Tense::past;
constexpr Tense kFuture = Tense::future;

void expect(const Sentence& sentence, const char* in_english, const char* in_french) {
  EXPECT_EQ(english(sentence), in_english);
  EXPECT_EQ(french(sentence).text, in_french);
}

void expect(const Clause& clause, const char* in_english, const char* in_french) {
  expect(Sentence{.clause = clause}, in_english, in_french);
}

void expect_question(const Clause& clause, const char* in_english, const char* in_french) {
  expect(Sentence{.clause = clause, .question = true}, in_english, in_french);
}

/// I see `object`.
Clause see(const char* object) {
  return {.subject = Pronoun::i, .verb = &verb("see"), .object = phrase(object)};
}

TEST(GrammarGolden, ArticlesAndGender) {
  expect(see("the dog"), "I see the dog.", "Je vois le chien.");
  expect(see("the cow"), "I see the cow.", "Je vois la vache.");
  expect(see("a dog"), "I see a dog.", "Je vois un chien.");
  expect(see("a cow"), "I see a cow.", "Je vois une vache.");
  expect(see("some cows"), "I see some cows.", "Je vois des vaches.");
  expect(see("this cow"), "I see this cow.", "Je vois cette vache.");
  expect(see("this dog"), "I see this dog.", "Je vois ce chien.");
  expect(see("this man"), "I see this man.", "Je vois cet homme.");
  expect(see("these men"), "I see these men.", "Je vois ces hommes.");
  expect(see("an old woman"), "I see an old woman.", "Je vois une vieille femme.");
  expect(see("an English woman"), "I see an English woman.", "Je vois une femme anglaise.");
}

TEST(GrammarGolden, Plurals) {
  expect(see("the horses"), "I see the horses.", "Je vois les chevaux.");
  expect(see("the mice"), "I see the mice.", "Je vois les souris.");
  expect(see("the hats"), "I see the hats.", "Je vois les chapeaux.");
  expect(see("the children"), "I see the children.", "Je vois les enfants.");
  expect(see("the hospitals"), "I see the hospitals.", "Je vois les hôpitaux.");
}

TEST(GrammarGolden, AdjectivesAgreeAndFindTheirPlace) {
  expect(see("the small black dog"), "I see the small black dog.", "Je vois le petit chien noir.");
  expect(see("the small black cow"), "I see the small black cow.",
         "Je vois la petite vache noire.");
  expect(see("the small black cows"), "I see the small black cows.",
         "Je vois les petites vaches noires.");
  expect(see("some big dogs"), "I see some big dogs.", "Je vois de grands chiens.");
  expect(see("some happy dogs"), "I see some happy dogs.", "Je vois des chiens heureux.");
  expect(see("a beautiful bird"), "I see a beautiful bird.", "Je vois un bel oiseau.");
  expect(see("a new hotel"), "I see a new hotel.", "Je vois un nouvel hôtel.");
  expect(see("an old donkey"), "I see an old donkey.", "Je vois un vieil âne.");
  expect(see("the old donkeys"), "I see the old donkeys.", "Je vois les vieux ânes.");
  expect(see("the white doors"), "I see the white doors.", "Je vois les portes blanches.");
  expect({.subject = phrase("the girls"), .verb = &verb("be"), .predicate = &adjective("happy")},
         "The girls are happy.", "Les filles sont heureuses.");
  expect({.subject = Pronoun::she,
          .verb = &verb("be"),
          .tense = kPast,
          .predicate = &adjective("tired"),
          .very = true},
         "She was very tired.", "Elle était très fatiguée.");
  expect({.subject = Pronoun::they,
          .verb = &verb("be"),
          .tense = kFuture,
          .predicate = &adjective("kind")},
         "They will be kind.", "Ils seront gentils.");
  expect({.subject = phrase("the soup"),
          .verb = &verb("be"),
          .negated = true,
          .predicate = &adjective("good")},
         "The soup is not good.", "La soupe n'est pas bonne.");
}

TEST(GrammarGolden, Present) {
  const auto sleep = [](Nominal subject) {
    return Clause{.subject = std::move(subject), .verb = &verb("sleep")};
  };
  expect(sleep(Pronoun::i), "I sleep.", "Je dors.");
  expect(sleep(Pronoun::you), "You sleep.", "Tu dors.");
  expect(sleep(Pronoun::he), "He sleeps.", "Il dort.");
  expect(sleep(Pronoun::she), "She sleeps.", "Elle dort.");
  expect(sleep(Pronoun::we), "We sleep.", "Nous dormons.");
  expect(sleep(Pronoun::they), "They sleep.", "Ils dorment.");
  expect(sleep(phrase("Marie")), "Marie sleeps.", "Marie dort.");
  expect(sleep(phrase("my cats")), "My cats sleep.", "Mes chats dorment.");
}

TEST(GrammarGolden, Past) {
  const auto past = [](Nominal subject, const char* word) {
    return Clause{.subject = std::move(subject), .verb = &verb(word), .tense = kPast};
  };
  expect(past(Pronoun::i, "sing"), "I sang.", "J'ai chanté.");
  expect(past(Pronoun::they, "work"), "They worked.", "Ils ont travaillé.");
  expect(past(Pronoun::she, "leave"), "She left.", "Elle est partie.");
  expect(past(Pronoun::we, "arrive"), "We arrived.", "Nous sommes arrivés.");
  expect(past(phrase("the cows"), "arrive"), "The cows arrived.", "Les vaches sont arrivées.");
  Clause have = past(Pronoun::you, "have");
  have.object = phrase("a car");
  expect(have, "You had a car.", "Tu avais une voiture.");
  Clause want = past(Pronoun::we, "want");
  want.object = phrase("some tea");
  expect(want, "We wanted some tea.", "Nous voulions du thé.");
}

TEST(GrammarGolden, Future) {
  expect({.subject = Pronoun::i,
          .verb = &verb("go", "to"),
          .tense = kFuture,
          .object = phrase("the school")},
         "I will go to the school.", "J'irai à l'école.");
  expect({.subject = Pronoun::we,
          .verb = &verb("send"),
          .tense = kFuture,
          .object = phrase("a letter"),
          .recipient = phrase("the child")},
         "We will send a letter to the child.", "Nous enverrons une lettre à l'enfant.");
  expect({.subject = phrase("the men"),
          .verb = &verb("see"),
          .tense = kFuture,
          .object = phrase("the queen")},
         "The men will see the queen.", "Les hommes verront la reine.");
  expect({.subject = Pronoun::you,
          .verb = &verb("buy"),
          .tense = kFuture,
          .object = phrase("a bicycle"),
          .time = &time_phrase("tomorrow")},
         "You will buy a bicycle tomorrow.", "Tu achèteras un vélo demain.");
}

TEST(GrammarGolden, Negation) {
  expect({.subject = Pronoun::i, .verb = &verb("sing"), .negated = true}, "I do not sing.",
         "Je ne chante pas.");
  expect({.subject = Pronoun::she, .verb = &verb("arrive"), .tense = kPast, .negated = true},
         "She did not arrive.", "Elle n'est pas arrivée.");
  expect(
      {.subject = Pronoun::he, .verb = &verb("have"), .negated = true, .object = phrase("a cat")},
      "He does not have a cat.", "Il n'a pas de chat.");
  expect({.subject = Pronoun::we,
          .verb = &verb("have"),
          .negated = true,
          .object = phrase("any friends")},
         "We do not have any friends.", "Nous n'avons pas d'amis.");
  expect({.subject = Pronoun::i,
          .verb = &verb("have"),
          .negated = true,
          .object = phrase("three cats")},
         "I do not have three cats.", "Je n'ai pas trois chats.");
  expect(
      {.subject = Pronoun::they, .verb = &verb("love"), .negated = true, .object = phrase("dogs")},
      "They do not love dogs.", "Ils n'aiment pas les chiens.");
  expect({.subject = Pronoun::you,
          .verb = &verb("drink"),
          .tense = kFuture,
          .negated = true,
          .object = phrase("any water")},
         "You will not drink any water.", "Tu ne boiras pas d'eau.");
  expect({.subject = Pronoun::i,
          .verb = &verb("talk", "to"),
          .negated = true,
          .object = phrase("a child")},
         "I do not talk to a child.", "Je ne parle pas à un enfant.");
}

TEST(GrammarGolden, ObjectPronouns) {
  const auto saw = [](Pronoun object) {
    return Clause{
        .subject = phrase("the boy"), .verb = &verb("see"), .tense = kPast, .object = object};
  };
  expect(saw(Pronoun::i), "The boy saw me.", "Le garçon m'a vu.");
  expect(saw(Pronoun::you), "The boy saw you.", "Le garçon t'a vu.");
  expect(saw(Pronoun::he), "The boy saw him.", "Le garçon l'a vu.");
  expect(saw(Pronoun::she), "The boy saw her.", "Le garçon l'a vue.");
  expect(saw(Pronoun::we), "The boy saw us.", "Le garçon nous a vus.");
  expect(saw(Pronoun::they), "The boy saw them.", "Le garçon les a vus.");
  expect({.subject = Pronoun::i, .verb = &verb("look", "for"), .object = Pronoun::she},
         "I look for her.", "Je la cherche.");
  expect({.subject = Pronoun::he,
          .verb = &verb("listen", "to"),
          .negated = true,
          .object = Pronoun::i},
         "He does not listen to me.", "Il ne m'écoute pas.");
  expect({.subject = Pronoun::she,
          .verb = &verb("wait", "for"),
          .tense = kPast,
          .negated = true,
          .object = Pronoun::she},
         "She did not wait for her.", "Elle ne l'a pas attendue.");
}

TEST(GrammarGolden, Elision) {
  expect(see("the uncle"), "I see the uncle.", "Je vois l'oncle.");
  expect(see("the school"), "I see the school.", "Je vois l'école.");
  expect({.subject = Pronoun::i, .verb = &verb("open"), .object = phrase("the umbrella")},
         "I open the umbrella.", "J'ouvre le parapluie.");
  expect({.subject = phrase("the eggs of the aunt"),
          .verb = &verb("be"),
          .predicate = &adjective("fresh")},
         "The eggs of the aunt are fresh.", "Les œufs de la tante sont frais.");
  expect(see("the hat of the nurse"), "I see the hat of the nurse.",
         "Je vois le chapeau de l'infirmière.");
  expect(see("the cat of Alice"), "I see the cat of Alice.", "Je vois le chat d'Alice.");
  expect(see("eleven eggs"), "I see eleven eggs.", "Je vois onze œufs.");
}

TEST(GrammarGolden, Contractions) {
  expect({.subject = Pronoun::i, .verb = &verb("talk", "to"), .object = phrase("the baker")},
         "I talk to the baker.", "Je parle au boulanger.");
  expect({.subject = Pronoun::i, .verb = &verb("talk", "to"), .object = phrase("the nurses")},
         "I talk to the nurses.", "Je parle aux infirmières.");
  expect({.subject = Pronoun::i, .verb = &verb("talk", "to"), .object = phrase("the doctors")},
         "I talk to the doctors.", "Je parle aux médecins.");
  expect({.subject = Pronoun::he, .verb = &verb("come", "from"), .object = phrase("the park")},
         "He comes from the park.", "Il vient du parc.");
  expect({.subject = Pronoun::he, .verb = &verb("come", "from"), .object = phrase("the hotel")},
         "He comes from the hotel.", "Il vient de l'hôtel.");
  expect({.subject = Pronoun::he, .verb = &verb("come", "from"), .object = phrase("the beach")},
         "He comes from the beach.", "Il vient de la plage.");
  expect(see("the dogs of the king"), "I see the dogs of the king.", "Je vois les chiens du roi.");
  expect(see("the dog of the children"), "I see the dog of the children.",
         "Je vois le chien des enfants.");
  expect({.subject = Pronoun::she, .verb = &verb("eat"), .object = phrase("some bread")},
         "She eats some bread.", "Elle mange du pain.");
  expect({.subject = Pronoun::she, .verb = &verb("eat"), .object = phrase("some soup")},
         "She eats some soup.", "Elle mange de la soupe.");
  expect({.subject = Pronoun::she, .verb = &verb("drink"), .object = phrase("some cold water")},
         "She drinks some cold water.", "Elle boit de l'eau froide.");
  expect({.subject = Pronoun::we, .verb = &verb("sleep"), .place = place("near the castle")},
         "We sleep near the castle.", "Nous dormons près du château.");
}

TEST(GrammarGolden, Possessives) {
  expect(see("my brother"), "I see my brother.", "Je vois mon frère.");
  expect(see("my sister"), "I see my sister.", "Je vois ma sœur.");
  expect(see("my school"), "I see my school.", "Je vois mon école.");
  expect(see("my new school"), "I see my new school.", "Je vois ma nouvelle école.");
  expect(see("his mother"), "I see his mother.", "Je vois sa mère.");
  expect(see("her father"), "I see her father.", "Je vois son père.");
  expect(see("her cars"), "I see her cars.", "Je vois ses voitures.");
  expect(see("your uncle"), "I see your uncle.", "Je vois ton oncle.");
  expect(see("our three cars"), "I see our three cars.", "Je vois nos trois voitures.");
  expect(see("their house"), "I see their house.", "Je vois leur maison.");
  expect(see("their houses"), "I see their houses.", "Je vois leurs maisons.");
}

TEST(GrammarGolden, Questions) {
  expect_question({.subject = phrase("the teacher"), .verb = &verb("sing")},
                  "Does the teacher sing?", "Est-ce que le professeur chante ?");
  expect_question({.subject = Pronoun::she, .verb = &verb("have"), .object = phrase("any apples")},
                  "Does she have any apples?", "Est-ce qu'elle a des pommes ?");
  expect_question({.subject = Pronoun::they, .verb = &verb("leave"), .tense = kPast},
                  "Did they leave?", "Est-ce qu'ils sont partis ?");
  expect_question({.subject = Pronoun::you, .verb = &verb("be"), .predicate = &adjective("happy")},
                  "Are you happy?", "Est-ce que tu es heureux ?");
  expect_question({.subject = Pronoun::we, .verb = &verb("leave"), .tense = kFuture},
                  "Will we leave?", "Est-ce que nous partirons ?");
  const Clause work{.subject = Pronoun::he, .verb = &verb("work")};
  expect({.clause = work, .question = true, .question_word = &question_words()[0]},
         "Why does he work?", "Pourquoi est-ce qu'il travaille ?");
  expect({.clause = work, .question = true, .question_word = &question_words()[1]},
         "When does he work?", "Quand est-ce qu'il travaille ?");
  expect({.clause = work, .question = true, .question_word = &question_words()[2]},
         "Where does he work?", "Où est-ce qu'il travaille ?");
  const Clause buy{.subject = Pronoun::you, .verb = &verb("buy"), .object = phrase("some bread")};
  expect({.clause = buy, .question = true, .question_word = &question_words()[2]},
         "Where do you buy some bread?", "Où est-ce que tu achètes du pain ?");
}

TEST(GrammarGolden, GenericNouns) {
  const auto love = [](const char* object) {
    return Clause{.subject = Pronoun::i, .verb = &verb("love"), .object = phrase(object)};
  };
  expect(love("artificial intelligence"), "I love artificial intelligence.",
         "J'aime l'intelligence artificielle.");
  expect(love("cats"), "I love cats.", "J'aime les chats.");
  expect(love("cold milk"), "I love cold milk.", "J'aime le lait froid.");
  expect(love("old books"), "I love old books.", "J'aime les vieux livres.");
}

TEST(GrammarGolden, NumbersAndAdverbials) {
  expect(see("two big dogs"), "I see two big dogs.", "Je vois deux grands chiens.");
  expect(see("the twenty keys"), "I see the twenty keys.", "Je vois les vingt clés.");
  expect({.subject = Pronoun::she,
          .verb = &verb("sing"),
          .tense = kFuture,
          .place = place("in Paris"),
          .time = &time_phrase("next week"),
          .time_first = true},
         "Next week, she will sing in Paris.", "La semaine prochaine, elle chantera à Paris.");
  expect({.subject = Pronoun::he,
          .verb = &verb("work"),
          .tense = kPast,
          .place = place("with my friends"),
          .time = &time_phrase("on Monday")},
         "He worked with my friends on Monday.", "Il a travaillé avec mes amis lundi.");
}

TEST(GrammarGolden, ClausesThatDependOnOthers) {
  const Clause sleeps{.subject = Pronoun::she, .verb = &verb("sleep")};
  expect({.clause = sleeps,
          .opinion = Opinion{.subject = Pronoun::i, .verb = &subordinate_verbs()[0]}},
         "I think that she sleeps.", "Je pense qu'elle dort.");
  expect({.clause = {.subject = Pronoun::we, .verb = &verb("work")},
          .opinion = Opinion{.subject = phrase("my mother"), .verb = &subordinate_verbs()[3]}},
         "My mother hopes that we work.", "Ma mère espère que nous travaillons.");
  const Clause work{.subject = phrase("Paul"), .verb = &verb("work")};
  expect({.clause = work, .conjunction = &conjunction("because"), .second = sleeps},
         "Paul works because she sleeps.", "Paul travaille parce qu'elle dort.");
  expect({.clause = work, .conjunction = &conjunction("and"), .second = sleeps},
         "Paul works and she sleeps.", "Paul travaille et elle dort.");
  expect({.clause = work, .conjunction = &conjunction("but"), .second = sleeps},
         "Paul works, but she sleeps.", "Paul travaille, mais elle dort.");
}

}  // namespace
}  // namespace lectern::text
