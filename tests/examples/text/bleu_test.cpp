#include "examples/text/bleu.h"

#include <gtest/gtest.h>

#include "examples/text/tokenizer.h"
#include "tensor/build_info.h"
#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

using Words = std::vector<std::string>;
constexpr double kTolerance = 1e-5;

Words split(const std::string& text) {
  Words words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

struct Segment {
  std::string output;
  Words references;
};

double score(const std::vector<Segment>& segments, BleuSmoothing smoothing) {
  std::vector<Words> outputs;
  std::vector<std::vector<Words>> references;
  for (const Segment& segment : segments) {
    outputs.push_back(split(segment.output));
    auto& mine = references.emplace_back();
    for (const std::string& reference : segment.references) mine.push_back(split(reference));
  }
  return corpus_bleu(outputs, references, smoothing).score;
}

double plain(const std::vector<Segment>& segments) { return score(segments, BleuSmoothing::none); }
double smoothed(const std::vector<Segment>& segments) {
  return score(segments, BleuSmoothing::exp);
}

// Chosen: a corpus without a 4-gram scores 0; no segments at all is an error.
TEST(Cases, Cases_9_1_EmptyShortDisjoint) {
  const std::vector<Segment> empty{{"", {"un chat dort ici ."}}};
  EXPECT_EQ(plain(empty), 0);
  EXPECT_EQ(smoothed(empty), 0);

  EXPECT_THROW_TEXT(corpus_bleu({}, {}), ValueError, "corpus_bleu: there is no sentence to score");

  const std::vector<Segment> half{{"le petit chat noir dort", {"le petit chat noir dort"}},
                                  {"", {"oui madame"}}};
  EXPECT_NEAR(plain(half), 67.032005, kTolerance);
  EXPECT_NEAR(smoothed(half), 67.032005, kTolerance);
  const Bleu parts = corpus_bleu(
      std::vector<Words>{split("le petit chat noir dort"), {}},
      std::vector<std::vector<Words>>{{split("le petit chat noir dort")}, {split("oui madame")}});
  EXPECT_NEAR(parts.brevity_penalty, 0.670320046, 1e-9);

  EXPECT_EQ(plain({{"bonjour monde", {"bonjour monde"}}}), 0);
  EXPECT_EQ(smoothed({{"bonjour monde", {"bonjour monde"}}}), 0);
  EXPECT_EQ(plain({{"rouge", {"vert"}}}), 0);
  EXPECT_EQ(smoothed({{"rouge", {"vert"}}}), 0);

  const std::vector<Segment> carpet{
      {"le chat est sur le tapis rouge", {"le chat dort sur le tapis bleu"}}};
  EXPECT_EQ(plain(carpet), 0);
  EXPECT_NEAR(smoothed(carpet), 30.739408, kTolerance);
  const Bleu matches =
      corpus_bleu(std::vector<Words>{split("le chat est sur le tapis rouge")},
                  std::vector<std::vector<Words>>{{split("le chat dort sur le tapis bleu")}},
                  BleuSmoothing::none);
  EXPECT_NEAR(matches.precisions[0], 100.0 * 5 / 7, 1e-9);
  EXPECT_NEAR(matches.precisions[1], 100.0 * 3 / 6, 1e-9);
  EXPECT_NEAR(matches.precisions[2], 100.0 * 1 / 5, 1e-9);
  EXPECT_EQ(matches.precisions[3], 0);

  const Bleu seven =
      corpus_bleu(std::vector<Words>{split("le le le le le le le")},
                  std::vector<std::vector<Words>>{{split("le chat est sur le tapis")}});
  EXPECT_NEAR(seven.precisions[0], 100.0 * 2 / 7, 1e-9);
  EXPECT_EQ(seven.output_length, 7);

  EXPECT_NEAR(plain({{"a b c d e f", {"a b c d e f"}}}), 100, 1e-9);
  EXPECT_LE(plain({{"a b c d e f", {"a b c d e f"}}}), 100);
}

TEST(Cases, Cases_9_2_ReferenceLength) {
  const std::string five = "je mange une pomme rouge", four = "je mange une pomme",
                    six = "je mange une pomme rouge ici",
                    seven = "je mange une pomme rouge ce matin";
  EXPECT_NEAR(plain({{five, {"non", seven}}}), 67.032005, kTolerance);
  EXPECT_NEAR(plain({{five, {seven, "non"}}}), 67.032005, kTolerance);
  EXPECT_NEAR(plain({{five, {four, six}}}), 100, kTolerance);
  EXPECT_NEAR(plain({{five, {six, four}}}), 100, kTolerance);
  EXPECT_NEAR(plain({{four, {six}}}), 60.653066, kTolerance);
  EXPECT_NEAR(plain({{six, {four}}}), 50.813275, kTolerance);
  EXPECT_NEAR(
      plain({{four, {five}}, {"il dort dans le grand lit bleu", {"il dort dans le lit bleu"}}}),
      63.404663, kTolerance);
}

TEST(Bleu, EachReferenceClipsItsOwnCounts) {
  // "a" stands twice in one reference and once in the other: twice, not three times.
  const Bleu bleu = corpus_bleu(std::vector<Words>{split("a a a")},
                                std::vector<std::vector<Words>>{{split("a a b"), split("a c d")}});
  EXPECT_NEAR(bleu.precisions[0], 100.0 * 2 / 3, 1e-9);
}

TEST(Bleu, SmoothingHalvesWithEachOrderThatHasNoMatch) {
  // 1-grams 4 of 4, 2-grams none of 3, 3-grams none of 2, 4-grams none of 1
  const Bleu bleu = corpus_bleu(std::vector<Words>{split("a b c d")},
                                std::vector<std::vector<Words>>{{split("d c b a")}});
  EXPECT_NEAR(bleu.precisions[0], 100, 1e-9);
  EXPECT_NEAR(bleu.precisions[1], 100.0 / (2 * 3), 1e-9);
  EXPECT_NEAR(bleu.precisions[2], 100.0 / (4 * 2), 1e-9);
  EXPECT_NEAR(bleu.precisions[3], 100.0 / (8 * 1), 1e-9);
}

TEST(Bleu, Tokens13a) {
  EXPECT_EQ(tokenize_13a("Hello, world!"), split("Hello , world !"));
  EXPECT_EQ(tokenize_13a("1,000.50 is 3.5-4 or 1, 2."), split("1,000.50 is 3.5 - 4 or 1 , 2 ."));
  EXPECT_EQ(tokenize_13a("l'ami est-ce"), split("l'ami est-ce"));
  EXPECT_EQ(tokenize_13a("&quot;a&amp;b&quot; &lt;x&gt;"), split("\" a & b \" < x >"));
  EXPECT_EQ(tokenize_13a("wait... \u00AB\u00A0oui\u00A0\u00BB"), split("wait . . . « oui »"));
  EXPECT_EQ(tokenize_13a("a<skipped>b$5"), split("ab $ 5"));
  EXPECT_EQ(tokenize_13a(""), Words{});
}

TEST(Bleu, TextIsCleanedUpBeforeItIsCompared) {
  const Words outputs{"L\u2019A\u0301me est ici !"};
  const std::vector<Words> references{{"l'\u00E1me\u00A0est ici!"}};
  EXPECT_NEAR(text_bleu(outputs, references).score, 100, 1e-9);
  EXPECT_LT(text_bleu(outputs, references, {.lower_case = false}).score, 100);
}

TEST(Bleu, SaysHowItWasMade) {
  const std::string version(build_info().version);
  EXPECT_EQ(bleu_signature(1),
            "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:lectern-" + version);
  EXPECT_EQ(bleu_signature(2, {.lower_case = false, .smoothing = BleuSmoothing::none}),
            "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:none|version:lectern-" + version);
  const Bleu bleu = corpus_bleu(std::vector<Words>{split("a b c d")},
                                std::vector<std::vector<Words>>{{split("a b c d e")}});
  EXPECT_EQ(to_string(bleu), "77.88 (100.0/100.0/100.0/100.0 BP 0.779 output 4 reference 5)");
}

TEST(Bleu, RefusesOutputsWithoutTheirReferences) {
  const std::vector<Words> two{split("a"), split("b")};
  EXPECT_THROW_TEXT(corpus_bleu(two, std::vector<std::vector<Words>>{{split("a")}}), ValueError,
                    "corpus_bleu: 2 outputs, but references for 1; each output needs its own");
  EXPECT_THROW_TEXT(text_bleu(Words{"a"}, std::vector<Words>{Words{}}), ValueError,
                    "text_bleu: sentence 1 has no reference");
}

}  // namespace
}  // namespace lectern::text
