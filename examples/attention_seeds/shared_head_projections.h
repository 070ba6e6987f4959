#pragma once

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/einsum.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "examples/attention_seeds/checks.h"
#include "nn/linear.h"
#include "tensor/compare.h"

namespace lectern::attention_seeds {

/// Seed 002: the input is cut into heads first, and one small projection [D, D] without bias serves
/// all heads; the scores are divided by sqrt(E), not by sqrt(D).
///
/// As it was published it does not run: the power operator is missing from `embed_size (1/2)`. With
/// it put back, what remains to know is how a hidden score is written: -1e20. A query that may see
/// no key has equal scores everywhere then, and so takes the mean of all values, hidden ones too.
/// Shapes: values, keys [B, Tk, E]; query [B, Tq, E]; result [B, Tq, E].
/// Names:  values.weight, keys.weight, queries.weight, fc_out.*.
class SharedHeadProjections final : public nn::Module {
 public:
  SharedHeadProjections(std::int64_t embed_size, std::int64_t heads, Rng& rng,
                        DType dtype = DType::f32)
      : embed_size_(embed_size),
        heads_(heads),
        head_dim_(head_width("SharedHeadProjections", embed_size, heads)),
        values_(head_dim_, head_dim_, rng, {.bias = false, .dtype = dtype}),
        keys_(head_dim_, head_dim_, rng, {.bias = false, .dtype = dtype}),
        queries_(head_dim_, head_dim_, rng, {.bias = false, .dtype = dtype}),
        fc_out_(embed_size, embed_size, rng, {.dtype = dtype}) {}

  /// As printed, with the power operator: hidden where `mask` is 0; it broadcasts to [B, H, Tq, Tk]
  /// and may be undefined. A query that sees nothing weighs all keys alike.
  Variable as_printed(const Variable& values, const Variable& keys, const Variable& query,
                      const Tensor& mask = {}) const {
    check(values, keys, query);
    Variable energy = scores(keys, query);  // [B, H, Tq, Tk]
    if (mask.defined()) energy = where(equal(mask, 0), -1e20, energy);
    return attend(softmax(energy / scale(), -1), values);
  }

  /// As meant: the weight of a hidden key is 0 whatever else there is, so a query that sees nothing
  /// gets zeros.
  Variable operator()(const Variable& values, const Variable& keys, const Variable& query,
                      const Mask& mask = {}) const {
    check(values, keys, query);
    return attend(masked_softmax(scores(keys, query) / scale(), mask), values);
  }

 private:
  void describe(nn::Members& members) override {
    members("values", values_);
    members("keys", keys_);
    members("queries", queries_);
    members("fc_out", fc_out_);
  }
  void check(const Variable& values, const Variable& keys, const Variable& query) const {
    require_sequences("SharedHeadProjections", "values", values, embed_size_);
    require_sequences("SharedHeadProjections", "keys", keys, embed_size_);
    require_sequences("SharedHeadProjections", "query", query, embed_size_);
  }
  Variable split_heads(const Variable& x) const {  // [B, T, E] -> [B, T, H, D]
    return reshape(x, {x.shape()[0], x.shape()[1], heads_, head_dim_});
  }
  Variable scores(const Variable& keys, const Variable& query) const {  // [B, H, Tq, Tk]
    return einsum("nqhd,nkhd->nhqk", {queries_(split_heads(query)), keys_(split_heads(keys))});
  }
  Variable attend(const Variable& attention, const Variable& values) const {
    const Variable out =
        einsum("nhql,nlhd->nqhd", {attention, values_(split_heads(values))});     // [B, Tq, H, D]
    return fc_out_(reshape(out, {out.shape()[0], out.shape()[1], embed_size_}));  // [B, Tq, E]
  }
  double scale() const { return std::sqrt(static_cast<double>(embed_size_)); }

  std::int64_t embed_size_, heads_, head_dim_;
  nn::Linear values_, keys_, queries_, fc_out_;
};

}  // namespace lectern::attention_seeds
