#include "examples/text/corpus.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tensor/error.h"
#include "tests/examples/text/temporary_file.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

using namespace std::string_literals;

void expect_pair(const LinePair& pair, const std::string& source, const std::string& target,
                 std::int64_t line) {
  EXPECT_EQ(pair.source, source);
  EXPECT_EQ(pair.target, target);
  EXPECT_EQ(pair.line, line);
}

TEST(Cases, Cases_8_2_Lines) {
  const TemporaryFile file(
      "\xEF\xBB\xBFthe cat\tle chat\r\na dog\tun chien\nA\xE2\x80\xA8"
      "B\tC\xC2\x85"
      "D\n\nlast\tdernier");
  const Corpus corpus = read_tsv(file.path());
  ASSERT_EQ(corpus.pairs.size(), 4U);
  expect_pair(corpus.pairs[0], "the cat", "le chat", 1);
  expect_pair(corpus.pairs[1], "a dog", "un chien", 2);
  expect_pair(corpus.pairs[2], "A\u2028B", "C\u0085D", 3);
  expect_pair(corpus.pairs[3], "last", "dernier", 5);
  EXPECT_EQ(corpus.skipped, 1);
}

// Chosen: an error that names file, line and byte.
TEST(Cases, Cases_8_3_InvalidUtf8) {
  const std::vector<std::pair<std::string, int>> malformed{
      {"\x71\xED\xB0\x85\x72", 2}, {"\xC0\xAF\x41", 1},     {"\x41\xE2\x82\x42", 2},
      {"\xF0\x9F\x98", 1},         {"\xF5\x80\x80\x80", 1}, {"\xFF\x41", 1}};
  for (const auto& [bytes, at] : malformed) {
    const TemporaryFile file("good\tbon\n" + bytes + "\tfin\n");
    EXPECT_THROW_TEXT(read_tsv(file.path()), IoError,
                      "read_tsv: " + file.name() + " line 2: invalid UTF-8 at byte " +
                          std::to_string(at) + "; save the file as UTF-8");
  }
  const TemporaryFile valid("\xC3\xA9\t\xEF\xBF\xBE\n");
  expect_pair(read_tsv(valid.path()).pairs.at(0), "\u00E9", "\uFFFE", 1);
}

// Chosen: a line without a tab is an error, columns behind the second are ignored.
TEST(Cases, Cases_8_4_PairsFile) {
  const TemporaryFile quotes(
      "\"Hello there\tBonjour\nShe said \"yes\"\tElle a dit \"oui\"\n\"both\"\t\"les deux\"\n"
      "last one\"\tle dernier\n");
  const Corpus corpus = read_tsv(quotes.path());
  ASSERT_EQ(corpus.pairs.size(), 4U);
  expect_pair(corpus.pairs[0], "\"Hello there", "Bonjour", 1);
  expect_pair(corpus.pairs[1], "She said \"yes\"", "Elle a dit \"oui\"", 2);
  expect_pair(corpus.pairs[2], "\"both\"", "\"les deux\"", 3);
  expect_pair(corpus.pairs[3], "last one\"", "le dernier", 4);

  const TemporaryFile no_tab("Go.\tVa !\nHello there\n");
  EXPECT_THROW_TEXT(
      read_tsv(no_tab.path()), IoError,
      "read_tsv: " + no_tab.name() + " line 2: no tab; a line must be source, tab, target");

  const TemporaryFile extra("Go.\tVa !\tCC-BY 2.0 (France)\tmore\n");
  expect_pair(read_tsv(extra.path()).pairs.at(0), "Go.", "Va !", 1);
}

TEST(Corpus, SkipsAndCountsLinesWithAnEmptySide) {
  const TemporaryFile file("a\tb\n\t\n\tb\na\t \u00A0\t(author)\n \n\nc\td\n");
  const Corpus corpus = read_tsv(file.path());
  ASSERT_EQ(corpus.pairs.size(), 2U);
  expect_pair(corpus.pairs[1], "c", "d", 7);
  EXPECT_EQ(corpus.skipped, 5);
}

TEST(Corpus, MaxPairsStopsReading) {
  const TemporaryFile file("a\tb\n\nc\td\nno tab\n");
  EXPECT_EQ(read_tsv(file.path(), {.max_pairs = 1}).pairs.size(), 1U);
  EXPECT_EQ(read_tsv(file.path(), {.max_pairs = 2}).pairs.size(), 2U);
  EXPECT_THROW(read_tsv(file.path(), {.max_pairs = 3}), IoError);
  EXPECT_THROW_TEXT(read_tsv(file.path(), {.max_pairs = -1}), ValueError,
                    "read_tsv: max_pairs is -1; it must be at least 0 (0: all)");
}

TEST(Corpus, ReadsLineParallelFiles) {
  const TemporaryFile source("\xEF\xBB\xBFone\r\n\nthree\ttabbed\nfour"),
      target("un\n\ntrois\nquatre\n");
  const Corpus corpus = read_parallel(source.path(), target.path());
  ASSERT_EQ(corpus.pairs.size(), 3U);
  expect_pair(corpus.pairs[0], "one", "un", 1);
  expect_pair(corpus.pairs[1], "three\ttabbed", "trois", 3);
  expect_pair(corpus.pairs[2], "four", "quatre", 4);
  EXPECT_EQ(corpus.skipped, 1);
  EXPECT_EQ(read_parallel(source.path(), target.path(), {.max_pairs = 2}).pairs.size(), 2U);
}

TEST(Corpus, LineParallelFilesMustHaveTheSameNumberOfLines) {
  const TemporaryFile three("a\nb\nc\n"), two("a\nb\n");
  EXPECT_THROW_TEXT(read_parallel(three.path(), two.path()), IoError,
                    "read_parallel: " + two.name() + " ends at line 2, " + three.name() +
                        " goes on; line n of one file must translate line n of the other");
  EXPECT_THROW_TEXT(read_parallel(two.path(), three.path()), IoError,
                    "read_parallel: " + two.name() + " ends at line 2, " + three.name() +
                        " goes on; line n of one file must translate line n of the other");
}

TEST(Corpus, SaysWhatIsWrongWithAFile) {
  EXPECT_THROW_TEXT(read_tsv("no/such/file.tsv"), IoError,
                    "read_tsv: file not found: no/such/file.tsv");
  const std::string directory = std::filesystem::temp_directory_path().string();
  EXPECT_THROW_TEXT(read_tsv(directory), IoError,
                    "read_tsv: " + directory + " is a directory; name a file");
  const TemporaryFile empty(""), blank("\n \n"), good("a\n");
  EXPECT_THROW_TEXT(read_tsv(empty.path()), IoError, "read_tsv: file is empty: " + empty.name());
  EXPECT_THROW_TEXT(read_tsv(blank.path()), IoError,
                    "read_tsv: no sentence pair in " + blank.name());
  EXPECT_THROW_TEXT(read_parallel(good.path(), empty.path()), IoError,
                    "read_parallel: file is empty: " + empty.name());
  EXPECT_THROW_TEXT(read_parallel(blank.path(), blank.path()), IoError,
                    "read_parallel: no sentence pair in " + blank.name() + " and " + blank.name());
}

}  // namespace
}  // namespace lectern::text
