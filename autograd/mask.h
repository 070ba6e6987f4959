#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// Which keys each query of an attention may see. One polarity everywhere: true = may be seen.
///
/// The parts are kept apart, so that kernels can skip whole blocks and never form Tq x Tk. A query
/// that may see no key gets zero weights, a zero result and zero gradients. A mask holds booleans;
/// numbers that are to be added to the scores are a bias (AttentionOptions::bias).
struct Mask {
  /// Query i of Tq sees keys 0 .. i + (Tk - Tq): the triangle hangs from the lower right, so that
  /// a single new query sees all keys so far.
  bool causal = false;
  /// i64 [B]: sample b sees keys 0 .. key_lengths[b] - 1. Undefined: all.
  Tensor key_lengths = {};
  /// bool, broadcast to [B, H, Tq, Tk] by NumPy's rules. Undefined: all.
  Tensor allowed = {};
};

/// Query i sees the keys up to its own place; the last query sees all.
Mask causal_mask();
/// Sample b sees its first lengths[b] keys: the rest is padding. Shapes: lengths i64 [B].
Mask padding_mask(const Tensor& lengths);
/// Query i of sample b and head h sees key j where allowed[b, h, i, j] is true.
/// Shapes: allowed bool, broadcasts to [B, H, Tq, Tk].
Mask allow(const Tensor& allowed);

/// What both masks let be seen.
/// Throws: ShapeError if the shapes of two `key_lengths` differ or of two `allowed` do not
/// broadcast; DTypeError unless lengths are i64 and allowed is bool.
Mask operator&(const Mask& a, const Mask& b);

/// The sizes of the scores a mask is laid over.
struct ScoreSizes {
  std::int64_t batch, heads, queries, keys;  ///< B, H, Tq, Tk
};

/// Throws, naming `op`, unless the mask fits: ShapeError for a shape that does not broadcast or
/// lengths that are not [B], DTypeError for `allowed` that is not bool or lengths that are not i64,
/// IndexError for a length outside 0..Tk.
void validate(std::string_view op, const Mask& mask, const ScoreSizes& sizes);

/// The whole mask written out: bool [B, H, Tq, Tk]. Validates it first.
Tensor dense(std::string_view op, const Mask& mask, const ScoreSizes& sizes);

}  // namespace lectern
