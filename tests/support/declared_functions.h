#pragma once

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace lectern {

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Names of the functions that the headers in `folder` declare at the start of a line and that
/// return one of `types`, a regular expression; operators are named by their signs.
inline std::set<std::string> declared_functions(const std::filesystem::path& folder,
                                                const std::string& types) {
  const std::regex declaration("(^|\n)" + types + R"( (operator *[-+*/]|\w+)\()");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".h") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end;
         ++match) {
      names.insert((*match)[2]);
    }
  }
  return names;
}

/// The differentiable ops: functions of autograd/ops that return variables.
inline std::set<std::string> differentiable_ops(const std::filesystem::path& root) {
  return declared_functions(root / "autograd/ops",
                            "(?:Variable|std::vector<Variable>|SortedVariable|Attended)");
}

}  // namespace lectern
