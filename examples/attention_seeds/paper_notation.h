#pragma once

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "examples/attention_seeds/checks.h"
#include "nn/linear.h"

namespace lectern::attention_seeds {

/// Seed 004: self-attention in the letters of the paper, W_q, W_k, W_v, W_o, d_k = d_model / h, and
/// of its size unless told otherwise: d_model 512, h 8. It is right as printed.
///
/// Shapes: x [B, T, d_model] -> [B, T, d_model].
/// Names:  W_q.*, W_k.*, W_v.*, W_o.*.
/// Ref:    Vaswani et al. (2017), "Attention is all you need", section 3.2.2, arXiv:1706.03762.
class PaperNotation final : public nn::Module {
 public:
  explicit PaperNotation(Rng& rng, std::int64_t d_model = 512, std::int64_t h = 8,
                         DType dtype = DType::f32)
      : d_k_(head_width("PaperNotation", d_model, h)),
        h_(h),
        w_q_(d_model, d_model, rng, {.dtype = dtype}),
        w_k_(d_model, d_model, rng, {.dtype = dtype}),
        w_v_(d_model, d_model, rng, {.dtype = dtype}),
        w_o_(d_model, d_model, rng, {.dtype = dtype}) {}

  Variable operator()(const Variable& x) const {
    require_sequences("PaperNotation", "x", x, h_ * d_k_);
    const std::int64_t batch_size = x.shape()[0];
    const auto split_heads = [&](const Variable& projected) {
      return transpose(reshape(projected, {batch_size, -1, h_, d_k_}), 1, 2);
    };
    const Variable q = split_heads(w_q_(x));  // [B, h, T, d_k]
    const Variable k = split_heads(w_k_(x));  // [B, h, T, d_k]
    const Variable v = split_heads(w_v_(x));  // [B, h, T, d_k]
    const Variable scores =
        matmul(q, transpose(k, -2, -1)) / std::sqrt(static_cast<double>(d_k_));  // [B, h, T, T]
    const Variable attn = softmax(scores, -1);                                   // [B, h, T, T]
    const Variable out = transpose(matmul(attn, v), 1, 2);                       // [B, T, h, d_k]
    return w_o_(reshape(out, {batch_size, -1, h_ * d_k_}));                      // [B, T, d_model]
  }

 private:
  void describe(nn::Members& members) override {
    members("W_q", w_q_);
    members("W_k", w_k_);
    members("W_v", w_v_);
    members("W_o", w_o_);
  }

  std::int64_t d_k_, h_;
  nn::Linear w_q_, w_k_, w_v_, w_o_;
};

}  // namespace lectern::attention_seeds
