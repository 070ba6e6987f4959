#include "nn/attention.h"

#include "autograd/ops/linear.h"
#include "autograd/ops/views.h"
#include "nn/init.h"

namespace lectern::nn {
namespace {

std::int64_t checked_head_width(std::int64_t width, std::int64_t heads,
                                const MultiHeadAttention::Options& options) {
  const auto& [dropout, head_width, dtype] = options;
  require<ValueError>(dropout >= 0 && dropout <= 1,
                      "MultiHeadAttention: dropout is {}; it must be in [0, 1]", dropout);
  require<ShapeError>(width > 0 && heads > 0 && head_width >= 0,
                      "MultiHeadAttention: width is {}, heads is {}, head width is {}; width and "
                      "heads must be positive",
                      width, heads, head_width);
  if (head_width > 0) return head_width;
  require<ShapeError>(width % heads == 0,
                      "MultiHeadAttention: width {} is not divisible by heads {}", width, heads);
  return width / heads;
}

Parameter zero_bias(std::int64_t width, DType dtype) {
  return Parameter(Tensor::zeros({width}, dtype), /*requires_grad=*/true);
}

bool same(const Variable& a, const Variable& b) {
  return a.node() == b.node() && a.value().storage() == b.value().storage() &&
         a.value().offset() == b.value().offset() && a.shape() == b.shape() &&
         a.value().strides() == b.value().strides();
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t width, std::int64_t heads, Rng& rng,
                                       Options options)
    : heads_(heads),
      head_width_(checked_head_width(width, heads, options)),
      in_proj_weight_(xavier_uniform({3 * heads_ * head_width_, width}, rng, options.dtype),
                      /*requires_grad=*/true),
      in_proj_bias_(zero_bias(3 * heads_ * head_width_, options.dtype)),
      out_proj_(Parameter(xavier_uniform({width, heads_ * head_width_}, rng, options.dtype),
                          /*requires_grad=*/true),
                zero_bias(width, options.dtype)),
      dropout_(options.dropout),
      rng_(rng) {}

Variable MultiHeadAttention::operator()(const Variable& query, const Variable& key,
                                        const Variable& value, const Mask& mask) const {
  return attend(project(query, key, value), mask);
}

Variable MultiHeadAttention::attend(const Heads& heads, const Mask& mask) const {
  return out_proj_(merge_heads(scaled_dot_product_attention(heads.queries, heads.keys, heads.values,
                                                            attention_options(mask))));
}

MultiHeadAttention::Attended MultiHeadAttention::with_weights(const Variable& query,
                                                              const Variable& key,
                                                              const Variable& value,
                                                              const Mask& mask) const {
  const Heads heads = project(query, key, value);
  const auto [output, weights] =
      attention_with_weights(heads.queries, heads.keys, heads.values, attention_options(mask));
  return {out_proj_(merge_heads(output)), weights};
}

MultiHeadAttention::Heads MultiHeadAttention::project(const Variable& query, const Variable& key,
                                                      const Variable& value) const {
  if (same(query, key) && same(key, value)) {
    const Variable qkv = in_proj(query, 0, 3);  // [B, T, 3·H·D]
    return {split_heads(qkv, 0), split_heads(qkv, 1), split_heads(qkv, 2)};
  }
  if (same(key, value)) {
    const auto [keys, values] = project_memory(key);
    return {project_query(query), keys, values};
  }
  return {project_query(query), split_heads(in_proj(key, 1, 1), 0),
          split_heads(in_proj(value, 2, 1), 0)};
}

Variable MultiHeadAttention::project_query(const Variable& query) const {
  return split_heads(in_proj(query, 0, 1), 0);
}

MultiHeadAttention::KeysAndValues MultiHeadAttention::project_memory(const Variable& memory) const {
  const Variable kv = in_proj(memory, 1, 2);  // [B, Tk, 2·H·D]
  return {split_heads(kv, 0), split_heads(kv, 1)};
}

Variable MultiHeadAttention::in_proj(const Variable& x, std::int64_t first,
                                     std::int64_t count) const {
  const std::int64_t width = in_proj_weight_.shape()[1];
  require<ShapeError>(x.rank() == 3 && x.shape()[-1] == width,
                      "MultiHeadAttention: x is {}; it must be [B, T, {}]", x.shape(), width);
  if (count == 3) return linear(x, in_proj_weight_, in_proj_bias_);
  const std::int64_t rows = heads_ * head_width_;
  return linear(x, slice(in_proj_weight_, 0, first * rows, (first + count) * rows),
                slice(in_proj_bias_, 0, first * rows, (first + count) * rows));
}

Variable MultiHeadAttention::split_heads(const Variable& projected, std::int64_t part) const {
  const std::int64_t width = heads_ * head_width_;
  const Variable x = slice(projected, -1, part * width, (part + 1) * width);  // [B, T, H·D]
  return transpose(reshape(x, {x.shape()[0], x.shape()[1], heads_, head_width_}), 1,
                   2);  // [B, H, T, D], a view
}

Variable MultiHeadAttention::merge_heads(const Variable& x) const {  // [B, H, T, D] -> [B, T, H·D]
  return reshape(transpose(x, 1, 2), {x.shape()[0], x.shape()[2], heads_ * head_width_});
}

AttentionOptions MultiHeadAttention::attention_options(const Mask& mask) const {
  return {.mask = mask, .dropout = dropout_, .rng = &rng_, .training = training()};
}

void MultiHeadAttention::describe(Members& members) {
  members("in_proj_weight", in_proj_weight_);
  members("in_proj_bias", in_proj_bias_);
  members("out_proj", out_proj_);
}

Variable MultiHeadSelfAttention::operator()(const Variable& x, KeyValueCache& cache) const {
  const MultiHeadAttention::Heads heads = attention_.project(x, x, x);
  const auto [keys, values] = cache.append(heads.keys.value(), heads.values.value());
  return attention_.attend({heads.queries, Variable(keys), Variable(values)}, {.causal = true});
}

KeyValueCache MultiHeadSelfAttention::make_cache(std::int64_t batch, std::int64_t capacity) const {
  return KeyValueCache(batch, attention_.heads(), capacity, attention_.head_width(),
                       attention_.dtype());
}

}  // namespace lectern::nn
