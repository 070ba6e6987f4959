#pragma once

#include <utility>

#include "nn/module.h"
#include "tensor/random.h"

namespace lectern::nn {

/// Fills every parameter with random numbers. As they are made, all norms of a model are alike and
/// all biases 0: one in another's place would not be noticed.
template <class M>
M randomised(M module, Rng& rng) {
  for (NamedTensor& entry : module.state_dict()) {
    entry.value.copy_from(rng.uniform(entry.value.shape(), -1, 1, entry.value.dtype()));
  }
  return module;
}

}  // namespace lectern::nn
