#pragma once

#include "nn/module.h"
#include "tensor/random.h"

namespace lectern::nn {

/// Sinusoidal positions: P[pos, 2i] = sin(pos / 10000^(2i/E)), P[pos, 2i+1] = cos of the same.
///
/// Shapes: result [length, E].
/// Throws: ShapeError unless length >= 0 and E > 0; DTypeError unless dtype is floating.
/// Ref:    Vaswani et al. (2017), section 3.5, arXiv:1706.03762.
Tensor sinusoidal_positions(std::int64_t length, std::int64_t width, DType dtype = DType::f32);

/// Adds to each position a fixed sinusoidal vector: y[.., t, :] = x[.., t, :] + P[start + t].
///
/// Shapes: x [..., T, E] -> the same.
/// Throws: ShapeError if start + T is past the last position, naming both numbers.
class SinusoidalPositions final : public Module {
 public:
  SinusoidalPositions(std::int64_t length, std::int64_t width, DType dtype = DType::f32)
      : table_(sinusoidal_positions(length, width, dtype)) {}
  Variable operator()(const Variable& x, std::int64_t start = 0) const;
  std::int64_t length() const { return table_.shape()[0]; }

 private:
  void describe(Members&) override {}  // computed, so neither trained nor saved

  Tensor table_;  // [length, E]
};

/// Adds to each position a trained vector: y[.., t, :] = x[.., t, :] + weight[start + t].
///
/// Shapes: x [..., T, E] -> the same; weight [length, E].
/// Init:   N(0, 0.02²).
/// Throws: ShapeError if start + T is past the last position, naming both numbers.
class LearnedPositions final : public Module {
 public:
  LearnedPositions(std::int64_t length, std::int64_t width, Rng& rng, DType dtype = DType::f32);
  Variable operator()(const Variable& x, std::int64_t start = 0) const;
  std::int64_t length() const { return weight_.shape()[0]; }

 private:
  void describe(Members& members) override { members("weight", weight_); }

  Parameter weight_;
};

}  // namespace lectern::nn
