#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "nn/embedding.h"
#include "nn/positions.h"
#include "nn/transformer.h"

namespace lectern::nn {

/// A Transformer from token ids to scores over a vocabulary: embeddings, positions, nn::Transformer
/// and an affine output.
///
/// Shapes: source i64 [B, Ts], target_in i64 [B, Tt] -> logits [B, Tt, V].
/// Names:  source_embedding.weight, target_embedding.weight, positions.weight (learned ones),
///         transformer.*, output.weight (absent if tied), output.bias.
/// Ref:    Vaswani et al. (2017), "Attention is all you need", arXiv:1706.03762; tied output: Press
///         and Wolf (2017), "Using the output embedding to improve language models",
///         arXiv:1608.05859.
class TranslationTransformer final : public Module {
 public:
  enum class Positions { sinusoidal, learned };

  struct Config {
    std::int64_t source_vocabulary = 0;
    std::int64_t target_vocabulary = 0;
    std::int64_t width = 128;  ///< E
    std::int64_t heads = 4;    ///< H
    std::int64_t encoder_layers = 2;
    std::int64_t decoder_layers = 2;
    std::int64_t feed_forward = 512;  ///< F
    std::int64_t max_length = 512;    ///< positions the model has
    Positions positions = Positions::sinusoidal;
    double dropout = 0.1;                       ///< of each sub-layer's output
    std::optional<double> embedding_dropout{};  ///< of embeddings with positions; = dropout
    std::optional<double> inner_dropout{};      ///< of attention weights and activations; = dropout
    Activation activation = Activation::relu;
    bool norm_first = true;
    double layer_norm_eps = 1e-5;
    bool tied = true;               ///< output.weight is target_embedding.weight
    bool scaled_embeddings = true;  ///< embeddings times sqrt(E)
    std::optional<std::int64_t> padding_id = 0;
    DType dtype = DType::f32;
  };
  /// Throws: ShapeError, ValueError for impossible sizes and probabilities.
  TranslationTransformer(const Config& config, Rng& rng);

  Variable operator()(const Tensor& source, const Mask& source_mask, const Tensor& target_in) const;

  // The same in parts.

  Variable encode(const Tensor& source, const Mask& source_mask) const;  ///< memory [B, Ts, E]
  /// Hidden vectors [B, Tt, E], before the output.
  Variable decode(const Tensor& target_in, const Variable& memory, const Mask& source_mask) const;
  /// Logits [..., V] of hidden vectors [..., E].
  Variable output(const Variable& hidden) const { return output_(hidden); }

  /// What decoding position by position keeps.
  struct DecodingState {
    TransformerDecoder::Cache cache;
    Mask source_mask;  ///< key lengths alone
    std::int64_t position = 0;
    void select(const Tensor& rows);  ///< keeps these samples, in this order
  };
  DecodingState start_decoding(const Tensor& source, const Tensor& source_lengths,
                               std::int64_t capacity) const;
  /// Logits [B, T, V] after the newest ids [B, T]; call under NoGrad.
  Variable decode_next(const Tensor& ids, DecodingState& state) const;

  struct AttentionWeights {
    std::vector<Variable> encoder;                          ///< of each layer, [B, H, Ts, Ts]
    std::vector<TransformerDecoderLayer::Weights> decoder;  ///< of each layer
  };
  AttentionWeights attention_weights(const Tensor& source, const Mask& source_mask,
                                     const Tensor& target_in) const;

  const Config& config() const { return config_; }

 private:
  void describe(Members& members) override;
  Variable embed(const Embedding& table, const Tensor& ids, std::int64_t start) const;

  Config config_;
  Embedding source_embedding_;
  Embedding target_embedding_;
  std::variant<SinusoidalPositions, LearnedPositions> positions_;
  Dropout dropout_;
  Transformer transformer_;
  Linear output_;
};

}  // namespace lectern::nn
