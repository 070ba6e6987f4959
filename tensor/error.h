#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace lectern {

// Text of every error: "op: what is wrong: name is shape, …; the rule with the numbers[; what to
// do]", with no final period. Checks come before the first member is made or the first byte is
// allocated, so a refused call changes nothing.

/// Shapes, ranks, axes or sizes do not fit.
struct ShapeError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
/// The element type is not one the op takes, or two operands differ in it.
struct DTypeError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
/// A position or id is outside what it points into.
struct IndexError : std::out_of_range {
  using std::out_of_range::out_of_range;
};
/// A value that is no shape, dtype or index is outside its range (a probability of 1.5, say).
struct ValueError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
/// The system has no memory of the size asked for.
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The graph can not be differentiated as asked.
struct GradError : std::logic_error {
  using std::logic_error::logic_error;
};
/// A file can not be read or written, or its contents are malformed.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Error with the formatted text.
template <class Error, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::vformat(text, fmt::make_format_args(args...)));
}

/// Throws Error with the formatted text unless `holds`.
template <class Error, class... Args>
void require(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) [[unlikely]] {
    fail<Error>(text, std::forward<Args>(args)...);
  }
}

}  // namespace lectern
