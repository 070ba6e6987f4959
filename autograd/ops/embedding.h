#pragma once

#include <optional>

#include "autograd/variable.h"

namespace lectern {

/// Looks up a vector for each id: y[.., :] = weight[ids[..], :].
///
/// dweight[id] is the sum of g over the places of that id; it is added straight into the running
/// gradient, each row's sum carried in f64 in the order of the ids, whatever the number of threads.
/// The row of the padding id is returned as it is stored and gets no gradient.
///
/// Shapes: weight [V, E], ids i64 [..] -> [.., E].
/// Throws: ShapeError unless weight has rank 2, DTypeError unless ids is i64 and weight f32 or f64,
///         IndexError naming the id, or the padding id, that is outside 0..V-1.
Variable embedding(const Variable& weight, const Tensor& ids,
                   std::optional<std::int64_t> padding_id = std::nullopt);

}  // namespace lectern
