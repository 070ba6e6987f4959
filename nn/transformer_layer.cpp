#include "nn/transformer_layer.h"

#include "autograd/ops/arithmetic.h"
#include "tensor/indexing.h"

namespace lectern::nn {
namespace {

MultiHeadAttention::Options attention_options(const TransformerLayerOptions& o) {
  return {.dropout = o.inner_dropout.value_or(o.dropout), .dtype = o.dtype};
}

FeedForward::Options feed_forward_options(const TransformerLayerOptions& o) {
  return {
      .activation = o.activation, .dropout = o.inner_dropout.value_or(o.dropout), .dtype = o.dtype};
}

/// One sub-layer f with its residual connection:
///   pre-norm   x + dropout(f(norm(x)))
///   post-norm  norm(x + dropout(f(x)))
template <class F>
Variable residual(const Variable& x, const LayerNorm& norm, const Dropout& dropout, bool norm_first,
                  const F& f) {
  if (norm_first) return dropout.add(x, f(norm(x)));
  return norm(dropout.add(x, f(x)));
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(const TransformerLayerOptions& o, Rng& rng)
    : self_attn_(o.width, o.heads, rng, attention_options(o)),
      feed_forward_(o.width, o.feed_forward, rng, feed_forward_options(o)),
      norm1_(o.width, o.layer_norm_eps, o.dtype),
      norm2_(o.width, o.layer_norm_eps, o.dtype),
      dropout_(o.dropout, rng),
      norm_first_(o.norm_first) {}

Variable TransformerEncoderLayer::operator()(const Variable& x, const Mask& mask) const {
  const Variable seen = residual(x, norm1_, dropout_, norm_first_,
                                 [&](const Variable& y) { return self_attn_(y, mask); });
  return residual(seen, norm2_, dropout_, norm_first_, feed_forward_);  // [B, T, E]
}

Variable TransformerEncoderLayer::attention_weights(const Variable& x, const Mask& mask) const {
  return self_attn_.with_weights(norm_first_ ? norm1_(x) : x, mask).weights;
}

void TransformerEncoderLayer::describe(Members& members) {
  members("self_attn", self_attn_);
  members("", feed_forward_);
  members("norm1", norm1_);
  members("norm2", norm2_);
  members("", dropout_);  // has no parameters, only a mode
}

void DecoderLayerCache::select(const Tensor& rows) {
  self.select(rows);
  keys = Variable(index_select(keys.value(), 0, rows));
  values = Variable(index_select(values.value(), 0, rows));
}

TransformerDecoderLayer::TransformerDecoderLayer(const TransformerLayerOptions& o, Rng& rng)
    : self_attn_(o.width, o.heads, rng, attention_options(o)),
      multihead_attn_(o.width, o.heads, rng, attention_options(o)),
      feed_forward_(o.width, o.feed_forward, rng, feed_forward_options(o)),
      norm1_(o.width, o.layer_norm_eps, o.dtype),
      norm2_(o.width, o.layer_norm_eps, o.dtype),
      norm3_(o.width, o.layer_norm_eps, o.dtype),
      dropout_(o.dropout, rng),
      norm_first_(o.norm_first) {}

Variable TransformerDecoderLayer::operator()(const Variable& x, const Variable& memory,
                                             const Mask& mask, const Mask& memory_mask) const {
  const Variable seen = residual(x, norm1_, dropout_, norm_first_,
                                 [&](const Variable& y) { return self_attn_(y, mask); });
  const Variable informed = residual(seen, norm2_, dropout_, norm_first_, [&](const Variable& y) {
    return multihead_attn_(y, memory, memory, memory_mask);
  });
  return residual(informed, norm3_, dropout_, norm_first_, feed_forward_);  // [B, Tt, E]
}

DecoderLayerCache TransformerDecoderLayer::make_cache(const Variable& memory,
                                                      std::int64_t capacity) const {
  const auto [keys, values] = multihead_attn_.project_memory(memory);
  return {self_attn_.make_cache(memory.shape()[0], capacity), keys, values};
}

Variable TransformerDecoderLayer::operator()(const Variable& x, DecoderLayerCache& cache,
                                             const Mask& memory_mask) const {
  const Variable seen = residual(x, norm1_, dropout_, norm_first_,
                                 [&](const Variable& y) { return self_attn_(y, cache.self); });
  const Variable informed = residual(seen, norm2_, dropout_, norm_first_, [&](const Variable& y) {
    return multihead_attn_.attend({multihead_attn_.project_query(y), cache.keys, cache.values},
                                  memory_mask);
  });
  return residual(informed, norm3_, dropout_, norm_first_, feed_forward_);  // [B, T, E]
}

TransformerDecoderLayer::Weights TransformerDecoderLayer::attention_weights(
    const Variable& x, const Variable& memory, const Mask& mask, const Mask& memory_mask) const {
  const auto [attended, self_weights] = self_attn_.with_weights(norm_first_ ? norm1_(x) : x, mask);
  const Variable seen = norm_first_ ? x + attended : norm1_(x + attended);
  const Variable query = norm_first_ ? norm2_(seen) : seen;
  return {self_weights, multihead_attn_.with_weights(query, memory, memory, memory_mask).weights};
}

void TransformerDecoderLayer::describe(Members& members) {
  members("self_attn", self_attn_);
  members("multihead_attn", multihead_attn_);
  members("", feed_forward_);
  members("norm1", norm1_);
  members("norm2", norm2_);
  members("norm3", norm3_);
  members("", dropout_);  // has no parameters, only a mode
}

}  // namespace lectern::nn
