#pragma once

#include <vector>

#include "nn/transformer_layer.h"

namespace lectern::nn {

/// A stack of encoder layers and a final norm.
///
/// Shapes: x [B, T, E] -> [B, T, E].
/// Names:  layers.0.*, layers.1.*, …, norm.*, as in PyTorch.
class TransformerEncoder final : public Module {
 public:
  TransformerEncoder(std::int64_t layers, const TransformerLayerOptions& options, Rng& rng);
  Variable operator()(const Variable& x, const Mask& mask = {}) const;
  /// Self-attention weights [B, H, T, T] of each layer.
  std::vector<Variable> attention_weights(const Variable& x, const Mask& mask = {}) const;

 private:
  void describe(Members& members) override;

  std::vector<TransformerEncoderLayer> layers_;
  LayerNorm norm_;
};

/// A stack of decoder layers and a final norm.
///
/// Shapes: x [B, Tt, E], memory [B, Ts, E] -> [B, Tt, E].
/// Names:  layers.0.*, layers.1.*, …, norm.*, as in PyTorch.
class TransformerDecoder final : public Module {
 public:
  TransformerDecoder(std::int64_t layers, const TransformerLayerOptions& options, Rng& rng);
  Variable operator()(const Variable& x, const Variable& memory, const Mask& mask,
                      const Mask& memory_mask = {}) const;

  using Cache = std::vector<DecoderLayerCache>;  ///< one for each layer
  /// For decoding position by position: an empty cache for at most `capacity` positions.
  Cache make_cache(const Variable& memory, std::int64_t capacity) const;
  /// The newest positions x [B, T, E] alone; `cache` stands for all before them.
  Variable operator()(const Variable& x, Cache& cache, const Mask& memory_mask) const;

  /// Both attentions' weights of each layer.
  std::vector<TransformerDecoderLayer::Weights> attention_weights(
      const Variable& x, const Variable& memory, const Mask& mask,
      const Mask& memory_mask = {}) const;

 private:
  void describe(Members& members) override;

  std::vector<TransformerDecoderLayer> layers_;
  LayerNorm norm_;
};

/// The encoder–decoder Transformer, from vectors to vectors; always with the final norms
/// encoder.norm and decoder.norm.
///
/// Shapes: source [B, Ts, E], target [B, Tt, E] -> [B, Tt, E].
/// Names:  encoder.*, decoder.*, as in PyTorch's nn.Transformer.
/// Ref:    Vaswani et al. (2017), "Attention is all you need", section 3, arXiv:1706.03762.
class Transformer final : public Module {
 public:
  struct Config {
    TransformerLayerOptions layer{};
    std::int64_t encoder_layers = 6;
    std::int64_t decoder_layers = 6;
  };
  Transformer(const Config& config, Rng& rng);

  /// `source_mask` says which source positions may be seen, by the encoder and by the decoder.
  Variable operator()(const Variable& source, const Variable& target, const Mask& source_mask = {},
                      const Mask& target_mask = {.causal = true}) const;

  const TransformerEncoder& encoder() const { return encoder_; }
  const TransformerDecoder& decoder() const { return decoder_; }

 private:
  void describe(Members& members) override;

  TransformerEncoder encoder_;
  TransformerDecoder decoder_;
};

}  // namespace lectern::nn
