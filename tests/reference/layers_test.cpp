// Simple layers and attentions against PyTorch: results and all gradients, f64 and f32. The cases
// are made by layers.py.

#include "autograd/ops/reduce.h"
#include "nn/attention.h"
#include "nn/embedding.h"
#include "nn/feed_forward.h"
#include "nn/normalization.h"
#include "nn/positions.h"
#include "tests/reference/layer_case.h"

namespace lectern {
namespace {

using nn::MultiHeadAttention;
using nn::MultiHeadSelfAttention;
using Results = std::vector<Variable>;

/// A layer that is called with one variable.
template <class Layer>
LayerCall of_one(Layer layer) {
  return layer_call(std::move(layer),
                    [](Layer& f, const LayerInputs& in) { return Results{f(in.x[0])}; });
}

LayerCall linear_layer(DType dtype, bool bias) {
  Rng rng(1);
  return of_one(nn::Linear(8, 5, rng, {.bias = bias, .dtype = dtype}));
}

LayerCall feed_forward(DType dtype, nn::Activation activation) {
  Rng rng(1);
  return of_one(nn::FeedForward(8, 12, rng, {.activation = activation, .dtype = dtype}));
}

LayerCall embedding_of_ids(DType dtype, std::optional<std::int64_t> padding_id) {
  Rng rng(1);
  return layer_call(nn::Embedding(7, 5, rng, {.padding_id = padding_id, .dtype = dtype}),
                    [](nn::Embedding& f, const LayerInputs& in) { return Results{f(in.n[0])}; });
}

LayerCall learned_positions(DType dtype, std::int64_t start) {
  Rng rng(1);
  return layer_call(nn::LearnedPositions(6, 8, rng, dtype),
                    [start](nn::LearnedPositions& f, const LayerInputs& in) {
                      return Results{f(in.x[0], start)};
                    });
}

const LayerTable simple_layers = {
    {"Linear", [](DType d) { return linear_layer(d, true); }},
    {"Linear without bias", [](DType d) { return linear_layer(d, false); }},
    {"LayerNorm", [](DType d) { return of_one(nn::LayerNorm(9, 1e-5, d)); }},
    {"LayerNorm of width 1", [](DType d) { return of_one(nn::LayerNorm(1, 1e-5, d)); }},
    {"LayerNorm, eps 0.1", [](DType d) { return of_one(nn::LayerNorm(9, 0.1, d)); }},
    {"RMSNorm", [](DType d) { return of_one(nn::RMSNorm(9, 1e-6, d)); }},
    {"RMSNorm, eps 0.1", [](DType d) { return of_one(nn::RMSNorm(9, 0.1, d)); }},
    {"FeedForward, relu", [](DType d) { return feed_forward(d, nn::Activation::relu); }},
    {"FeedForward, gelu", [](DType d) { return feed_forward(d, nn::Activation::gelu); }},
    {"Embedding", [](DType d) { return embedding_of_ids(d, std::nullopt); }},
    {"Embedding, padding 0", [](DType d) { return embedding_of_ids(d, 0); }},
    {"LearnedPositions", [](DType d) { return learned_positions(d, 0); }},
    {"LearnedPositions from 2", [](DType d) { return learned_positions(d, 2); }},
    {"SinusoidalPositions of width 6",
     [](DType d) { return of_one(nn::SinusoidalPositions(50, 6, d)); }},
    {"SinusoidalPositions of width 7",
     [](DType d) { return of_one(nn::SinusoidalPositions(5, 7, d)); }},
};

constexpr std::int64_t kWidth = 9, kHeads = 3;

Results with_average(const MultiHeadAttention::Attended& attended) {
  return {attended.output, attended.weights, mean(attended.weights, 1)};
}

/// Self-attention; `call` gets the layer, x and the mask.
template <class Call>
LayerCall self_attention(DType dtype, Call call) {
  Rng rng(1);
  return layer_call(MultiHeadSelfAttention(kWidth, kHeads, rng, {.dtype = dtype}),
                    [call](MultiHeadSelfAttention& f, const LayerInputs& in) {
                      return call(f, in.x[0], mask_of(in));
                    });
}

/// Attention; the query is the first input, the value is the last, and so is the key unless there
/// are three. `call` gets the layer, query, key, value and the mask.
template <class Call>
LayerCall attention(DType dtype, Call call) {
  Rng rng(1);
  return layer_call(MultiHeadAttention(kWidth, kHeads, rng, {.dtype = dtype}),
                    [call](MultiHeadAttention& f, const LayerInputs& in) {
                      return call(f, in.x[0], in.x[1], in.x.back(), mask_of(in));
                    });
}

LayerCall attended(DType dtype) {
  return attention(dtype, [](auto& f, auto& q, auto& k, auto& v, const Mask& mask) {
    return Results{f(q, k, v, mask)};
  });
}

LayerCall attended_with_weights(DType dtype) {
  return attention(dtype, [](auto& f, auto& q, auto& k, auto& v, const Mask& mask) {
    return with_average(f.with_weights(q, k, v, mask));
  });
}

const LayerTable attentions = {
    {"self-attention",
     [](DType d) {
       return self_attention(d, [](auto& f, auto& x, const Mask& m) { return Results{f(x, m)}; });
     }},
    {"self-attention, with weights",
     [](DType d) {
       return self_attention(
           d, [](auto& f, auto& x, const Mask& m) { return with_average(f.with_weights(x, m)); });
     }},
    {"cross-attention", attended},
    {"cross-attention, with weights", attended_with_weights},
    {"attention of query, key and value", attended},
    {"attention of query, key and value, with weights", attended_with_weights},
};

TEST(ReferenceLayers, SimpleLayersMatchPyTorch) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    expect_layer_cases("layers", dtype, simple_layers);
  }
}

TEST(ReferenceLayers, AttentionsMatchPyTorch) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    expect_layer_cases("attention", dtype, attentions);
  }
}

}  // namespace
}  // namespace lectern
