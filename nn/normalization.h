#pragma once

#include "nn/module.h"

namespace lectern::nn {

/// Layer normalisation over the last axis: y = (x - mean) / sqrt(var + eps) · weight + bias, with
/// the population variance.
///
/// Shapes: x [..., E] -> [..., E]; weight [E], bias [E].
/// Init:   weight one, bias zero.
/// Throws: ShapeError if x.shape[-1] != E.
/// Ref:    Ba, Kiros and Hinton (2016), "Layer normalization", arXiv:1607.06450.
class LayerNorm final : public Module {
 public:
  explicit LayerNorm(std::int64_t width, double eps = 1e-5, DType dtype = DType::f32);
  Variable operator()(const Variable& x) const;

 private:
  void describe(Members& members) override;

  Parameter weight_;
  Parameter bias_;
  double eps_;
};

/// Root-mean-square normalisation over the last axis: y = x / sqrt(mean(x²) + eps) · weight.
///
/// Shapes: x [..., E] -> [..., E]; weight [E].
/// Init:   weight one.
/// Throws: ShapeError if x.shape[-1] != E.
/// Ref:    Zhang and Sennrich (2019), "Root mean square layer normalization", arXiv:1910.07467.
class RMSNorm final : public Module {
 public:
  explicit RMSNorm(std::int64_t width, double eps = 1e-6, DType dtype = DType::f32);
  Variable operator()(const Variable& x) const;

 private:
  void describe(Members& members) override { members("weight", weight_); }

  Parameter weight_;
  double eps_;
};

}  // namespace lectern::nn
