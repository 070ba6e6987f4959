#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::text {

/// Cuts text into words and punctuation marks, from left to right:
///
///   -?\w+'?    a run of letters, digits and _, with a hyphen before it and an apostrophe after it
///   [^\w\s]    any other character that is no white space, by itself
///
/// so that "l'ami n'est-ce pas ?" gives l' ami n' est -ce pas ? . An apostrophe stays with the word
/// before it and a hyphen with the word after it, as French writes elisions and inversions.
///
/// Throws: ValueError if `text` is not well-formed UTF-8.
std::vector<std::string> tokenize(std::string_view text);

/// Joins words with blanks, except after an apostrophe and before . , ) and -word:
/// l' ami , est -ce vrai ? becomes "l'ami, est-ce vrai ?".
std::string detokenize(std::span<const std::string> words);

}  // namespace lectern::text
