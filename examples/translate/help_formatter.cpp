#include "examples/translate/help_formatter.h"

#include <sstream>

namespace lectern::translate {
namespace {

constexpr std::size_t kIndent = 26;
constexpr std::size_t kWidth = 80;

std::string in_columns(const std::string& left, const std::string& help) {
  const std::string margin(kIndent, ' ');
  std::string text = left;
  text += left.size() < kIndent ? margin.substr(left.size()) : '\n' + margin;
  std::size_t column = kIndent;
  std::istringstream words(help);
  for (std::string word; words >> word;) {
    if (column > kIndent && column + 1 + word.size() > kWidth) {
      text += '\n' + margin;
      column = kIndent;
    }
    if (column > kIndent) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text + '\n';
}

}  // namespace

HelpFormatter::HelpFormatter() { column_width(kIndent); }

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = "  " + option->get_name(is_positional, /*all_options=*/true);
  if (!is_positional && !option->get_type_name().empty()) left += " " + option->get_type_name();
  std::string help = option->get_description();
  if (!option->get_default_str().empty()) help += " (" + option->get_default_str() + ")";
  if (option->get_required()) help += " (required)";
  return in_columns(left, help);
}

}  // namespace lectern::translate
