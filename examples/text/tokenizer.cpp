#include "examples/text/tokenizer.h"

#include "examples/text/unicode.h"

namespace lectern::text {

std::vector<std::string> tokenize(std::string_view text) {
  const std::u32string points = decode_utf8(text);
  const auto word_at = [&](std::size_t i) {
    return i < points.size() && is_word_character(points[i]);
  };

  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < points.size();) {
    if (is_white_space(points[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    if (word_at(begin) || (points[begin] == U'-' && word_at(begin + 1))) {
      while (word_at(end)) ++end;
      if (end < points.size() && points[end] == U'\'') ++end;
    }
    words.push_back(encode_utf8({points.data() + begin, end - begin}));
    begin = end;
  }
  return words;
}

std::string detokenize(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    const bool hyphenated = word.size() > 1 && word.front() == '-';
    const bool closing = word == "." || word == "," || word == ")";
    if (!text.empty() && !text.ends_with('\'') && !hyphenated && !closing) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace lectern::text
