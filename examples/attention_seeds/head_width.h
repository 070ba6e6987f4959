#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/error.h"

namespace lectern::attention_seeds {

/// D = width / heads. Throws: ShapeError naming the module unless heads is a divisor.
inline std::int64_t head_width(std::string_view module, std::int64_t width, std::int64_t heads) {
  require<ShapeError>(width > 0 && heads > 0 && width % heads == 0,
                      "{}: width {} is not divisible by heads {}", module, width, heads);
  return width / heads;
}

}  // namespace lectern::attention_seeds
