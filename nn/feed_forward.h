#pragma once

#include "nn/dropout.h"
#include "nn/linear.h"

namespace lectern::nn {

/// The nonlinearity of a feed-forward layer.
enum class Activation { relu, gelu };

/// Two affine maps with a nonlinearity between them, applied to each position by itself:
/// y = linear2(dropout(activation(linear1(x)))).
///
/// Shapes: x [..., E] -> [..., E]; linear1 [F, E], linear2 [E, F].
/// Init:   weights Xavier-uniform, biases zero.
/// Ref:    Vaswani et al. (2017), "Attention is all you need", section 3.3, arXiv:1706.03762.
class FeedForward final : public Module {
 public:
  struct Options {
    Activation activation = Activation::relu;
    double dropout = 0;  ///< of the inner activation
    DType dtype = DType::f32;
  };
  FeedForward(std::int64_t width, std::int64_t inner, Rng& rng, Options options);
  FeedForward(std::int64_t width, std::int64_t inner, Rng& rng)
      : FeedForward(width, inner, rng, Options{}) {}

  Variable operator()(const Variable& x) const;

 private:
  void describe(Members& members) override;

  Dropout dropout_;  // made first: it checks its probability
  Linear linear1_;
  Linear linear2_;
  Activation activation_;
};

}  // namespace lectern::nn
