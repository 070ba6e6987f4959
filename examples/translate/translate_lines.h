#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace lectern::translate {

/// What translate_lines needs of a model.
struct LineTranslator {
  /// Throws if the sentence can not be translated (too long, not UTF-8).
  std::function<void(const std::string& sentence)> check;
  std::function<std::vector<std::string>(std::span<const std::string> sentences)> translate;
};

/// Answers every line of `in` with a line on `out`, in the same order; an empty line (or one of
/// white space) with an empty line.
///
/// Lines are translated in windows of `window` lines, which is faster than one by one; each window
/// is flushed, so a window of 1 answers each line before the next one is read.
/// Throws: IoError naming the line if it can not be translated, after the lines before it have been
///         answered; IoError if `out` can not be written.
void translate_lines(std::istream& in, std::ostream& out, std::int64_t window,
                     const LineTranslator& translator);

}  // namespace lectern::translate
