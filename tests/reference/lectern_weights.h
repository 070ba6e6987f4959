#pragma once

#include "nn/translation_transformer.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"

namespace lectern {

// The models whose weights go to PyTorch: write_weights.cpp writes them, check_weights.py loads
// them, weights_test.cpp holds the outputs against each other.

inline nn::Transformer small_transformer(DType dtype) {
  Rng rng(1);
  return nn::Transformer({.layer = {.width = 8,
                                    .heads = 2,
                                    .feed_forward = 12,
                                    .dropout = 0,
                                    .norm_first = true,
                                    .dtype = dtype},
                          .encoder_layers = 2,
                          .decoder_layers = 1},
                         rng);
}

/// Tied, with sinusoidal positions and scaled embeddings, as the translate program's is.
inline nn::TranslationTransformer small_translation(DType dtype) {
  Rng rng(1);
  return nn::TranslationTransformer({.source_vocabulary = 11,
                                     .target_vocabulary = 13,
                                     .width = 8,
                                     .heads = 2,
                                     .encoder_layers = 1,
                                     .decoder_layers = 2,
                                     .feed_forward = 12,
                                     .dropout = 0,
                                     .dtype = dtype},
                                    rng);
}

/// Random sixty-fourths for all parameters: numbers that any compiler makes alike.
template <class Model>
Model with_written_weights(Model model) {
  Rng rng(2);
  for (const nn::NamedParameter& parameter : model.named_parameters()) {
    Tensor value = parameter.value.value();
    value.copy_from(rng.integers(value.shape(), -32, 32).to(value.dtype()) * (1.0 / 64));
  }
  return model;
}

}  // namespace lectern
