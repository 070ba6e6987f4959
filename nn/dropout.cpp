#include "nn/dropout.h"

#include "autograd/ops/dropout.h"

namespace lectern::nn {

Dropout::Dropout(double p, const Rng& rng) : p_(p), rng_(rng) {
  require<ValueError>(p >= 0 && p <= 1, "Dropout: p is {}; it must be in [0, 1]", p);
}

Variable Dropout::operator()(const Variable& x) const { return dropout(x, p_, rng_, training()); }

Variable Dropout::add(const Variable& residual, const Variable& x) const {
  return add_dropout(residual, x, p_, rng_, training());
}

}  // namespace lectern::nn
