#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lectern::translate {

/// Help texts in lines of 80 characters: name and kind of value on the left, what it is for and,
/// in brackets, its default on the right.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace lectern::translate
