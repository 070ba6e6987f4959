#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// How the elements of an operand lie in memory.
enum class Layout {
  dense,
  columns,   ///< column by column: the first axis is the dense one
  parts,     ///< every second element of a larger tensor, not from its start
  repeated,  ///< with a stride of 0 along each axis on which all entries are equal
};

std::string_view name_of(Layout layout);

/// The same elements, laid out so.
Tensor laid_out(const Tensor& x, Layout layout);

}  // namespace lectern
