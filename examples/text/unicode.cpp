#include "examples/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tensor/error.h"

namespace lectern::text {
namespace {

constexpr char32_t kCapitalSigma = U'Σ';
constexpr char32_t kSoftHyphen = 0x00AD;
constexpr char32_t kZeroWidthSpace = 0x200B;
constexpr char32_t kRightQuote = 0x2019;

struct Character {
  char32_t point;
  std::size_t length;  ///< in bytes; 0 if there is no well-formed character
};

// The first byte gives the length and the range of the second byte; later ones are 80..BF.
// The narrower ranges after E0, ED, F0 and F4 shut out overlong forms, surrogates and code points
// above U+10FFFF.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 0};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return {0, 0};

  const unsigned char lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return {0, 0};

  char32_t point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {0, 0};
    point = point << 6 | (byte(i) & 0x3FU);
  }
  return {point, length};
}

utf8proc_category_t category(char32_t point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(point));
}

bool is_cased(char32_t point) {
  const auto c = category(point);
  return c == UTF8PROC_CATEGORY_LU || c == UTF8PROC_CATEGORY_LL || c == UTF8PROC_CATEGORY_LT;
}

// Marks that may stand inside a word without deciding where it ends: accents, apostrophes, dots.
bool is_case_ignorable(char32_t point) {
  constexpr std::u32string_view punctuation = U"'.:^`\u00B7\u2018\u2019\u2024\u2027";
  const auto c = category(point);
  return c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_ME || c == UTF8PROC_CATEGORY_CF ||
         c == UTF8PROC_CATEGORY_LM || c == UTF8PROC_CATEGORY_SK ||
         punctuation.find(point) != std::u32string_view::npos;
}

// A sigma ends a word if a letter comes before it and none after it.
bool ends_a_word(std::u32string_view points, std::size_t at) {
  const auto seen_first = [](auto begin, auto end) {
    const auto found = std::find_if_not(begin, end, is_case_ignorable);
    return found != end && is_cased(*found);
  };
  const std::u32string_view before = points.substr(0, at), after = points.substr(at + 1);
  return seen_first(before.rbegin(), before.rend()) && !seen_first(after.begin(), after.end());
}

std::u32string compose(std::string_view text) {
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  require<ValueError>(length >= 0, "clean_up: {}", utf8proc_errmsg(length));
  return decode_utf8({reinterpret_cast<const char*>(result), static_cast<std::size_t>(length)});
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = first_character(text.substr(at)).length;
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [point, length] = first_character(text.substr(at));
    require<ValueError>(length > 0, "decode_utf8: invalid UTF-8 at byte {}", at + 1);
    points.push_back(point);
    at += length;
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  text.reserve(points.size());
  for (const char32_t point : points) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
  }
  return text;
}

bool is_white_space(char32_t point) {
  if ((point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x1F)) return true;
  const auto c = category(point);
  return point == 0x85 || c == UTF8PROC_CATEGORY_ZS || c == UTF8PROC_CATEGORY_ZL ||
         c == UTF8PROC_CATEGORY_ZP;
}

bool is_word_character(char32_t point) {
  switch (category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return point == U'_';
  }
}

std::u32string lower_case(std::u32string_view points) {
  std::u32string result;
  result.reserve(points.size());
  for (std::size_t at = 0; at < points.size(); ++at) {
    const char32_t point = points[at];
    if (point == U'İ') {
      result += U"i\u0307";  // the only letter whose small form takes two code points
    } else if (point == kCapitalSigma) {
      result += ends_a_word(points, at) ? U'ς' : U'σ';
    } else {
      result += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
    }
  }
  return result;
}

std::int64_t display_width(std::string_view text) {
  std::int64_t width = 0;
  for (const char32_t point : decode_utf8(text)) {
    width += utf8proc_charwidth(static_cast<utf8proc_int32_t>(point));
  }
  return width;
}

std::string clean_up(std::string_view text, CleanUp options) {
  const auto invalid = find_invalid_utf8(text);
  require<ValueError>(!invalid, "clean_up: invalid UTF-8 at byte {}", invalid.value_or(0) + 1);
  std::u32string points = compose(text);
  std::erase_if(points, [](char32_t p) { return p == kSoftHyphen || p == kZeroWidthSpace; });
  std::replace(points.begin(), points.end(), kRightQuote, U'\'');
  if (options.lower_case) points = lower_case(points);

  std::u32string words;
  bool gap = false;
  for (const char32_t point : points) {
    if (is_white_space(point)) {
      gap = true;
      continue;
    }
    if (gap && !words.empty()) words += U' ';
    gap = false;
    words += point;
  }
  return encode_utf8(words);
}

}  // namespace lectern::text
