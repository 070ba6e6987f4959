#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lectern::text {

/// Offset in bytes of the first part of `text` that is not well-formed UTF-8; none if all of it is.
///
/// Overlong forms, surrogates and code points above U+10FFFF are not well-formed. The offset is
/// where the malformed sequence begins, so a character cut short is reported at its first byte.
/// Ref: The Unicode Standard, table 3-7.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// The code points of well-formed UTF-8.
///
/// Throws: ValueError naming the byte (counted from 1) if `text` is not well-formed.
std::u32string decode_utf8(std::string_view text);

/// The UTF-8 bytes of code points.
std::string encode_utf8(std::u32string_view points);

/// True for the characters that separate words: blank, tab, line ends, and the no-break, thin and
/// other spaces of Unicode (29 in all, those of Python's str.isspace()).
bool is_white_space(char32_t point);

/// True for letters and numbers of any script (categories L and N) and for `_`.
bool is_word_character(char32_t point);

/// Lower case of every character; a capital sigma that ends a word becomes ς.
std::u32string lower_case(std::u32string_view points);

/// Columns that well-formed UTF-8 takes on a terminal: 2 for wide characters, 0 for accents.
std::int64_t display_width(std::string_view text);

/// How text is cleaned up before it is cut into words.
struct CleanUp {
  bool lower_case = true;  ///< make all letters small
};

/// One spelling for what looks the same: composes accents (NFC), turns ’ (U+2019) into ', removes
/// soft hyphens (U+00AD) and zero-width spaces (U+200B), and makes one blank of any run of white
/// space, none at either end.
///
/// Throws: ValueError naming the byte if `text` is not well-formed UTF-8.
/// Ref:    Unicode Standard Annex #15, "Unicode Normalization Forms".
std::string clean_up(std::string_view text, CleanUp options = {});

}  // namespace lectern::text
