#pragma once

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/einsum.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "examples/attention_seeds/checks.h"
#include "nn/linear.h"

namespace lectern::attention_seeds {

/// Seed 000: query, key and value are given one by one, and both products are einsums.
///
/// The form that was published turns [B, T, H, D] into [B, H, T, D] and then uses equations whose
/// letters name the axes as they were before. It runs, and the shapes are right, but the letter of
/// the positions stands where the heads are: each position compares its own heads with one another
/// and never sees another position. Without the two transpositions it is attention.
/// Shapes: query [B, Tq, E]; key, value [B, Tk, E]; result [B, Tq, E].
/// Names:  q_linear.*, v_linear.*, k_linear.*, fc_out.*.
class EinsumForm final : public nn::Module {
 public:
  EinsumForm(std::int64_t embed_size, std::int64_t num_heads, Rng& rng, DType dtype = DType::f32)
      : num_heads_(num_heads),
        head_dim_(head_width("EinsumForm", embed_size, num_heads)),
        q_linear_(embed_size, embed_size, rng, {.dtype = dtype}),
        v_linear_(embed_size, embed_size, rng, {.dtype = dtype}),
        k_linear_(embed_size, embed_size, rng, {.dtype = dtype}),
        fc_out_(embed_size, embed_size, rng, {.dtype = dtype}) {}

  /// As printed: attends over the heads of one position. Throws: ShapeError if Tk is neither
  /// Tq nor 1 (einsum spreads an axis of extent 1 over the other's).
  Variable as_printed(const Variable& query, const Variable& key, const Variable& value) const {
    check(query, key, value);
    const std::int64_t batch = query.shape()[0], seq_len_q = query.shape()[1];
    const Variable q = transpose(split_heads(q_linear_(query)), 1, 2);  // [B, H, Tq, D]
    const Variable k = transpose(split_heads(k_linear_(key)), 1, 2);    // [B, H, Tk, D]
    const Variable v = transpose(split_heads(v_linear_(value)), 1, 2);  // [B, H, Tk, D]
    // Here q and k are the letters of the heads, and h is the one of the positions.
    const Variable energy = einsum("nqhd,nkhd->nhqk", {q, k}) / scale();    // [B, T, H, H]
    const Variable attention = softmax(energy, -1);                         // [B, T, H, H]
    const Variable out = einsum("nhql,nlhd->nqhd", {attention, v});         // [B, H, T, D]
    return fc_out_(reshape(transpose(out, 1, 2), {batch, seq_len_q, -1}));  // [B, T, E]
  }

  /// As meant: the letters name the axes that are there.
  Variable operator()(const Variable& query, const Variable& key, const Variable& value) const {
    check(query, key, value);
    const std::int64_t batch = query.shape()[0], seq_len_q = query.shape()[1];
    const Variable q = split_heads(q_linear_(query));                     // [B, Tq, H, D]
    const Variable k = split_heads(k_linear_(key));                       // [B, Tk, H, D]
    const Variable v = split_heads(v_linear_(value));                     // [B, Tk, H, D]
    const Variable energy = einsum("nqhd,nkhd->nhqk", {q, k}) / scale();  // [B, H, Tq, Tk]
    const Variable attention = softmax(energy, -1);                       // [B, H, Tq, Tk]
    const Variable out = einsum("nhql,nlhd->nqhd", {attention, v});       // [B, Tq, H, D]
    return fc_out_(reshape(out, {batch, seq_len_q, -1}));                 // [B, Tq, E]
  }

 private:
  void describe(nn::Members& members) override {
    members("q_linear", q_linear_);
    members("v_linear", v_linear_);
    members("k_linear", k_linear_);
    members("fc_out", fc_out_);
  }
  void check(const Variable& query, const Variable& key, const Variable& value) const {
    require_sequences("EinsumForm", "query", query, num_heads_ * head_dim_);
    require_sequences("EinsumForm", "key", key, num_heads_ * head_dim_);
    require_sequences("EinsumForm", "value", value, num_heads_ * head_dim_);
  }
  Variable split_heads(const Variable& x) const {  // [B, T, E] -> [B, T, H, D]
    return reshape(x, {x.shape()[0], x.shape()[1], num_heads_, head_dim_});
  }
  double scale() const { return std::sqrt(static_cast<double>(head_dim_)); }

  std::int64_t num_heads_, head_dim_;
  nn::Linear q_linear_, v_linear_, k_linear_, fc_out_;
};

}  // namespace lectern::attention_seeds
