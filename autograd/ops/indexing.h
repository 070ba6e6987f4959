#pragma once

#include "autograd/variable.h"

namespace lectern {

// Elements found by number, mask or place: shapes, rules and errors as for tensors
// (tensor/indexing.h). Gradients go back to the places elements came from and add up where a place
// was read several times, the same bits for any number of threads.

/// dx[.., indices[n], ..] += g[.., n, ..].
Variable index_select(const Variable& x, int axis, const Tensor& indices);
/// dx = g scattered back: dx[.., indices[.., j, ..], ..] += g[.., j, ..].
Variable gather(const Variable& x, int axis, const Tensor& indices);
/// dx = g; dsource = g gathered at the indices.
Variable scatter_add(const Variable& x, int axis, const Tensor& indices, const Variable& source);
/// dx = g, and 0 where the mask is true.
Variable masked_fill(const Variable& x, const Tensor& mask, double value);
Variable tril(const Variable& x, std::int64_t diagonal = 0);  ///< dx = tril(g)
Variable triu(const Variable& x, std::int64_t diagonal = 0);  ///< dx = triu(g)

}  // namespace lectern
