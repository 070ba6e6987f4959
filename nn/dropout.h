#pragma once

#include "nn/module.h"
#include "tensor/random.h"

namespace lectern::nn {

/// In training, each element is zero with probability p, else divided by 1 - p; in evaluation, x.
///
/// Holds a handle to the generator it draws from: with the same seed, the same elements drop.
/// Throws: ValueError unless 0 <= p <= 1.
/// Ref:    Srivastava et al. (2014), "Dropout: a simple way to prevent neural networks from
///         overfitting", JMLR 15.
class Dropout final : public Module {
 public:
  Dropout(double p, const Rng& rng);
  Variable operator()(const Variable& x) const;
  /// residual + what it makes of x, in one pass.
  Variable add(const Variable& residual, const Variable& x) const;

  double p() const { return p_; }
  Rng& rng() const { return rng_; }  ///< what it draws from

 private:
  void describe(Members&) override {}

  double p_;
  mutable Rng rng_;
};

}  // namespace lectern::nn
