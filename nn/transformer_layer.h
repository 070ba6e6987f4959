#pragma once

#include <optional>

#include "nn/attention.h"
#include "nn/feed_forward.h"
#include "nn/normalization.h"

namespace lectern::nn {

/// What an encoder or decoder layer is made of.
struct TransformerLayerOptions {
  std::int64_t width = 512;               ///< E
  std::int64_t heads = 8;                 ///< H
  std::int64_t feed_forward = 2048;       ///< F
  double dropout = 0.1;                   ///< of each sub-layer's output
  std::optional<double> inner_dropout{};  ///< of attention weights and activations; = dropout
  Activation activation = Activation::relu;
  bool norm_first = false;  ///< pre-norm: x + f(norm(x)), else norm(x + f(x))
  double layer_norm_eps = 1e-5;
  DType dtype = DType::f32;
};

/// Self-attention, then a feed-forward layer, each with a residual connection around it.
///
/// Shapes: x [B, T, E] -> [B, T, E].
/// Names:  self_attn.*, linear1.*, linear2.*, norm1.*, norm2.*, as in PyTorch.
/// Ref:    Vaswani et al. (2017), section 3.1, arXiv:1706.03762; pre-norm: Xiong et al. (2020),
///         "On layer normalization in the Transformer architecture", arXiv:2002.04745.
class TransformerEncoderLayer final : public Module {
 public:
  TransformerEncoderLayer(const TransformerLayerOptions& options, Rng& rng);
  Variable operator()(const Variable& x, const Mask& mask = {}) const;

  /// The self-attention's weights [B, H, T, T] for the layer's input x.
  Variable attention_weights(const Variable& x, const Mask& mask = {}) const;

 private:
  void describe(Members& members) override;

  MultiHeadSelfAttention self_attn_;
  FeedForward feed_forward_;
  LayerNorm norm1_, norm2_;
  Dropout dropout_;
  bool norm_first_;
};

/// What a decoder layer keeps between steps of decoding.
struct DecoderLayerCache {
  KeyValueCache self;               ///< of the target so far
  Variable keys, values;            ///< of the memory, [B, H, Ts, D]
  void select(const Tensor& rows);  ///< keeps these samples, in this order
};

/// Causal self-attention, attention over the encoder's output ("memory"), then a feed-forward
/// layer, each with a residual connection around it.
///
/// Shapes: x [B, Tt, E], memory [B, Ts, E] -> [B, Tt, E].
/// Names:  self_attn.*, multihead_attn.*, linear1.*, linear2.*, norm1.* to norm3.*, as in PyTorch.
class TransformerDecoderLayer final : public Module {
 public:
  TransformerDecoderLayer(const TransformerLayerOptions& options, Rng& rng);
  /// `mask` is the target's own: pass {.causal = true} for a decoder that must not look ahead.
  Variable operator()(const Variable& x, const Variable& memory, const Mask& mask,
                      const Mask& memory_mask = {}) const;

  DecoderLayerCache make_cache(const Variable& memory, std::int64_t capacity) const;
  /// The newest positions x [B, T, E] alone; `cache` stands for all before them.
  Variable operator()(const Variable& x, DecoderLayerCache& cache, const Mask& memory_mask) const;

  struct Weights {
    Variable self;    ///< [B, H, Tt, Tt]
    Variable memory;  ///< [B, H, Tt, Ts]
  };
  /// Both attentions' weights for the layer's input x.
  Weights attention_weights(const Variable& x, const Variable& memory, const Mask& mask,
                            const Mask& memory_mask = {}) const;

 private:
  void describe(Members& members) override;

  MultiHeadSelfAttention self_attn_;
  MultiHeadAttention multihead_attn_;
  FeedForward feed_forward_;
  LayerNorm norm1_, norm2_, norm3_;
  Dropout dropout_;
  bool norm_first_;
};

}  // namespace lectern::nn
