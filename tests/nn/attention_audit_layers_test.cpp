// The library's own attentions, layers and models under the audit.

#include <gtest/gtest.h>

#include "nn/translation_transformer.h"
#include "tests/nn/attention_audit_cases.h"
#include "tests/support/on_threads.h"

namespace lectern::nn {
namespace {

/// Every part of a mask, alone and joined.
std::vector<Mask> masks() {
  return {{},
          causal_mask(),
          padding_mask(lengths(5, 2)),
          causal_mask() & padding_mask(lengths(3, 4)),
          allow(band()),
          allow(band()) & causal_mask() & padding_mask(lengths(4, 5))};
}

TransformerLayerOptions layer_options(bool norm_first, DType dtype) {
  return {.width = 4, .heads = 2, .feed_forward = 6, .norm_first = norm_first, .dtype = dtype};
}

/// f(x, mask) keeps to what it is told.
void expect_obeys(const std::function<Variable(const Variable&, const Mask&)>& f, DType dtype,
                  const std::vector<Mask>& told) {
  for (const Mask& mask : told) {
    const AttentionAudit audit = attention_audit(f, sentences(dtype), {.mask = mask});
    EXPECT_TRUE(audit.passed()) << to_string(audit);
    // A query with a single key takes its value whatever the query is.
    const Tensor itself = Tensor::eye(5, DType::boolean);
    EXPECT_TRUE(same_bits(logical_or(audit.reaches, itself), audit.may_reach)) << to_string(audit);
  }
}

TEST(AttentionAudit, PassesTheLibrarysAttentions) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Rng rng(1);
    const MultiHeadSelfAttention itself(4, 2, rng, {.dtype = dtype});
    const MultiHeadAttention across(4, 2, rng, {.dtype = dtype});
    const Variable queries(Rng(6).normal({2, 5, 4}, dtype));
    expect_obeys([&](const Variable& x, const Mask& mask) { return itself(x, mask); }, dtype,
                 masks());
    expect_obeys(
        [&](const Variable& x, const Mask& mask) { return itself.with_weights(x, mask).output; },
        dtype, masks());
    for (const Mask& mask : masks()) {
      const AttentionAudit audit = attention_audit(
          [&](const Variable& x, const Mask& m) { return across(queries, x, x, m); },
          sentences(dtype), {.mask = mask});
      EXPECT_TRUE(audit.passed()) << to_string(audit);
    }
  }
}

TEST(AttentionAudit, PassesTheLibrarysLayers) {
  for (const bool norm_first : {false, true}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      Rng rng(1);
      TransformerEncoderLayer encoder(layer_options(norm_first, dtype), rng);
      TransformerDecoderLayer decoder(layer_options(norm_first, dtype), rng);
      encoder.eval();
      decoder.eval();
      const Variable other(Rng(6).normal({2, 5, 4}, dtype));
      expect_obeys([&](const Variable& x, const Mask& m) { return encoder(x, m); }, dtype, masks());
      expect_obeys([&](const Variable& x, const Mask& m) { return decoder(x, other, m); }, dtype,
                   masks());
      const AttentionAudit memory = attention_audit(
          [&](const Variable& x, const Mask& m) { return decoder(other, x, causal_mask(), m); },
          sentences(dtype), {.mask = padding_mask(lengths(5, 3))});
      EXPECT_TRUE(memory.passed()) << to_string(memory);
    }
  }
}

TEST(AttentionAudit, PassesAWholeTransformer) {
  Rng rng(1);
  Transformer transformer(
      {.layer = layer_options(true, DType::f64), .encoder_layers = 2, .decoder_layers = 2}, rng);
  transformer.eval();
  const Variable other(Rng(6).normal({2, 5, 4}, DType::f64));
  const AttentionAudit target = attention_audit(
      [&](const Variable& x) { return transformer(other, x); }, sentences(), {.causal = true});
  EXPECT_TRUE(target.passed()) << to_string(target);
  EXPECT_TRUE(same_bits(target.reaches, target.may_reach));
}

TEST(AttentionAudit, PassesTheTranslationTransformerFromIdsToLogits) {
  Rng rng(1);
  TranslationTransformer model({.source_vocabulary = 7,
                                .target_vocabulary = 9,
                                .width = 8,
                                .heads = 2,
                                .feed_forward = 12,
                                .max_length = 10},
                               rng);
  model.eval();
  const Tensor source = Tensor::from({3, 1, 4, 2, 5, 6, 2, 0, 0, 0}, {2, 5}, DType::i64);
  const Tensor target = Tensor::from({1, 5, 8, 2, 4, 1, 4, 3, 3, 6}, {2, 5}, DType::i64);
  const Mask padding = padding_mask(lengths(5, 2));

  const AttentionAudit decoder = attention_audit(
      [&](const Tensor& ids) { return model(source, padding, ids); }, target, 9, {.causal = true});
  EXPECT_TRUE(decoder.passed()) << to_string(decoder);
  EXPECT_TRUE(same_bits(decoder.reaches, decoder.may_reach));

  const AttentionAudit encoder = attention_audit(
      [&](const Tensor& ids) { return model.encode(ids, padding); }, source, 7, {.mask = padding});
  EXPECT_TRUE(encoder.passed()) << to_string(encoder);
  EXPECT_TRUE(same_bits(encoder.reaches, encoder.may_reach));
  EXPECT_EQ(faults(attention_audit([&](const Tensor& ids) { return model.encode(ids, {}); }, source,
                                   7, {.mask = padding})),
            Faults{Fault::sees_padding});
}

}  // namespace
}  // namespace lectern::nn
