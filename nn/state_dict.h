#pragma once

#include <span>

#include "tensor/named_tensor.h"

namespace lectern::nn {

/// Copies `entries` into the tensors of `own`, by name, in whatever order. All are read before the
/// first is written, so entries may share storage with `own`.
/// Throws: ShapeError listing every entry that is missing, unexpected, mis-shaped or mis-typed;
///         nothing is changed then.
void copy_entries(std::span<const NamedTensor> entries, std::span<NamedTensor> own);

}  // namespace lectern::nn
