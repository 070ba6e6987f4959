#pragma once

#include <cstdint>
#include <string_view>

#include "autograd/variable.h"

namespace lectern::attention_seeds {

/// D = width / heads. Throws: ShapeError naming the module unless heads is a divisor.
inline std::int64_t head_width(std::string_view module, std::int64_t width, std::int64_t heads) {
  require<ShapeError>(width > 0 && heads > 0 && width % heads == 0,
                      "{}: width {} is not divisible by heads {}", module, width, heads);
  return width / heads;
}

/// Throws: ShapeError naming the module and its operand unless x is [B, T, width].
inline void require_sequences(std::string_view module, std::string_view operand, const Variable& x,
                              std::int64_t width) {
  require<ShapeError>(x.rank() == 3 && x.shape()[2] == width, "{}: {} is {}; it must be [B, T, {}]",
                      module, operand, x.shape(), width);
}

}  // namespace lectern::attention_seeds
