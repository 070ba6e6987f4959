#pragma once

#include "nn/module.h"
#include "tensor/random.h"

namespace lectern::nn {

/// Affine map y = x Wᵀ + b on the last axis.
///
/// Shapes: x [..., in] -> [..., out]; weight [out, in], bias [out].
/// Init:   W uniform in ±1/sqrt(in), b zero.
/// Throws: ShapeError if in or out is not positive, or x.shape[-1] != in.
class Linear final : public Module {
 public:
  struct Options {
    bool bias = true;
    DType dtype = DType::f32;
  };
  Linear(std::int64_t in, std::int64_t out, Rng& rng, Options options);
  Linear(std::int64_t in, std::int64_t out, Rng& rng) : Linear(in, out, rng, Options{}) {}
  /// Around given parameters, e.g. a weight tied to an embedding's; bias may be undefined.
  Linear(Parameter weight, Parameter bias) : weight_(std::move(weight)), bias_(std::move(bias)) {}

  Variable operator()(const Variable& x) const;

  const Parameter& weight() const { return weight_; }
  const Parameter& bias() const { return bias_; }

 private:
  void describe(Members& members) override;

  Parameter weight_;
  Parameter bias_;  ///< undefined without one
};

}  // namespace lectern::nn
