#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "nn/transformer.h"
#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"

// attention_weights() of layers and stacks does parts of their forward pass once more. Here the
// same parts are put together from the modules that they consist of, with the same parameters.

namespace lectern::nn {
namespace {

constexpr std::int64_t B = 2, Tt = 3, Ts = 4, E = 4, H = 2;

TransformerLayerOptions options(bool norm_first) {
  return {.width = E,
          .heads = H,
          .feed_forward = 6,
          .dropout = 0,
          .norm_first = norm_first,
          .dtype = DType::f64};
}

Mask source_mask() { return {.key_lengths = Tensor::from({2, 4}, {B}, DType::i64)}; }
Mask target_mask() { return {.causal = true}; }

/// Gives `part` the parameters of `whole` whose names begin with `prefix`.
template <class M>
M part_of(Module& whole, std::string_view prefix, M part) {
  std::vector<NamedTensor> entries;
  for (const NamedTensor& entry : whole.state_dict()) {
    if (entry.name.starts_with(prefix)) {
      entries.push_back({entry.name.substr(prefix.size()), entry.value});
    }
  }
  part.load_state_dict(entries);
  return part;
}

LayerNorm norm_of(Module& layer, std::string_view prefix) {
  return part_of(layer, prefix, LayerNorm(E, 1e-5, DType::f64));
}

Variable random(Rng& rng, std::int64_t length) {
  return Variable(rng.normal({B, length, E}, DType::f64));
}

class AttentionWeights : public testing::TestWithParam<bool> {
 protected:
  bool norm_first() const { return GetParam(); }
  Rng rng{1};
  NoGrad guard;
};

TEST_P(AttentionWeights, OfAnEncoderLayer) {
  TransformerEncoderLayer layer(options(norm_first()), rng);
  disturb(layer);  // else all norms are alike
  const auto attention =
      part_of(layer, "self_attn.", MultiHeadSelfAttention(E, H, rng, {.dtype = DType::f64}));
  const LayerNorm norm = norm_of(layer, "norm1.");
  const Variable x = random(rng, Ts);
  for (const Mask& mask : {Mask{}, source_mask(), target_mask()}) {
    const Variable want = attention.with_weights(norm_first() ? norm(x) : x, mask).weights;
    EXPECT_TRUE(all_close(layer.attention_weights(x, mask).value(), want.value(), 0, 1e-12));
  }
}

TEST_P(AttentionWeights, OfADecoderLayer) {
  TransformerDecoderLayer layer(options(norm_first()), rng);
  disturb(layer);  // else all norms are alike
  const auto self =
      part_of(layer, "self_attn.", MultiHeadSelfAttention(E, H, rng, {.dtype = DType::f64}));
  const auto cross =
      part_of(layer, "multihead_attn.", MultiHeadAttention(E, H, rng, {.dtype = DType::f64}));
  const LayerNorm norm1 = norm_of(layer, "norm1."), norm2 = norm_of(layer, "norm2.");
  const Variable x = random(rng, Tt), memory = random(rng, Ts);
  const auto got = layer.attention_weights(x, memory, target_mask(), source_mask());

  const auto [attended, weights] = self.with_weights(norm_first() ? norm1(x) : x, target_mask());
  const Variable query = norm_first() ? norm2(x + attended) : norm1(x + attended);
  const Variable want = cross.with_weights(query, memory, memory, source_mask()).weights;
  EXPECT_TRUE(all_close(got.self.value(), weights.value(), 0, 1e-12));
  EXPECT_TRUE(all_close(got.memory.value(), want.value(), 0, 1e-12));
}

TEST_P(AttentionWeights, OfAnEncoder) {
  TransformerEncoder encoder(3, options(norm_first()), rng);
  disturb(encoder);
  Variable x = random(rng, Ts);
  const auto got = encoder.attention_weights(x, source_mask());
  ASSERT_EQ(got.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto layer = part_of(encoder, "layers." + std::to_string(i) + ".",
                               TransformerEncoderLayer(options(norm_first()), rng));
    const Variable want = layer.attention_weights(x, source_mask());
    EXPECT_TRUE(all_close(got[i].value(), want.value(), 0, 1e-12)) << "layer " << i;
    x = layer(x, source_mask());
  }
}

TEST_P(AttentionWeights, OfADecoder) {
  TransformerDecoder decoder(3, options(norm_first()), rng);
  disturb(decoder);
  Variable x = random(rng, Tt);
  const Variable memory = random(rng, Ts);
  const auto got = decoder.attention_weights(x, memory, target_mask(), source_mask());
  ASSERT_EQ(got.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto layer = part_of(decoder, "layers." + std::to_string(i) + ".",
                               TransformerDecoderLayer(options(norm_first()), rng));
    const auto want = layer.attention_weights(x, memory, target_mask(), source_mask());
    EXPECT_TRUE(all_close(got[i].self.value(), want.self.value(), 0, 1e-12)) << "layer " << i;
    EXPECT_TRUE(all_close(got[i].memory.value(), want.memory.value(), 0, 1e-12)) << "layer " << i;
    x = layer(x, memory, target_mask(), source_mask());
  }
}

INSTANTIATE_TEST_SUITE_P(PostAndPreNorm, AttentionWeights, testing::Bool());

}  // namespace
}  // namespace lectern::nn
