#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <unordered_map>

#include "examples/text/grammar/compose.h"
#include "examples/text/grammar/corpus.h"
#include "examples/text/grammar/derivation.h"
#include "examples/text/grammar/hash.h"
#include "examples/text/tokenizer.h"
#include "examples/text/unicode.h"
#include "tensor/error.h"
#include "tests/examples/text/temporary_file.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

constexpr std::int64_t kTrainingPairs = 30'000;

const std::vector<SentencePair>& training() {
  static const std::vector<SentencePair> pairs = draw(Split::train, kTrainingPairs, 1);
  return pairs;
}

const std::vector<SentencePair>& test_split() {
  static const std::vector<SentencePair> pairs = draw(Split::test, 1000, 3);
  return pairs;
}

/// Words and punctuation, in small letters.
std::vector<std::string> words(const std::string& text) { return tokenize(clean_up(text)); }

std::set<std::string> numeral_words() {
  std::set<std::string> result;
  for (const Phrase& numeral : numerals()) result.emplace(numeral.english);
  return result;
}

TEST(Grammar, TheEnglishDeterminesTheFrenchAndTheSentence) {
  std::unordered_map<std::string, std::uint64_t> first_seen;
  for (std::uint64_t index = 0; index < 200'000; ++index) {
    const Sentence sentence = random_sentence(5, index);
    const auto [entry, is_new] = first_seen.try_emplace(english(sentence), index);
    if (is_new) continue;
    const Sentence other = random_sentence(5, entry->second);
    ASSERT_EQ(french(sentence).text, french(other).text) << entry->first;
    ASSERT_EQ(sentence, other) << entry->first;  // so what is counted are sentences
  }
}

TEST(Grammar, NoSentenceIsInTwoSplits) {
  std::map<std::string, Split> home;
  for (const SentencePair& pair : training()) home.emplace(pair.english, Split::train);
  for (const Split split : {Split::valid, Split::test, Split::compositions}) {
    for (const SentencePair& pair : draw(split, 2000, 1))
      EXPECT_TRUE(home.emplace(pair.english, split).second) << pair.english;
  }
  EXPECT_EQ(home.size(), static_cast<std::size_t>(kTrainingPairs) + 3 * 2000);
  for (const SentencePair& pair : demo_sentences()) EXPECT_FALSE(home.contains(pair.english));
}

TEST(Grammar, TheDemoSentencesAreInNoSplit) {
  const Sentence seed{.clause = {.subject = Pronoun::i,
                                 .verb = &verb("love"),
                                 .object = phrase("artificial intelligence")}};
  EXPECT_EQ(split_of(seed), std::nullopt);
  EXPECT_EQ(demo_sentences().size(), 10U);
  EXPECT_EQ(demo_sentences().front().english, "I love artificial intelligence.");
  EXPECT_EQ(demo_sentences().front().french, "J'aime l'intelligence artificielle.");
}

TEST(Grammar, TestSentencesHaveSevenWordsAndAFifthOfThemTen) {
  std::ptrdiff_t total = 0;
  int long_ones = 0;
  for (const SentencePair& pair : test_split()) {
    const std::ptrdiff_t count = 1 + std::ranges::count(pair.english, ' ');
    total += count;
    if (count >= 10) ++long_ones;
  }
  EXPECT_GE(total, 6500);
  EXPECT_LE(total, 7500);
  EXPECT_GE(long_ones, 200);
}

TEST(Grammar, EveryPhenomenonIsInATwentiethOfTheTest) {
  std::map<Phenomenon, int> count;
  for (const SentencePair& pair : test_split())
    for (const Phenomenon phenomenon : pair.phenomena) ++count[phenomenon];
  for (const Phenomenon phenomenon : kPhenomena)
    EXPECT_GE(count[phenomenon], 50) << phenomenon_name(phenomenon);
}

TEST(Grammar, TagsSayWhatIsInTheSentence) {
  const auto tags = [](const Sentence& s) { return phenomena(s, french(s)); };
  using enum Phenomenon;
  const std::vector<Phenomenon> seed{article, agreement, adjective_after,
                                     pronoun, present,   elision};
  EXPECT_EQ(demo_sentences().front().phenomena, seed);
  Sentence many;
  many.opinion = Opinion{.subject = phrase("Paul"), .verb = &subordinate_verbs()[0]};
  many.clause.subject = phrase("my sister");
  many.clause.verb = &verb("talk", "to");
  many.clause.tense = Tense::past;
  many.clause.negated = true;
  many.clause.object = phrase("the two old bakers");
  const std::vector<Phenomenon> expected{article,     plural,     agreement, adjective_before,
                                         present,     past,       negation,  elision,
                                         contraction, possessive, number,    subordinate};
  EXPECT_EQ(tags(many), expected);
}

TEST(Grammar, ATenthOfThePairsOfWordsIsNeverJoinedInTraining) {
  const std::vector<WordPair> all = derivable_word_pairs();
  const auto apart = std::ranges::count_if(all, held_out);
  EXPECT_GE(apart * 10, std::ssize(all));

  const std::set<WordPair> derivable(all.begin(), all.end());
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const Sentence sentence = random_sentence(1, index);
    const std::vector<WordPair> pairs = word_pairs(sentence);
    for (const WordPair& pair : pairs)
      EXPECT_TRUE(derivable.contains(pair)) << pair.first << " " << pair.second;
    const std::optional<Split> split = split_of(sentence);
    if (!split) continue;
    EXPECT_EQ(std::ranges::any_of(pairs, held_out), split == Split::compositions);
  }
}

TEST(Grammar, AnAdjectiveNeverStandsBeforeANounItIsKeptFrom) {
  std::set<std::pair<std::string, std::string>> neighbours;
  for (const SentencePair& pair : training()) {
    const std::vector<std::string> text = words(pair.english);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) neighbours.emplace(text[i], text[i + 1]);
  }
  for (const Noun& noun : nouns()) {
    for (const Adjective& adjective : adjectives()) {
      const std::string one(noun.english), many(noun.english_plural), word(adjective.english);
      if (!held_out({word, one})) continue;
      EXPECT_FALSE(neighbours.contains({clean_up(word), clean_up(one)})) << word << " " << one;
      EXPECT_FALSE(neighbours.contains({clean_up(word), many})) << word << " " << many;
    }
  }
}

TEST(Grammar, EveryWordOfACompositionIsSeenTwentyTimesInTraining) {
  std::unordered_map<std::string, int> seen;
  for (const SentencePair& pair : training())
    for (const std::string& word : words(pair.english)) ++seen[word];
  for (const SentencePair& pair : draw(Split::compositions, 2000, 4))
    for (const std::string& word : words(pair.english)) EXPECT_GE(seen[word], 20) << word;
}

TEST(Grammar, HasThreeHundredWordsAndTenMillionSentences) {
  std::set<std::string> vocabulary;
  for (const SentencePair& pair : training())
    for (const std::string& word : words(pair.english))
      if (is_word_character(static_cast<unsigned char>(word.front()))) vocabulary.insert(word);
  for (const std::string& numeral : numeral_words()) vocabulary.erase(numeral);
  EXPECT_GE(vocabulary.size(), 300U);
  EXPECT_GE(derivable_sentences(), 10'000'000U);
}

TEST(Grammar, CountsWhatItDraws) {
  const NounPhraseRule names{kName, Determiners::all, true, true};
  EXPECT_EQ(derivable_noun_phrases(names), 4U);
  // 5 drinks: the, this, six possessives, and some.
  const NounPhraseRule drinks{kDrink, Determiners::all, false, false};
  EXPECT_EQ(derivable_noun_phrases(drinks), 5U * 9);
  // 5 texts: the, this and the possessives in the singular, the plural, and the plural with a
  // numeral; a; the bare numeral; some.
  const NounPhraseRule texts{kText, Determiners::all, false, false};
  EXPECT_EQ(derivable_noun_phrases(texts), 5U * (3 * 8 + 3));
}

TEST(Grammar, NoVowelsMeetAndNoArticleStandsApart) {
  const std::set<std::string> elidable{"je", "le", "la", "ne", "de", "que",
                                       "me", "te", "ma", "ta", "sa", "ce"};
  const std::set<std::string> vowels{"a", "e", "i", "o", "u", "h", "é", "ê", "â", "œ"};
  for (const SentencePair& pair : training()) {
    const std::vector<std::string> text = words(pair.french);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const std::string& next = text[i + 1];
      const bool accented = static_cast<unsigned char>(next.front()) >= 0x80;
      const bool vowel = vowels.contains(next.substr(0, accented ? 2 : 1));
      const bool pronounced_apart = next == "huit" || next == "onze";
      EXPECT_FALSE(elidable.contains(text[i]) && vowel && !pronounced_apart) << pair.french;
      const bool contracted = text[i] == "de" || text[i] == "à";
      EXPECT_FALSE(contracted && (next == "le" || next == "les")) << pair.french;
    }
  }
}

TEST(Grammar, TheTokenizerGivesTheFrenchBack) {
  for (const SentencePair& pair : test_split()) {
    EXPECT_EQ(detokenize(tokenize(pair.french)), pair.french);
    const std::string small = clean_up(pair.french);
    EXPECT_EQ(detokenize(tokenize(small)), small);
  }
}

TEST(Grammar, DrawsTheSameSentencesOnEveryMachine) {
  std::string text;
  for (const SentencePair& pair : draw(Split::train, 1000, 1))
    text += pair.english + "\t" + pair.french + "\n";
  EXPECT_EQ(stable_hash(text), 17300964799199195285U);
  EXPECT_EQ(training().front().english, "I left.");
}

TEST(Grammar, ALongerDrawBeginsWithTheShorterOne) {
  const std::vector<SentencePair> ten = draw(Split::test, 10, 3);
  for (std::size_t i = 0; i < ten.size(); ++i) EXPECT_EQ(ten[i].english, test_split()[i].english);
  EXPECT_NE(draw(Split::test, 1, 4).front().english, ten.front().english);
}

TEST(Grammar, SaysWhatItDoesNotKnow) {
  EXPECT_THROW_TEXT(draw(Split::train, -1, 1), ValueError,
                    "draw: count is -1; it must be between 0 and 1000000");
  EXPECT_THROW_TEXT(phrase("the zebra"), ValueError, "noun: \"zebra\" is not in the lexicon");
  EXPECT_THROW_TEXT(phrase("the purple cat"), ValueError,
                    "adjective: \"purple\" is not in the lexicon");
  EXPECT_THROW_TEXT(verb("talk", "with"), ValueError,
                    "verb: \"talk\" with \"with\" is not in the lexicon");
  EXPECT_THROW_TEXT(place("under the table"), ValueError,
                    "place: \"under the table\" begins with no preposition of the lexicon");
  EXPECT_THROW_TEXT(time_phrase("never"), ValueError,
                    "time_phrase: \"never\" is not in the lexicon");
  EXPECT_THROW_TEXT(conjunction("or"), ValueError, "conjunction: \"or\" is not in the lexicon");
}

TEST(Grammar, SlowHunspellKnowsEveryFrenchWord) {
  if (std::system("echo maison | hunspell -d fr -l > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "hunspell with a French dictionary is not installed";
  const TemporaryFile file("");
  {
    std::ofstream out(file.path());
    for (const SentencePair& pair : training()) out << pair.french << '\n';
  }
  const std::string command = "hunspell -d fr -l " + file.name();
  std::FILE* output = popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string unknown;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output))
    unknown += static_cast<char>(c);
  pclose(output);
  EXPECT_EQ(unknown, "");
}

}  // namespace
}  // namespace lectern::text
