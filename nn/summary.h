#pragma once

#include <string>

#include "nn/module.h"

namespace lectern::nn {

/// A table of all parameters and buffers: name, shape, number of elements and bytes, with totals.
std::string summary(Module& module);

}  // namespace lectern::nn
