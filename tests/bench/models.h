#pragma once

#include <cstdint>
#include <vector>

#include "nn/translation_transformer.h"

namespace lectern::bench {

/// A translation model and a batch of source and target sentences of equal length, without padding.
struct Model {
  const char* name;
  std::int64_t width, heads, layers, feed_forward, vocabulary, batch, length;
  std::int64_t parameters;

  std::int64_t tokens() const { return batch * length; }
  std::int64_t head_width() const { return width / heads; }

  nn::TranslationTransformer::Config config() const {
    return {.source_vocabulary = vocabulary,
            .target_vocabulary = vocabulary,
            .width = width,
            .heads = heads,
            .encoder_layers = layers,
            .decoder_layers = layers,
            .feed_forward = feed_forward,
            .max_length = 64,
            .positions = nn::TranslationTransformer::Positions::learned,
            .dropout = 0.1,
            .embedding_dropout = 0.0,
            .norm_first = true,
            .tied = false,
            .scaled_embeddings = false,
            .padding_id = std::nullopt};
  }

  /// An affine layer and how many of the kind the model has.
  struct Affine {
    std::int64_t in, out, count;
  };
  std::vector<Affine> affine_layers() const {
    return {{width, 3 * width, 2 * layers},     // self-attention: queries, keys and values
            {width, width, 2 * layers},         //   and what comes out
            {width, width, 2 * layers},         // attention to the source: queries, and out
            {width, 2 * width, layers},         //   keys and values
            {width, feed_forward, 2 * layers},  // feed-forward
            {feed_forward, width, 2 * layers}, {width, vocabulary, 1}};
  }

  /// Floating-point operations of the matrix products of one training step: the forward products
  /// and, of the same size each, the gradients of both operands.
  double matmul_flops() const {
    std::int64_t multiplies = 0;
    for (const auto& [in, out, count] : affine_layers()) multiplies += tokens() * in * out * count;
    multiplies += 3 * layers * 2 * tokens() * length * width;  // scores and values, 3 attentions
    return 3 * 2 * static_cast<double>(multiplies);
  }
};

inline constexpr Model kModels[] = {
    {"tiny", 64, 4, 1, 256, 500, 32, 10, 217'588},
    {"toy", 128, 4, 2, 512, 2000, 64, 12, 1'704'400},
    {"small", 256, 8, 3, 1024, 8000, 64, 20, 11'699'008},
    {"base", 512, 8, 6, 2048, 8000, 16, 32, 56'469'312},
};

}  // namespace lectern::bench
