// Encoders, decoders and the whole Transformer against PyTorch: results and all gradients, f64 and
// f32. The cases are made by transformers.py.

#include "nn/transformer.h"

#include "tests/reference/layer_case.h"

namespace lectern {
namespace {

using nn::TransformerLayerOptions;
using Results = std::vector<Variable>;

TransformerLayerOptions layer_options(bool norm_first, nn::Activation activation, DType dtype) {
  return {.width = 8,
          .heads = 2,
          .feed_forward = 10,
          .dropout = 0,
          .activation = activation,
          .norm_first = norm_first,
          .dtype = dtype};
}

/// An encoder or encoder layer.
template <class Encoder>
LayerCall encoder_call(Encoder encoder) {
  return layer_call(std::move(encoder), [](Encoder& f, const LayerInputs& in) {
    return Results{f(in.x[0], mask_of(in))};
  });
}

/// The first constant is about the source or memory, the second about the target, as is "causal".
struct Masks {
  Mask source, target;
};
Masks masks_of(const LayerInputs& in) {
  Masks masks;
  masks.target.causal = in.form.starts_with("causal");
  if (!in.n.empty()) {
    (in.n[0].dtype() == DType::boolean ? masks.source.allowed : masks.source.key_lengths) = in.n[0];
  }
  if (in.n.size() > 1) masks.target.key_lengths = in.n[1];
  return masks;
}

/// A decoder or decoder layer.
template <class Decoder>
LayerCall decoder_call(Decoder decoder) {
  return layer_call(std::move(decoder), [](Decoder& f, const LayerInputs& in) {
    const auto [memory, target] = masks_of(in);
    return Results{f(in.x[0], in.x[1], target, memory)};
  });
}

LayerCall transformer_call(nn::Transformer transformer) {
  return layer_call(std::move(transformer), [](nn::Transformer& f, const LayerInputs& in) {
    const auto [source, target] = masks_of(in);
    return Results{f(in.x[0], in.x[1], source, target)};
  });
}

/// Every module with pre- and post-norm, relu and gelu.
LayerTable transformers() {
  LayerTable table;
  for (const bool pre : {true, false}) {
    for (const auto& [name, activation] :
         {std::pair("relu", nn::Activation::relu), std::pair("gelu", nn::Activation::gelu)}) {
      const std::string variant = fmt::format("{}-norm, {}", pre ? "pre" : "post", name);
      const auto options = [pre, activation = activation](DType dtype) {
        return layer_options(pre, activation, dtype);
      };
      table["encoder layer, " + variant] = [options](DType d) {
        Rng rng(1);
        return encoder_call(nn::TransformerEncoderLayer(options(d), rng));
      };
      table["encoder, " + variant] = [options](DType d) {
        Rng rng(1);
        return encoder_call(nn::TransformerEncoder(2, options(d), rng));
      };
      table["decoder layer, " + variant] = [options](DType d) {
        Rng rng(1);
        return decoder_call(nn::TransformerDecoderLayer(options(d), rng));
      };
      table["decoder, " + variant] = [options](DType d) {
        Rng rng(1);
        return decoder_call(nn::TransformerDecoder(2, options(d), rng));
      };
      table["transformer, " + variant] = [options](DType d) {
        Rng rng(1);
        return transformer_call(
            nn::Transformer({.layer = options(d), .encoder_layers = 1, .decoder_layers = 2}, rng));
      };
    }
  }
  table["encoder layer, eps 0.1"] = [](DType d) {
    Rng rng(1);
    TransformerLayerOptions options = layer_options(true, nn::Activation::relu, d);
    options.layer_norm_eps = 0.1;
    return encoder_call(nn::TransformerEncoderLayer(options, rng));
  };
  return table;
}

TEST(ReferenceTransformers, MatchPyTorchInF64) {
  expect_layer_cases("transformers", DType::f64, transformers());
}
TEST(ReferenceTransformers, MatchPyTorchInF32) {
  expect_layer_cases("transformers", DType::f32, transformers());
}

}  // namespace
}  // namespace lectern
