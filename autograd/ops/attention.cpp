#include "autograd/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "tensor/kernels/attention.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern {
namespace {

constexpr std::string_view kOp = "scaled_dot_product_attention";

/// Checks that the operands and options fit together; returns the sizes of the scores.
ScoreSizes checked_sizes(const Variable& q, const Variable& k, const Variable& v,
                         const AttentionOptions& options) {
  require_floating(kOp, q.dtype(), "q");
  require<DTypeError>(q.dtype() == k.dtype() && q.dtype() == v.dtype(),
                      "{}: dtypes differ: q is {}, k is {}, v is {}", kOp, q.dtype(), k.dtype(),
                      v.dtype());
  require<ShapeError>(q.rank() == 4 && k.rank() == 4 && v.rank() == 4,
                      "{}: q is {}, k is {}, v is {}; each must be [B, H, T, D]", kOp, q.shape(),
                      k.shape(), v.shape());
  const ScoreSizes sizes{q.shape()[0], q.shape()[1], q.shape()[2], k.shape()[2]};
  const std::int64_t width = q.shape()[3];
  require<ShapeError>(k.shape() == Shape({sizes.batch, sizes.heads, sizes.keys, width}),
                      "{}: q is {}, k is {}; k must have the same B = {}, H = {} and D = {}", kOp,
                      q.shape(), k.shape(), sizes.batch, sizes.heads, width);
  require<ShapeError>(v.shape() == Shape({sizes.batch, sizes.heads, sizes.keys, v.shape()[3]}),
                      "{}: k is {}, v is {}; v must have the same B = {}, H = {} and Tk = {}", kOp,
                      k.shape(), v.shape(), sizes.batch, sizes.heads, sizes.keys);
  validate(kOp, options.mask, sizes);
  return sizes;
}

void require_bias_fits(const Shape& bias, const Shape& scores) {
  bool fits = bias.rank() <= scores.rank();
  for (int axis = -1; fits && axis >= -bias.rank(); --axis) {
    fits = bias[axis] == scores[axis] || bias[axis] == 1;
  }
  require<ShapeError>(fits, "{}: bias does not broadcast to the scores: bias is {}, scores are {}",
                      kOp, bias, scores);
}

double scale_of(const Variable& q, const AttentionOptions& options) {
  const auto width = static_cast<double>(std::max<std::int64_t>(q.shape()[-1], 1));
  return options.scale.value_or(1 / std::sqrt(width));
}

/// The generator of the dropout; `unused` stands in where nothing is dropped.
Rng& generator(const AttentionOptions& options, Rng& unused) {
  require<ValueError>(options.rng != nullptr || !options.training || options.dropout == 0,
                      "{}: dropout is {} in training, but there is no rng to draw it from", kOp,
                      options.dropout);
  return options.rng != nullptr ? *options.rng : unused;
}

/// The mask of the weights' dropout, row-major over [B, H, Tq, Tk] as dropout() draws it.
kernels::PhiloxDropout weight_dropout(const AttentionOptions& options, const ScoreSizes& sizes) {
  Rng unused(0);
  const bool drops = options.training && options.dropout != 0;
  const std::int64_t weights = sizes.batch * sizes.heads * sizes.queries * sizes.keys;
  const kernels::PhiloxDropout mask =
      reserve_dropout(kOp, options.dropout, drops ? weights : 0, generator(options, unused));
  return drops ? mask : kernels::PhiloxDropout{};
}

/// The mask as the kernel takes it: it points into `lengths`, which must be dense, and `allowed`.
kernels::AttentionMask kernel_mask(bool causal, const Tensor& lengths, const Tensor& allowed,
                                   const ScoreSizes& sizes) {
  kernels::AttentionMask mask{.causal = causal};
  if (lengths.defined()) mask.key_lengths = lengths.origin<std::int64_t>();
  if (allowed.defined()) {
    const Tensor keep = expand(allowed, {sizes.batch, sizes.heads, sizes.queries, sizes.keys});
    mask.keep = keep.origin<bool>();
    std::ranges::copy(keep.strides(), mask.keep_strides);
  }
  return mask;
}

Tensor with_dense_rows(const Tensor& x) {
  return x.shape()[-1] <= 1 || x.strides()[-1] == 1 ? x : x.contiguous();
}

/// Elements not set, of shape [B, H, T, D], in memory as [B, T, H, D].
Tensor empty_heads(const Shape& shape, DType dtype) {
  return transpose(Tensor::empty({shape[0], shape[2], shape[1], shape[3]}, dtype), 1, 2);
}

/// The same for a gradient of x, with heads and times in memory as x has them, so that a leaf can
/// keep it as it is.
Tensor empty_gradient(const Tensor& x) {
  const bool has_heads_outside = x.strides()[1] > x.strides()[2];
  return has_heads_outside ? Tensor::empty(x.shape(), x.dtype())
                           : empty_heads(x.shape(), x.dtype());
}

template <class T>
kernels::HeadsView<const T> heads(const Tensor& x) {
  return {x.origin<T>(), x.strides()[0], x.strides()[1], x.strides()[2]};
}

template <class T>
kernels::HeadsView<T> mutable_heads(Tensor& x) {
  return {x.mutable_origin<T>(), x.strides()[0], x.strides()[1], x.strides()[2]};
}

/// Everything of one fused attention that does not change between forward and backward.
struct Fused {
  kernels::Attention sizes;  ///< without the mask
  ScoreSizes scores;
  bool causal;
  SavedTensor lengths, allowed;

  kernels::Attention with_mask() const {
    kernels::Attention a = sizes;
    a.mask = kernel_mask(causal, *lengths, *allowed, scores);
    return a;
  }
};

Fused fused_attention(const Variable& q, const Variable& v, const ScoreSizes& scores,
                      const AttentionOptions& options) {
  const Mask& mask = options.mask;
  return {.sizes = {.batch = scores.batch,
                    .heads = scores.heads,
                    .queries = scores.queries,
                    .keys = scores.keys,
                    .width = q.shape()[-1],
                    .value_width = v.shape()[-1],
                    .scale = scale_of(q, options),
                    .dropout = weight_dropout(options, scores)},
          .scores = scores,
          .causal = mask.causal,
          .lengths = saved(mask.key_lengths.defined() ? mask.key_lengths.contiguous() : Tensor()),
          .allowed = saved(mask.allowed)};
}

/// Scratch for one run of the kernels.
template <class T>
Storage scratch_for(const kernels::Attention& a) {
  return Storage(kernels::attention_scratch_bytes<T>(a, num_threads()));
}

}  // namespace

// w = softmax(scale Q Kᵀ)     y = w V
//
// dV = wᵀ G     dw = G Vᵀ     ds = w * (dw - <g, y>)     dQ = scale ds K     dK = scale dsᵀ Q
//
// One joint derivative: w is computed once more, tile by tile, from the saved log sum exp of each
// query, and serves all three gradients.
Variable scaled_dot_product_attention(const Variable& q, const Variable& k, const Variable& v,
                                      const AttentionOptions& options) {
  const ScoreSizes scores = checked_sizes(q, k, v, options);
  if (options.bias.defined()) return attention_with_weights(q, k, v, options).output;

  const Tensor queries = with_dense_rows(q.value()), keys = with_dense_rows(k.value()),
               values = with_dense_rows(v.value());
  const Fused fused = fused_attention(q, v, scores, options);
  Shape shape = q.shape();
  shape[-1] = v.shape()[-1];
  Tensor y = empty_heads(shape, q.dtype());  // [B, H, Tq, Dv]
  Tensor log_sum_exp = Tensor::empty({shape[0], shape[1], shape[2]}, DType::f64);
  visit_floating(kOp, q.dtype(), [&]<class T>() {
    const kernels::Attention a = fused.with_mask();
    kernels::attention<T>(a, heads<T>(queries), heads<T>(keys), heads<T>(values),
                          mutable_heads<T>(y), log_sum_exp.mutable_origin<double>(),
                          scratch_for<T>(a).mutable_data(), num_threads());
  });

  const auto derivative = [fused, q = saved(queries), k = saved(keys), v = saved(values),
                           y = saved(y), lse = saved(log_sum_exp)](
                              const Tensor& grad, std::span<Gradient* const> sums) {
    const Tensor g = with_dense_rows(grad);
    Tensor dq = empty_gradient(*q), dk = empty_gradient(*k), dv = empty_gradient(*v);
    visit_floating(kOp, g.dtype(), [&]<class T>() {
      const kernels::Attention a = fused.with_mask();
      kernels::attention_vjp<T>(a, heads<T>(*q), heads<T>(*k), heads<T>(*v), heads<T>(*y),
                                lse->origin<double>(), heads<T>(g), mutable_heads<T>(dq),
                                mutable_heads<T>(dk), mutable_heads<T>(dv),
                                scratch_for<T>(a).mutable_data(), num_threads());
    });
    if (sums[0] != nullptr) sums[0]->add(std::move(dq));
    if (sums[1] != nullptr) sums[1]->add(std::move(dk));
    if (sums[2] != nullptr) sums[2]->add(std::move(dv));
  };
  return record_joint(kOp, y, {&q, &k, &v}, derivative);
}

Attended attention_with_weights(const Variable& q, const Variable& k, const Variable& v,
                                const AttentionOptions& options) {
  checked_sizes(q, k, v, options);
  Rng unused(0);
  Rng& rng = generator(options, unused);
  Variable scores = matmul(q, transpose(k, -2, -1)) * scale_of(q, options);  // [B, H, Tq, Tk]
  if (options.bias.defined()) {
    require_bias_fits(options.bias.shape(), scores.shape());
    scores = scores + options.bias;
  }
  const Variable weights = masked_softmax(scores, options.mask);
  const Variable kept = dropout(weights, options.dropout, rng, options.training);
  return {matmul(kept, v), weights};  // [B, H, Tq, Dv], [B, H, Tq, Tk]
}

}  // namespace lectern
