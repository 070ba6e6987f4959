#pragma once

#include "autograd/mask.h"
#include "tests/reference/ops/op_cases.h"

namespace lectern {

/// The mask that a case's constants make: integers are key lengths, booleans say what may be seen.
inline Mask mask_of(Constants n) {
  Mask mask;
  for (const Tensor& part : n) {
    (part.dtype() == DType::i64 ? mask.key_lengths : mask.allowed) = part;
  }
  return mask;
}

}  // namespace lectern
