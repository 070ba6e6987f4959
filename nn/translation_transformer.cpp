#include "nn/translation_transformer.h"

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "nn/init.h"
#include "tensor/indexing.h"

namespace lectern::nn {
namespace {

using Config = TranslationTransformer::Config;

Transformer::Config transformer_config(const Config& c) {
  return {.layer = {.width = c.width,
                    .heads = c.heads,
                    .feed_forward = c.feed_forward,
                    .dropout = c.dropout,
                    .inner_dropout = c.inner_dropout,
                    .activation = c.activation,
                    .norm_first = c.norm_first,
                    .layer_norm_eps = c.layer_norm_eps,
                    .dtype = c.dtype},
          .encoder_layers = c.encoder_layers,
          .decoder_layers = c.decoder_layers};
}

std::variant<SinusoidalPositions, LearnedPositions> make_positions(const Config& c, Rng& rng) {
  if (c.positions == TranslationTransformer::Positions::learned) {
    return LearnedPositions(c.max_length, c.width, rng, c.dtype);
  }
  return SinusoidalPositions(c.max_length, c.width, c.dtype);
}

Linear make_output(const Config& c, const Embedding& target_embedding, Rng& rng) {
  Parameter bias(Tensor::zeros({c.target_vocabulary}, c.dtype), /*requires_grad=*/true);
  if (c.tied) return {target_embedding.weight(), std::move(bias)};
  return {Parameter(xavier_uniform({c.target_vocabulary, c.width}, rng, c.dtype),
                    /*requires_grad=*/true),
          std::move(bias)};
}

}  // namespace

TranslationTransformer::TranslationTransformer(const Config& config, Rng& rng)
    : config_(config),
      source_embedding_(config.source_vocabulary, config.width, rng,
                        {.padding_id = config.padding_id, .dtype = config.dtype}),
      target_embedding_(config.target_vocabulary, config.width, rng,
                        {.padding_id = config.padding_id, .dtype = config.dtype}),
      positions_(make_positions(config, rng)),
      dropout_(config.embedding_dropout.value_or(config.dropout), rng),
      transformer_(transformer_config(config), rng),
      output_(make_output(config, target_embedding_, rng)) {}

Variable TranslationTransformer::operator()(const Tensor& source, const Mask& source_mask,
                                            const Tensor& target_in) const {
  return output(decode(target_in, encode(source, source_mask), source_mask));  // [B, Tt, V]
}

Variable TranslationTransformer::encode(const Tensor& source, const Mask& source_mask) const {
  return transformer_.encoder()(embed(source_embedding_, source, 0), source_mask);  // [B, Ts, E]
}

Variable TranslationTransformer::decode(const Tensor& target_in, const Variable& memory,
                                        const Mask& source_mask) const {
  return transformer_.decoder()(embed(target_embedding_, target_in, 0), memory, {.causal = true},
                                source_mask);  // [B, Tt, E]
}

TranslationTransformer::DecodingState TranslationTransformer::start_decoding(
    const Tensor& source, const Tensor& source_lengths, std::int64_t capacity) const {
  const Mask source_mask{.key_lengths = source_lengths};
  return {transformer_.decoder().make_cache(encode(source, source_mask), capacity), source_mask};
}

Variable TranslationTransformer::decode_next(const Tensor& ids, DecodingState& state) const {
  const Variable x = embed(target_embedding_, ids, state.position);  // [B, T, E]
  state.position += ids.shape()[1];
  return output(transformer_.decoder()(x, state.cache, state.source_mask));  // [B, T, V]
}

void TranslationTransformer::DecodingState::select(const Tensor& rows) {
  for (DecoderLayerCache& layer : cache) layer.select(rows);
  if (source_mask.key_lengths.defined()) {
    source_mask.key_lengths = index_select(source_mask.key_lengths, 0, rows);
  }
}

TranslationTransformer::AttentionWeights TranslationTransformer::attention_weights(
    const Tensor& source, const Mask& source_mask, const Tensor& target_in) const {
  const Variable embedded = embed(source_embedding_, source, 0);
  return {transformer_.encoder().attention_weights(embedded, source_mask),
          transformer_.decoder().attention_weights(embed(target_embedding_, target_in, 0),
                                                   transformer_.encoder()(embedded, source_mask),
                                                   {.causal = true}, source_mask)};
}

Variable TranslationTransformer::embed(const Embedding& table, const Tensor& ids,
                                       std::int64_t start) const {
  Variable x = table(ids);  // [B, T, E]
  if (config_.scaled_embeddings) x = x * std::sqrt(static_cast<double>(config_.width));
  return dropout_(
      std::visit([&](const auto& positions) { return positions(x, start); }, positions_));
}

void TranslationTransformer::describe(Members& members) {
  members("source_embedding", source_embedding_);
  members("target_embedding", target_embedding_);
  std::visit([&](auto& positions) { members("positions", positions); }, positions_);
  members("", dropout_);  // has no parameters, only a mode
  members("transformer", transformer_);
  members("output", output_);
}

}  // namespace lectern::nn
