#include "examples/translate/translate_lines.h"

#include <gtest/gtest.h>

#include <sstream>

#include "examples/text/unicode.h"
#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::translate {
namespace {

/// "Translates" by putting <> around the sentence, and writes down the windows it was given.
struct Recorder {
  std::vector<std::size_t> windows;

  LineTranslator translator() {
    return {.check =
                [](const std::string& sentence) {
                  require<ValueError>(sentence.size() < 20, "the sentence is too long");
                },
            .translate =
                [this](std::span<const std::string> sentences) {
                  windows.push_back(sentences.size());
                  std::vector<std::string> result;
                  for (const auto& sentence : sentences) result.push_back("<" + sentence + ">");
                  return result;
                }};
  }
};

TEST(TranslateLines, KeepsTheOrderAndAnswersEmptyLinesWithEmptyLines) {
  Recorder recorder;
  std::istringstream in("\xEF\xBB\xBFone\n\ntwo\r\n \t\nthree\nfour");
  std::ostringstream out;
  translate_lines(in, out, 4, recorder.translator());
  EXPECT_EQ(out.str(), "<one>\n\n<two>\n\n<three>\n<four>\n");
  EXPECT_EQ(recorder.windows, (std::vector<std::size_t>{2, 2}));
}

TEST(TranslateLines, AWindowOfOneAnswersEachLineAtOnce) {
  Recorder recorder;
  std::istringstream in("a\nb\n");
  std::ostringstream out;
  LineTranslator translator = recorder.translator();
  translator.check = [&](const std::string& sentence) {
    if (sentence == "b") {
      EXPECT_EQ(out.str(), "<a>\n");
    }
  };
  translate_lines(in, out, 1, translator);
  EXPECT_EQ(out.str(), "<a>\n<b>\n");
}

TEST(TranslateLines, NoInputGivesNoOutput) {
  Recorder recorder;
  std::istringstream in("");
  std::ostringstream out;
  translate_lines(in, out, 4, recorder.translator());
  EXPECT_EQ(out.str(), "");
  EXPECT_TRUE(recorder.windows.empty());
}

TEST(TranslateLines, NamesTheLineAfterAnsweringThoseBefore) {
  Recorder recorder;
  std::ostringstream out;
  std::istringstream bytes("one\ntwo\nb\xFFw\nfour\n");
  EXPECT_THROW_TEXT(translate_lines(bytes, out, 10, recorder.translator()), IoError,
                    "run: line 3: clean_up: invalid UTF-8 at byte 2");
  EXPECT_EQ(out.str(), "<one>\n<two>\n");

  std::ostringstream other;
  std::istringstream text("one\na sentence that is longer\n");
  EXPECT_THROW_TEXT(translate_lines(text, other, 10, recorder.translator()), IoError,
                    "run: line 2: the sentence is too long");
  EXPECT_EQ(other.str(), "<one>\n");
}

TEST(TranslateLines, NoticesThatItCanNotWrite) {
  Recorder recorder;
  std::istringstream in("one\n");
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THROW_TEXT(translate_lines(in, out, 1, recorder.translator()), IoError,
                    "run: cannot write the translations");
}

}  // namespace
}  // namespace lectern::translate
