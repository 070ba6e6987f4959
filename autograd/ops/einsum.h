#pragma once

#include <string_view>
#include <vector>

#include "autograd/variable.h"

namespace lectern {

/// Einstein's summation; the equation, its rules and errors are those for tensors
/// (tensor/einsum.h).
///
/// The gradient of an einsum is an einsum with the letters exchanged: the gradient of the result
/// takes the place of the operand, whose letters become the result's. A letter that the operand
/// alone had is spread over its axis, one that it repeats is put on its diagonal.
Variable einsum(std::string_view equation, const std::vector<Variable>& operands);

}  // namespace lectern
