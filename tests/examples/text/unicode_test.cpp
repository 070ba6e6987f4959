#include "examples/text/unicode.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

using namespace std::string_view_literals;

TEST(Unicode, DecodingAndEncodingKeepsEveryCodePoint) {
  std::u32string points;
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point < 0xD800 || point > 0xDFFF) points += point;
  }
  const std::string bytes = encode_utf8(points);
  EXPECT_EQ(bytes.size(), 0x80U + 2U * 0x780 + 3U * (0xF800 - 0x800) + 4U * 0x100000);
  EXPECT_FALSE(find_invalid_utf8(bytes));
  EXPECT_EQ(decode_utf8(bytes), points);
}

TEST(Unicode, FindsTheFirstMalformedSequence) {
  EXPECT_FALSE(find_invalid_utf8(""));
  EXPECT_FALSE(find_invalid_utf8("a\0b"sv));
  const std::vector<std::pair<std::string_view, std::size_t>> malformed{
      {"ab\x80", 2},               // continuation without a beginning
      {"\xC1\xBF", 0},             // overlong: two bytes for 7F
      {"\xE0\x9F\xBF", 0},         // overlong: three bytes for 7FF
      {"\xF0\x8F\xBF\xBF", 0},     // overlong: four bytes for FFFF
      {"\xED\xA0\x80", 0},         // surrogate D800
      {"\xF4\x90\x80\x80", 0},     // 110000
      {"\xC3\xA9\xC3", 2},         // cut short by the end
      {"a\xE2\x82", 1},            // cut short by the end
      {"\xF0\x9F\x98\xC3", 0},     // cut short by another beginning
      {"\xE2\x82\xAC\xE2\x28", 3}  // cut short by an ASCII character
  };
  for (const auto& [bytes, at] : malformed) {
    EXPECT_EQ(find_invalid_utf8(bytes), at) << bytes;
  }
}

TEST(Unicode, EveryStringOfThreeBytesIsDecodedOrRefused) {
  const std::vector<unsigned char> interesting{0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                               0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE2, 0xED,
                                               0xEF, 0xF0, 0xF3, 0xF4, 0xF5, 0xFE, 0xFF};
  for (const unsigned char a : interesting) {
    for (const unsigned char b : interesting) {
      for (const unsigned char c : interesting) {
        const std::string text{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        if (find_invalid_utf8(text)) {
          EXPECT_THROW(decode_utf8(text), ValueError);
        } else {
          EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
        }
      }
    }
  }
}

TEST(Unicode, KnowsWhiteSpaceAndWordCharacters) {
  std::u32string spaces;
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (is_white_space(point)) spaces += point;
  }
  EXPECT_EQ(spaces,
            U"\x09\x0A\x0B\x0C\x0D\x1C\x1D\x1E\x1F\x20\x85\xA0\u1680\u2000\u2001\u2002\u2003\u2004"
            U"\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000");
  for (const char32_t letter : U"azAZ09_éœßΩжא字\u00B2\u2168"sv)
    EXPECT_TRUE(is_word_character(letter));
  for (const char32_t other : U" -'.,!?…«»’\u0301\u200B€"sv) EXPECT_FALSE(is_word_character(other));
}

TEST(Unicode, LowerCaseFollowsUnicodeNotAscii) {
  EXPECT_EQ(lower_case(U"ÉCOLE ŒUVRE ß ẞ Ж"), U"école œuvre ß ß ж");
  EXPECT_EQ(lower_case(U"İ"), U"i\u0307");
  EXPECT_EQ(lower_case(U"ΟΔΟΣ ΣΟΦΟΣ. Σ ΑΣ'Α ΑΣ\u0301"), U"οδος σοφος. σ ασ'α ας\u0301");
}

TEST(Unicode, DisplayWidthCountsColumns) {
  EXPECT_EQ(display_width("été"), 3);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("字"), 2);
  EXPECT_EQ(display_width(""), 0);
}

TEST(Unicode, CleanUpGivesOneSpellingToWhatLooksTheSame) {
  EXPECT_EQ(clean_up("  L\u2019E\u0301cole\u00A0\u202F!\t\n", {}), "l'école !");
  EXPECT_EQ(clean_up("L\u2019E\u0301cole", {.lower_case = false}), "L'École");
  EXPECT_EQ(clean_up("co\u00ADopé\u200Brer"), "coopérer");
  EXPECT_EQ(clean_up("a\u200B b \u00AD c"), "a b c");
  EXPECT_EQ(clean_up("\u00A0 \u2009"), "");
  EXPECT_EQ(clean_up(""), "");
  EXPECT_EQ(clean_up("a\0b"sv), "a\0b"sv);
  EXPECT_EQ(clean_up("\uFB01n ½"), "\uFB01n ½");  // NFC keeps ligatures and fractions
}

TEST(Unicode, CleanUpTwiceIsCleanUpOnce) {
  for (const auto* text : {"Ça\u2003va ?", "I\u0307stanbul İ", "ΟΔΟΣ", " e\u0301\u0323 "}) {
    EXPECT_EQ(clean_up(clean_up(text)), clean_up(text));
  }
}

TEST(Unicode, NamesTheByteThatIsNoText) {
  EXPECT_THROW_TEXT(decode_utf8("ab\xFF"), ValueError, "decode_utf8: invalid UTF-8 at byte 3");
  EXPECT_THROW_TEXT(clean_up("\xC3\xA9\xC3"), ValueError, "clean_up: invalid UTF-8 at byte 3");
}

}  // namespace
}  // namespace lectern::text
