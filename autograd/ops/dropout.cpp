#include "autograd/ops/dropout.h"

namespace lectern {

// y = x m / (1 − p)        dx = g m / (1 − p)        m = 1 where kept, 0 where dropped
Variable dropout(const Variable& x, double p, Rng& rng, bool training) {
  require_floating("dropout", x.dtype());
  const bool drops = training && p != 0;
  const kernels::PhiloxDropout mask =
      reserve_dropout("dropout", p, drops ? x.value().numel() : 0, rng);
  if (!drops) return x;
  return record("dropout", dropout(x.value(), mask),
                wrt(x, [mask](const Tensor& g) { return dropout(g, mask); }));
}

}  // namespace lectern
