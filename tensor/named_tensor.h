#pragma once

#include <string>

#include "tensor/tensor.h"

namespace lectern {

/// An entry of a state dict or a file: a dotted path and its tensor.
struct NamedTensor {
  std::string name;
  Tensor value;
};

}  // namespace lectern
