#pragma once

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "examples/attention_seeds/checks.h"
#include "nn/linear.h"

namespace lectern::attention_seeds {

/// Seed 003: self-attention as two matrix products, after the heads have become an axis of the
/// batch. It is right as printed.
///
/// Shapes: x [B, T, E] -> [B, T, E].
/// Names:  query.*, key.*, value.*, fc_out.*.
class MatmulForm final : public nn::Module {
 public:
  MatmulForm(std::int64_t embed_size, std::int64_t num_heads, Rng& rng, DType dtype = DType::f32)
      : num_heads_(num_heads),
        head_dim_(head_width("MatmulForm", embed_size, num_heads)),
        query_(embed_size, embed_size, rng, {.dtype = dtype}),
        key_(embed_size, embed_size, rng, {.dtype = dtype}),
        value_(embed_size, embed_size, rng, {.dtype = dtype}),
        fc_out_(embed_size, embed_size, rng, {.dtype = dtype}) {}

  Variable operator()(const Variable& x) const {
    require_sequences("MatmulForm", "x", x, num_heads_ * head_dim_);
    const Variable q = split_heads(query_(x));  // [B, H, T, D]
    const Variable k = split_heads(key_(x));    // [B, H, T, D]
    const Variable v = split_heads(value_(x));  // [B, H, T, D]
    const double scale = std::sqrt(static_cast<double>(head_dim_));
    const Variable attention =
        softmax(matmul(q, transpose(k, -2, -1)) / scale, -1);    // [B, H, T, T]
    const Variable out = transpose(matmul(attention, v), 1, 2);  // [B, T, H, D]
    return fc_out_(reshape(out, x.shape()));                     // [B, T, E]
  }

 private:
  void describe(nn::Members& members) override {
    members("query", query_);
    members("key", key_);
    members("value", value_);
    members("fc_out", fc_out_);
  }
  Variable split_heads(const Variable& x) const {  // [B, T, E] -> [B, H, T, D]
    return transpose(reshape(x, {x.shape()[0], x.shape()[1], num_heads_, head_dim_}), 1, 2);
  }

  std::int64_t num_heads_, head_dim_;
  nn::Linear query_, key_, value_, fc_out_;
};

}  // namespace lectern::attention_seeds
