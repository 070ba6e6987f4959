#include "nn/transformer.h"

#include <gtest/gtest.h>

#include <optional>

#include "nn/translation_transformer.h"
#include "tensor/indexing.h"
#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::nn {
namespace {

TransformerLayerOptions small(bool norm_first, DType dtype) {
  return {.width = 4,
          .heads = 2,
          .feed_forward = 6,
          .dropout = 0.1,
          .activation = Activation::gelu,
          .norm_first = norm_first,
          .dtype = dtype};
}

std::vector<std::string> with_prefix(std::string_view prefix,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(std::string(prefix) + name);
  return result;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& names) {
  to.insert(to.end(), names.begin(), names.end());
}

const std::vector<std::string> kAttention{"in_proj_weight", "in_proj_bias", "out_proj.weight",
                                          "out_proj.bias"};

std::vector<std::string> encoder_layer_names() {
  std::vector<std::string> names = with_prefix("self_attn.", kAttention);
  append(names, {"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias", "norm1.weight",
                 "norm1.bias", "norm2.weight", "norm2.bias"});
  return names;
}

std::vector<std::string> decoder_layer_names() {
  std::vector<std::string> names = with_prefix("self_attn.", kAttention);
  append(names, with_prefix("multihead_attn.", kAttention));
  append(names, {"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias", "norm1.weight",
                 "norm1.bias", "norm2.weight", "norm2.bias", "norm3.weight", "norm3.bias"});
  return names;
}

std::vector<std::string> encoder_names() {
  std::vector<std::string> names = with_prefix("layers.0.", encoder_layer_names());
  append(names, {"norm.weight", "norm.bias"});
  return names;
}

std::vector<std::string> decoder_names() {
  std::vector<std::string> names = with_prefix("layers.0.", decoder_layer_names());
  append(names, {"norm.weight", "norm.bias"});
  return names;
}

/// What encoders of width 4 refuse.
const std::vector<Refusal> kWrongInput{
    {{{2, 3, 5}}, "MultiHeadAttention: x is [2, 3, 5]; it must be [B, T, 4]"},
    {{{3, 4}}, "MultiHeadAttention: x is [3, 4]; it must be [B, T, 4]"}};
/// The first of these, if a norm comes first.
const char* const kWrongNorm =
    "layer_norm: widths differ: x is [2, 3, 5], gamma is [4]; gamma must be [x.shape[-1]] = [5]";
/// What decoders of width 4 refuse.
const std::vector<Refusal> kWrongInputs{
    {{{2, 3, 5}, {2, 5, 4}}, "MultiHeadAttention: x is [2, 3, 5]; it must be [B, T, 4]"},
    {{{2, 3, 4}, {2, 5, 3}}, "MultiHeadAttention: x is [2, 5, 3]; it must be [B, T, 4]"},
    {{{2, 3, 4}, {1, 5, 4}},
     "scaled_dot_product_attention: q is [2, 2, 3, 2], k is [1, 2, 5, 2]; k must have the same "
     "B = 2, H = 2 and D = 2"}};

TEST(TransformerEncoderLayer, KeepsTheLayerContract) {
  for (const bool norm_first : {false, true}) {
    std::vector<Refusal> refuses = kWrongInput;
    if (norm_first) refuses[0].text = kWrongNorm;
    expect_layer_contract(
        [&](Rng& rng, DType d) { return TransformerEncoderLayer(small(norm_first, d), rng); },
        {{2, 3, 4}}, encoder_layer_names(), {.refuses = refuses, .drops = true});
  }
}

TEST(TransformerDecoderLayer, KeepsTheLayerContract) {
  for (const bool norm_first : {false, true}) {
    std::vector<Refusal> refuses = kWrongInputs;
    if (norm_first) refuses[0].text = kWrongNorm;
    expect_layer_contract(
        [&](Rng& rng, DType d) { return TransformerDecoderLayer(small(norm_first, d), rng); },
        {{2, 3, 4}, {2, 5, 4}}, decoder_layer_names(), {.refuses = refuses, .drops = true},
        [](auto& layer, const auto& x) { return layer(x[0], x[1], {.causal = true}); });
  }
}

TEST(TransformerEncoder, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) { return TransformerEncoder(1, small(false, d), rng); }, {{2, 3, 4}},
      encoder_names(), {.refuses = kWrongInput, .drops = true},
      [](auto& encoder, const auto& x) {
        return encoder(x[0], {.key_lengths = Tensor::from({3, 2}, {2}, DType::i64)});
      });
}

TEST(TransformerDecoder, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) { return TransformerDecoder(1, small(false, d), rng); },
      {{2, 3, 4}, {2, 5, 4}}, decoder_names(), {.refuses = kWrongInputs, .drops = true},
      [](auto& decoder, const auto& x) {
        return decoder(x[0], x[1], {.causal = true},
                       {.key_lengths = Tensor::from({5, 2}, {2}, DType::i64)});
      });
}

TEST(Transformer, KeepsTheLayerContract) {  // under PyTorch's names
  std::vector<std::string> names = with_prefix("encoder.", encoder_names());
  append(names, with_prefix("decoder.", decoder_names()));
  expect_layer_contract(
      [&](Rng& rng, DType d) {
        return Transformer({.layer = small(false, d), .encoder_layers = 1, .decoder_layers = 1},
                           rng);
      },
      {{2, 3, 4}, {2, 2, 4}}, names,
      {.refuses = {{{{2, 3, 4}, {2, 2, 3}},
                    "MultiHeadAttention: x is [2, 2, 3]; it must be [B, T, 4]"},
                   {{{2, 3, 5}, {2, 2, 4}},
                    "MultiHeadAttention: x is [2, 3, 5]; it must be [B, T, 4]"}},
       .drops = true},
      [](auto& transformer, const auto& x) { return transformer(x[0], x[1]); });
}

TranslationTransformer::Config translation(DType dtype = DType::f32) {
  return {.source_vocabulary = 7,
          .target_vocabulary = 9,
          .width = 8,
          .heads = 2,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .feed_forward = 12,
          .max_length = 10,
          .dtype = dtype};
}

Tensor source_ids() { return Tensor::from({3, 1, 4, 2, 5, 6, 2, 0}, {2, 4}, DType::i64); }
Tensor source_lengths() { return Tensor::from({4, 3}, {2}, DType::i64); }
Tensor target_ids() { return Tensor::from({1, 5, 8, 1, 4, 3}, {2, 3}, DType::i64); }

TEST(TranslationTransformer, CountsItsParametersAndTiesTheOutput) {
  Rng rng(1);
  TranslationTransformer::Config config = translation();
  TranslationTransformer tied(config, rng);
  config.tied = false;
  config.positions = TranslationTransformer::Positions::learned;
  TranslationTransformer free(config, rng);
  EXPECT_EQ(free.parameter_count() - tied.parameter_count(), 9 * 8 + 10 * 8);
  std::vector<std::string> names;
  for (const NamedTensor& entry : free.state_dict()) {
    if (!entry.name.starts_with("transformer.")) names.push_back(entry.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"source_embedding.weight", "target_embedding.weight",
                                             "positions.weight", "output.weight", "output.bias"}));
}

TEST(TranslationTransformer, KeepsTheLayerContract) {
  using Positions = TranslationTransformer::Positions;
  for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
    const bool learned = positions == Positions::learned;  // and the output of its own
    std::vector<std::string> names{"source_embedding.weight", "target_embedding.weight"};
    if (learned) names.push_back("positions.weight");
    append(names, with_prefix("transformer.encoder.", encoder_names()));
    append(names, with_prefix("transformer.decoder.", decoder_names()));
    if (learned) names.push_back("output.weight");
    names.push_back("output.bias");
    expect_layer_contract(
        [&](Rng& rng, DType d) {
          TranslationTransformer::Config config = translation(d);
          config.encoder_layers = config.decoder_layers = 1;
          config.width = 4;
          config.feed_forward = 6;
          config.positions = positions;
          config.tied = !learned;
          return TranslationTransformer(config, rng);
        },
        {}, names, {.drops = true},
        [](auto& model, const auto&) {
          return model(source_ids(), {.key_lengths = source_lengths()}, target_ids());
        });
  }
}

TEST(TranslationTransformer, DecodingStepByStepGivesTheSameLogits) {
  Rng rng(1);
  TranslationTransformer model(translation(), rng);
  disturb(model);  // else all norms are alike
  model.eval();
  const NoGrad guard;
  const Tensor whole =
      model(source_ids(), {.key_lengths = source_lengths()}, target_ids()).value();  // [2, 3, V]
  auto state = model.start_decoding(source_ids(), source_lengths(), 3);
  for (std::int64_t t = 0; t < 2; ++t) {
    const Tensor logits = model.decode_next(slice(target_ids(), 1, t, t + 1), state).value();
    EXPECT_TRUE(all_close(logits, slice(whole, 1, t, t + 1))) << "step " << t;
  }
  const Tensor second = Tensor::from({1}, {1}, DType::i64);  // the first sentence has ended
  state.select(second);
  const Tensor ids = index_select(slice(target_ids(), 1, 2, 3), 0, second);
  EXPECT_TRUE(all_close(model.decode_next(ids, state).value(),
                        index_select(slice(whole, 1, 2, 3), 0, second)));
}

TEST(Cases, Cases_3_4_ASampleDoesNotDependOnItsPaddingOrItsNeighbours) {
  Rng rng(1);
  TranslationTransformer model(translation(), rng);
  model.eval();
  const NoGrad guard;
  const Tensor both = model(source_ids(), {.key_lengths = source_lengths()}, target_ids()).value();
  const Tensor alone =
      model(slice(slice(source_ids(), 0, 1, 2), 1, 0, 3), {}, slice(target_ids(), 0, 1, 2)).value();
  EXPECT_TRUE(all_close(slice(both, 0, 1, 2), alone, 0, 1e-6));
}

TEST(Cases, Cases_3_5_EvaluationIsTheIdentityEverywhereInTheModel) {
  const auto evaluate = [](std::optional<double> embedding, double outer, double inner) {
    Rng rng(1);
    TranslationTransformer::Config config = translation();
    config.embedding_dropout = embedding;
    config.dropout = outer;
    config.inner_dropout = inner;
    TranslationTransformer model(config, rng);
    model.eval();
    const NoGrad guard;
    const Mask mask{.key_lengths = source_lengths()};
    std::vector<Tensor> results{model(source_ids(), mask, target_ids()).value()};
    const auto weights = model.attention_weights(source_ids(), mask, target_ids());
    for (const Variable& layer : weights.encoder) results.push_back(layer.value());
    for (const auto& layer : weights.decoder) results.push_back(layer.memory.value());
    return results;
  };
  const std::vector<Tensor> want = evaluate(0, 0, 0);
  for (const double p : {0.3, 1.0}) {  // of one kind of dropout, then of all
    for (const auto& got :
         {evaluate(p, 0, 0), evaluate(0, p, 0), evaluate(0, 0, p), evaluate(p, p, p)}) {
      for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(same_bits(got[i], want[i]));
    }
  }
}

TEST(Cases, Cases_10_3_DecodingNeverRunsPastTheTable) {
  Rng rng(1);
  TranslationTransformer::Config config = translation();
  config.max_length = 4;
  TranslationTransformer model(config, rng);
  model.eval();
  const NoGrad guard;
  auto state = model.start_decoding(source_ids(), source_lengths(), 9);
  const Tensor ids = Tensor::ones({2, 1}, DType::i64);
  for (int t = 0; t < 4; ++t) EXPECT_NO_THROW(model.decode_next(ids, state)) << "step " << t;
  EXPECT_THROW_TEXT(model.decode_next(ids, state), ShapeError,
                    "SinusoidalPositions: positions 4..4 are asked for, the table has 4; x is "
                    "[2, 1, 8]");
}

TEST(TranslationTransformer, AttentionWeightsOfEveryLayer) {
  Rng rng(1);
  TranslationTransformer model(translation(), rng);
  model.eval();
  const NoGrad guard;
  const auto weights =
      model.attention_weights(source_ids(), {.key_lengths = source_lengths()}, target_ids());
  ASSERT_EQ(weights.encoder.size(), 2U);
  ASSERT_EQ(weights.decoder.size(), 2U);
  EXPECT_EQ(weights.encoder[1].shape(), Shape({2, 2, 4, 4}));
  EXPECT_EQ(weights.decoder[1].self.shape(), Shape({2, 2, 3, 3}));
  EXPECT_EQ(weights.decoder[1].memory.shape(), Shape({2, 2, 3, 4}));
  EXPECT_TRUE(all_close(sum(weights.decoder[1].memory.value(), -1), Tensor::ones({2, 2, 3})));
}

// The shorter sentence of a batch, beside a longer one and alone; what is hidden has weight 0.
TEST(TranslationTransformer, AttentionWeightsDoNotDependOnPadding) {
  Rng rng(1);
  TranslationTransformer model(translation(), rng);
  disturb(model);
  model.eval();
  const NoGrad guard;
  const auto both =
      model.attention_weights(source_ids(), {.key_lengths = source_lengths()}, target_ids());
  const auto alone = model.attention_weights(slice(slice(source_ids(), 0, 1, 2), 1, 0, 3), {},
                                             slice(target_ids(), 0, 1, 2));
  const auto second = [](const Variable& weights) { return slice(weights.value(), 0, 1, 2); };
  for (std::size_t i = 0; i < 2; ++i) {
    SCOPED_TRACE(i);
    const Tensor encoder = second(both.encoder[i]), self = second(both.decoder[i].self),
                 memory = second(both.decoder[i].memory);
    EXPECT_TRUE(
        all_close(slice(slice(encoder, 2, 0, 3), 3, 0, 3), alone.encoder[i].value(), 0, 1e-6));
    EXPECT_TRUE(all_close(self, alone.decoder[i].self.value(), 0, 1e-6));
    EXPECT_TRUE(all_close(slice(memory, 3, 0, 3), alone.decoder[i].memory.value(), 0, 1e-6));
    for (const Tensor& hidden : {slice(encoder, 3, 3), slice(memory, 3, 3), triu(self, 1)}) {
      EXPECT_TRUE(all_close(hidden, Tensor::zeros_like(hidden), 0, 0));
    }
  }
}

// With all of each sub-layer's output dropped, the residual connections and norms remain.
TEST(TransformerLayers, DropTheOutputsOfTheirSubLayers) {
  Rng rng(1);
  const Variable x(rng.normal({2, 3, 4}, DType::f64)), memory(rng.normal({2, 5, 4}, DType::f64));
  for (const bool norm_first : {true, false}) {
    TransformerLayerOptions options = small(norm_first, DType::f64);
    options.dropout = 1;
    options.inner_dropout = 0;
    const TransformerEncoderLayer encoder(options, rng);
    const TransformerDecoderLayer decoder(options, rng);
    const LayerNorm norm(4, 1e-5, DType::f64);  // as all of theirs are at first
    const Variable twice = norm_first ? x : norm(norm(x));
    const Variable thrice = norm_first ? x : norm(twice);
    EXPECT_TRUE(all_close(encoder(x).value(), twice.value(), 0, 0));
    EXPECT_TRUE(all_close(decoder(x, memory, {}).value(), thrice.value(), 0, 0));
  }
}

TEST(TranslationTransformer, EvaluationDropsNothing) {
  Rng rng(1);
  TranslationTransformer::Config config = translation();
  config.dropout = 0.5;
  TranslationTransformer model(config, rng);
  const auto logits = [&] { return model(source_ids(), {}, target_ids()).value(); };
  EXPECT_FALSE(same_bits(logits(), logits()));
  model.eval();
  EXPECT_TRUE(same_bits(logits(), logits()));
  model.train();
  EXPECT_FALSE(same_bits(logits(), logits()));
}

TEST(Transformer, HasTheEpsilonOfPyTorchByDefault) {
  EXPECT_EQ(TransformerLayerOptions{}.layer_norm_eps, 1e-5);
  EXPECT_EQ(TranslationTransformer::Config{}.layer_norm_eps, 1e-5);
}

TEST(TranslationTransformer, NamesWhatDoesNotFit) {
  Rng rng(1);
  TranslationTransformer model(translation(), rng);
  EXPECT_THROW_TEXT(model.encode(Tensor::zeros({1, 11}, DType::i64), {}), ShapeError,
                    "SinusoidalPositions: positions 0..10 are asked for, the table has 10; x is "
                    "[1, 11, 8]");
  TranslationTransformer::Config config = translation();
  config.encoder_layers = 0;
  EXPECT_THROW_TEXT(TranslationTransformer(config, rng), ShapeError,
                    "TransformerEncoder: layers is 0; it must be positive");
}

}  // namespace
}  // namespace lectern::nn
