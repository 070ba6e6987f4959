#pragma once

#include "autograd/mask.h"
#include "autograd/ops/attention.h"
#include "nn/dropout.h"
#include "nn/key_value_cache.h"
#include "nn/linear.h"

namespace lectern::nn {

/// Multi-head scaled dot-product attention: per head softmax(Q Kᵀ / sqrt(D)) V, the heads side by
/// side through one more affine map.
///
/// Shapes: query [B, Tq, E]; key, value [B, Tk, E]; result [B, Tq, E].
/// Names:  in_proj_weight [3·H·D, E], in_proj_bias [3·H·D], out_proj.weight [E, H·D],
///         out_proj.bias [E], as in PyTorch.
/// Init:   weights Xavier-uniform, biases zero.
/// Throws: ShapeError if E is not divisible by H and no head width is given, or a width is not E.
/// Ref:    Vaswani et al. (2017), "Attention is all you need", section 3.2.2, arXiv:1706.03762.
class MultiHeadAttention final : public Module {
 public:
  struct Options {
    double dropout = 0;           ///< of the attention weights
    std::int64_t head_width = 0;  ///< D; 0 = E / H
    DType dtype = DType::f32;
  };
  MultiHeadAttention(std::int64_t width, std::int64_t heads, Rng& rng, Options options);
  MultiHeadAttention(std::int64_t width, std::int64_t heads, Rng& rng)
      : MultiHeadAttention(width, heads, rng, Options{}) {}

  Variable operator()(const Variable& query, const Variable& key, const Variable& value,
                      const Mask& mask = {}) const;

  struct Attended {
    Variable output;   ///< [B, Tq, E]
    Variable weights;  ///< [B, H, Tq, Tk]; each row sums to 1, or is 0 if it may see nothing
  };
  /// As operator(), returning the weights too.
  Attended with_weights(const Variable& query, const Variable& key, const Variable& value,
                        const Mask& mask = {}) const;

  // In two steps, for decoders that keep what was projected before.

  struct Heads {
    Variable queries;  ///< [B, H, Tq, D]
    Variable keys;     ///< [B, H, Tk, D]
    Variable values;   ///< [B, H, Tk, D]
  };
  /// Projects and splits into heads; inputs that are the same variable share one product.
  Heads project(const Variable& query, const Variable& key, const Variable& value) const;
  Variable project_query(const Variable& query) const;  ///< [B, Tq, E] -> [B, H, Tq, D]
  struct KeysAndValues {
    Variable keys;    ///< [B, H, Tk, D]
    Variable values;  ///< [B, H, Tk, D]
  };
  KeysAndValues project_memory(const Variable& memory) const;  ///< of [B, Tk, E]
  /// Attends, merges the heads and projects: [B, Tq, E].
  Variable attend(const Heads& heads, const Mask& mask) const;

  std::int64_t heads() const { return heads_; }
  std::int64_t head_width() const { return head_width_; }
  DType dtype() const { return in_proj_weight_.dtype(); }

 private:
  void describe(Members& members) override;
  AttentionOptions attention_options(const Mask& mask) const;
  /// Rows [first·H·D, (first + count)·H·D) of in_proj applied to x: [B, T, count·H·D].
  Variable in_proj(const Variable& x, std::int64_t first, std::int64_t count) const;
  Variable split_heads(const Variable& projected, std::int64_t part) const;
  Variable merge_heads(const Variable& x) const;

  std::int64_t heads_;
  std::int64_t head_width_;
  Parameter in_proj_weight_;  // [3·H·D, E]
  Parameter in_proj_bias_;    // [3·H·D]
  Linear out_proj_;           // [E, H·D]
  double dropout_;
  mutable Rng rng_;
};

/// Multi-head attention of a sequence over itself: query, key and value are all x, so they come
/// from one product.
///
/// Shapes: x [B, T, E] -> [B, T, E].
/// Names:  those of MultiHeadAttention.
class MultiHeadSelfAttention final : public Module {
 public:
  using Options = MultiHeadAttention::Options;
  MultiHeadSelfAttention(std::int64_t width, std::int64_t heads, Rng& rng, Options options = {})
      : attention_(width, heads, rng, options) {}

  Variable operator()(const Variable& x, const Mask& mask = {}) const {
    return attention_(x, x, x, mask);
  }
  MultiHeadAttention::Attended with_weights(const Variable& x, const Mask& mask = {}) const {
    return attention_.with_weights(x, x, x, mask);
  }
  /// The T newest positions attend over all so far (causally), whose keys and values `cache` holds.
  /// Throws: GradError while recording.
  Variable operator()(const Variable& x, KeyValueCache& cache) const;
  /// An empty cache for sequences of at most `capacity` positions.
  KeyValueCache make_cache(std::int64_t batch, std::int64_t capacity) const;

 private:
  void describe(Members& members) override { members("", attention_); }

  MultiHeadAttention attention_;
};

}  // namespace lectern::nn
