#include "examples/text/tokenizer.h"

#include <gtest/gtest.h>

#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

using Words = std::vector<std::string>;

TEST(Tokenizer, KeepsApostropheWithTheWordBeforeAndHyphenWithTheWordAfter) {
  EXPECT_EQ(tokenize("l'ami n'est-ce pas ?"), (Words{"l'", "ami", "n'", "est", "-ce", "pas", "?"}));
  EXPECT_EQ(tokenize("aujourd'hui, vas-y!"), (Words{"aujourd'", "hui", ",", "vas", "-y", "!"}));
  EXPECT_EQ(tokenize("the dogs' bone"), (Words{"the", "dogs'", "bone"}));
  EXPECT_EQ(tokenize("a-t-il"), (Words{"a", "-t", "-il"}));
}

TEST(Tokenizer, OtherMarksStandAlone) {
  EXPECT_EQ(tokenize("'tis -- 3.50 € ..."),
            (Words{"'", "tis", "-", "-", "3", ".", "50", "€", ".", ".", "."}));
  EXPECT_EQ(tokenize("x''y -'z"), (Words{"x'", "'", "y", "-", "'", "z"}));
  EXPECT_EQ(tokenize("«œuf»"), (Words{"«", "œuf", "»"}));
  EXPECT_EQ(tokenize("e\u0301"), (Words{"e", "\u0301"}));  // a lone accent is no letter
  EXPECT_EQ(tokenize("snake_case 字2"), (Words{"snake_case", "字2"}));
  EXPECT_EQ(tokenize("<pad> </s>"), (Words{"<", "pad", ">", "<", "/", "s", ">"}));
}

TEST(Tokenizer, WhiteSpaceOnlySeparates) {
  EXPECT_EQ(tokenize(""), Words{});
  EXPECT_EQ(tokenize(" \t\u00A0\u2028"), Words{});
  EXPECT_EQ(tokenize("va\u202F!"), (Words{"va", "!"}));
}

TEST(Tokenizer, RefusesBytesThatAreNoText) {
  EXPECT_THROW_TEXT(tokenize("a\xC3"), ValueError, "decode_utf8: invalid UTF-8 at byte 2");
}

TEST(Detokenizer, JoinsAsFrenchIsWritten) {
  EXPECT_EQ(detokenize(Words{"l'", "ami", ",", "est", "-ce", "vrai", "?"}), "l'ami, est-ce vrai ?");
  EXPECT_EQ(detokenize(Words{"(", "oui", ")", "."}), "( oui).");
  EXPECT_EQ(detokenize(Words{"a", "-", "b"}), "a - b");  // a hyphen alone is a dash
  EXPECT_EQ(detokenize(Words{"-y", "."}), "-y.");
  EXPECT_EQ(detokenize(Words{}), "");
}

TEST(Detokenizer, UndoesTheTokenizerOnWellSpacedFrench) {
  for (const auto* text : {"j'aime l'intelligence artificielle.", "qu'est-ce que c'est ?",
                           "n'y va-t-il pas, aujourd'hui ?", "donne-le-moi !"}) {
    EXPECT_EQ(detokenize(tokenize(text)), text);
  }
}

}  // namespace
}  // namespace lectern::text
