#pragma once

#include <fmt/core.h>

#include <iosfwd>
#include <string>

#include "tensor/tensor.h"

namespace lectern {

struct PrintOptions {
  int precision = 4;              ///< most digits behind the point; zeros at the end are not shown
  std::int64_t threshold = 1000;  ///< with more elements than this, only the edges are shown
  std::int64_t edge = 3;          ///< entries shown at either end of a long axis
  int line_width = 80;            ///< columns; longer rows are wrapped
};

/// The elements in nested brackets, in aligned columns:
///
///   [[ 1.50, -2.25],
///    [ 0.00,   nan]]
///
/// All elements have as many digits as the one that needs most; they are written in scientific
/// notation if one of them is 1e8 or more, or (0 apart) under 1e-4. A large tensor shows its edges
/// and, on a line of its own, its dtype and shape; an empty one shows both behind its brackets.
std::string to_string(const Tensor& x, const PrintOptions& options = {});

std::ostream& operator<<(std::ostream& out, const Tensor& x);

}  // namespace lectern

/// "{}", or "{:.2}" with another precision.
template <>
struct fmt::formatter<lectern::Tensor> {
  constexpr auto parse(format_parse_context& context) {
    auto at = context.begin();
    if (at == context.end() || *at != '.') return at;
    for (options.precision = 0, ++at; at != context.end() && *at >= '0' && *at <= '9'; ++at) {
      options.precision = options.precision * 10 + (*at - '0');
    }
    return at;
  }
  auto format(const lectern::Tensor& x, auto& context) const {
    return std::ranges::copy(lectern::to_string(x, options), context.out()).out;
  }
  lectern::PrintOptions options;
};
