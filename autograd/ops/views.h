#pragma once

#include <span>
#include <vector>

#include "autograd/variable.h"
#include "tensor/views.h"

namespace lectern {

// Views, joins and parts of variables: shapes, rules and errors as for tensors (tensor/views.h,
// tensor/join.h). What is a view there is a view here. Every element of a result is one element of
// an input, so each gradient goes back to the places its elements came from; where a place was
// read several times, gradients add up.

Variable reshape(const Variable& x, const Extents& shape);         ///< dx = g under x's shape
Variable flatten(const Variable& x, int start = 0, int end = -1);  ///< dx = g under x's shape
Variable permute(const Variable& x, const Axes& axes);             ///< dx = g, axes put back
Variable transpose(const Variable& x, int a, int b);               ///< dx = g, exchanged again
Variable squeeze(const Variable& x);                               ///< dx = g under x's shape
Variable squeeze(const Variable& x, int axis);                     ///< dx = g under x's shape
Variable unsqueeze(const Variable& x, int axis);                   ///< dx = g under x's shape
Variable expand(const Variable& x, const Shape& shape);            ///< dx = sum of g's repeats
/// x itself if its elements lie dense in row-major order, else a dense copy; dx = g.
Variable contiguous(const Variable& x);

/// dx is g at the entries taken, 0 elsewhere.
Variable slice(const Variable& x, int axis, std::int64_t start, std::int64_t stop = kEnd,
               std::int64_t step = 1);
Variable select(const Variable& x, int axis, std::int64_t index);  ///< dx as for slice
/// dx is g on the diagonal, 0 elsewhere.
Variable diagonal(const Variable& x, int axis1 = 0, int axis2 = 1, std::int64_t offset = 0);

Variable concat(const std::vector<Variable>& inputs, int axis = 0);  ///< each dx its part of g
Variable stack(const std::vector<Variable>& inputs, int axis = 0);   ///< each dx its row of g
std::vector<Variable> split(const Variable& x, std::int64_t parts, int axis = 0);
std::vector<Variable> split(const Variable& x, std::span<const std::int64_t> lengths, int axis = 0);
Variable flip(const Variable& x, int axis);  ///< dx = g turned round again
/// dx = g without the padding.
Variable pad(const Variable& x, int axis, std::int64_t before, std::int64_t after,
             double value = 0);

}  // namespace lectern
