#include "nn/transformer.h"

namespace lectern::nn {
namespace {

template <class Layer>
std::vector<Layer> stack_of(std::string_view module, std::int64_t count,
                            const TransformerLayerOptions& options, Rng& rng) {
  require<ShapeError>(count > 0, "{}: layers is {}; it must be positive", module, count);
  std::vector<Layer> layers;
  layers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) layers.emplace_back(options, rng);
  return layers;
}

}  // namespace

TransformerEncoder::TransformerEncoder(std::int64_t layers, const TransformerLayerOptions& options,
                                       Rng& rng)
    : layers_(stack_of<TransformerEncoderLayer>("TransformerEncoder", layers, options, rng)),
      norm_(options.width, options.layer_norm_eps, options.dtype) {}

Variable TransformerEncoder::operator()(const Variable& x, const Mask& mask) const {
  Variable y = x;
  for (const TransformerEncoderLayer& layer : layers_) y = layer(y, mask);
  return norm_(y);
}

std::vector<Variable> TransformerEncoder::attention_weights(const Variable& x,
                                                            const Mask& mask) const {
  std::vector<Variable> weights;
  Variable y = x;
  for (const TransformerEncoderLayer& layer : layers_) {
    weights.push_back(layer.attention_weights(y, mask));
    y = layer(y, mask);
  }
  return weights;
}

void TransformerEncoder::describe(Members& members) {
  members("layers", layers_);
  members("norm", norm_);
}

TransformerDecoder::TransformerDecoder(std::int64_t layers, const TransformerLayerOptions& options,
                                       Rng& rng)
    : layers_(stack_of<TransformerDecoderLayer>("TransformerDecoder", layers, options, rng)),
      norm_(options.width, options.layer_norm_eps, options.dtype) {}

Variable TransformerDecoder::operator()(const Variable& x, const Variable& memory, const Mask& mask,
                                        const Mask& memory_mask) const {
  Variable y = x;
  for (const TransformerDecoderLayer& layer : layers_) y = layer(y, memory, mask, memory_mask);
  return norm_(y);
}

TransformerDecoder::Cache TransformerDecoder::make_cache(const Variable& memory,
                                                         std::int64_t capacity) const {
  Cache cache;
  for (const TransformerDecoderLayer& layer : layers_) {
    cache.push_back(layer.make_cache(memory, capacity));
  }
  return cache;
}

Variable TransformerDecoder::operator()(const Variable& x, Cache& cache,
                                        const Mask& memory_mask) const {
  Variable y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) y = layers_[i](y, cache[i], memory_mask);
  return norm_(y);
}

std::vector<TransformerDecoderLayer::Weights> TransformerDecoder::attention_weights(
    const Variable& x, const Variable& memory, const Mask& mask, const Mask& memory_mask) const {
  std::vector<TransformerDecoderLayer::Weights> weights;
  Variable y = x;
  for (const TransformerDecoderLayer& layer : layers_) {
    weights.push_back(layer.attention_weights(y, memory, mask, memory_mask));
    y = layer(y, memory, mask, memory_mask);
  }
  return weights;
}

void TransformerDecoder::describe(Members& members) {
  members("layers", layers_);
  members("norm", norm_);
}

Transformer::Transformer(const Config& config, Rng& rng)
    : encoder_(config.encoder_layers, config.layer, rng),
      decoder_(config.decoder_layers, config.layer, rng) {}

Variable Transformer::operator()(const Variable& source, const Variable& target,
                                 const Mask& source_mask, const Mask& target_mask) const {
  return decoder_(target, encoder_(source, source_mask), target_mask, source_mask);
}

void Transformer::describe(Members& members) {
  members("encoder", encoder_);
  members("decoder", decoder_);
}

}  // namespace lectern::nn
