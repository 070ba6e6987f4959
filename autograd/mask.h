#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// Which keys each query of an attention may see. One polarity everywhere: true = may be seen.
///
/// The parts are kept apart, so that kernels can skip whole blocks and never form Tq x Tk. A query
/// that may see no key gets zero weights, a zero result and zero gradients.
struct Mask {
  /// Query i of Tq sees keys 0 .. i + (Tk - Tq): the triangle hangs from the lower right, so that
  /// a single new query sees all keys so far.
  bool causal = false;
  /// i64 [B]: sample b sees keys 0 .. key_lengths[b] - 1. Undefined: all.
  Tensor key_lengths;
  /// bool, broadcast to [B, H, Tq, Tk] by NumPy's rules. Undefined: all.
  Tensor allowed;
};

/// What both masks let be seen.
/// Throws: ShapeError if the shapes of two `key_lengths` differ or of two `allowed` do not
/// broadcast.
Mask operator&(const Mask& a, const Mask& b);

}  // namespace lectern
