#include "examples/translate/translate_lines.h"

#include <istream>
#include <ostream>
#include <string_view>

#include "examples/text/unicode.h"
#include "tensor/error.h"

namespace lectern::translate {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The lines read but not answered yet.
struct Window {
  std::vector<std::string> sentences;
  std::vector<bool> is_empty;  ///< of each line, in order; the others are `sentences`

  void answer(std::ostream& out, const LineTranslator& translator) {
    std::vector<std::string> translations;
    if (!sentences.empty()) translations = translator.translate(sentences);
    std::size_t next = 0;
    for (const bool empty : is_empty) {
      out << (empty ? std::string() : translations.at(next++)) << '\n';
    }
    out.flush();
    require<IoError>(out.good(), "run: cannot write the translations");
    sentences.clear();
    is_empty.clear();
  }
};

}  // namespace

void translate_lines(std::istream& in, std::ostream& out, std::int64_t window,
                     const LineTranslator& translator) {
  Window lines;
  std::int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.ends_with('\r')) line.pop_back();
    try {
      const bool is_empty = text::clean_up(line).empty();
      if (!is_empty) {
        translator.check(line);
        lines.sentences.push_back(line);
      }
      lines.is_empty.push_back(is_empty);
    } catch (const std::exception& error) {
      lines.answer(out, translator);
      fail<IoError>("run: line {}: {}", number, error.what());
    }
    if (static_cast<std::int64_t>(lines.is_empty.size()) >= window) lines.answer(out, translator);
  }
  lines.answer(out, translator);
  require<IoError>(!in.bad(), "run: cannot read the sentences");
}

}  // namespace lectern::translate
