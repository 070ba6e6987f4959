#include "autograd/mask.h"

#include <algorithm>

#include "tensor/map.h"
#include "tensor/views.h"

namespace lectern {

Mask causal_mask() { return {.causal = true}; }
Mask padding_mask(const Tensor& lengths) { return {.key_lengths = lengths}; }
Mask allow(const Tensor& allowed) { return {.allowed = allowed}; }

namespace {

void require_bool(std::string_view op, const Tensor& allowed) {
  require<DTypeError>(allowed.dtype() == DType::boolean,
                      "{}: mask is {}; it must be bool, true = may be seen; numbers to add to the "
                      "scores are a bias",
                      op, allowed.dtype());
}

void require_i64(std::string_view op, const Tensor& lengths) {
  require<DTypeError>(lengths.dtype() == DType::i64, "{}: key_lengths is {}; it must be i64", op,
                      lengths.dtype());
}

Tensor shorter(const Tensor& a, const Tensor& b) {
  require_i64("mask &", a);
  require_i64("mask &", b);
  require<ShapeError>(a.shape() == b.shape(),
                      "mask &: key_lengths differ in shape: a has {}, b has {}", a.shape(),
                      b.shape());
  return map<std::int64_t>(a.shape(), a, b,
                           [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
}

Tensor allowed_by_both(const Tensor& a, const Tensor& b) {
  require_bool("mask &", a);
  require_bool("mask &", b);
  return map<bool>(broadcast_shapes("mask &", a.shape(), b.shape()), a, b,
                   [](bool x, bool y) { return x && y; });
}

}  // namespace

Mask operator&(const Mask& a, const Mask& b) {
  const auto both = [](const Tensor& x, const Tensor& y, const auto& join) {
    return !x.defined() ? y : !y.defined() ? x : join(x, y);
  };
  return {.causal = a.causal || b.causal,
          .key_lengths = both(a.key_lengths, b.key_lengths, shorter),
          .allowed = both(a.allowed, b.allowed, allowed_by_both)};
}

namespace {

void validate_allowed(std::string_view op, const Tensor& allowed, const Shape& scores) {
  require_bool(op, allowed);
  require<ShapeError>(allowed.rank() <= scores.rank(),
                      "{}: mask does not broadcast to the scores: mask is {}, scores are {}; its "
                      "rank {} is more than {}",
                      op, allowed.shape(), scores, allowed.rank(), scores.rank());
  for (int axis = -1; axis >= -allowed.rank(); --axis) {
    const std::int64_t extent = allowed.shape()[axis];
    require<ShapeError>(extent == scores[axis] || extent == 1,
                        "{}: mask does not broadcast to the scores: mask is {}, scores are {}; "
                        "axis {} has {} and {}",
                        op, allowed.shape(), scores, axis, extent, scores[axis]);
  }
}

void validate_lengths(std::string_view op, const Tensor& lengths, const ScoreSizes& sizes) {
  require_i64(op, lengths);
  require<ShapeError>(lengths.shape() == Shape({sizes.batch}),
                      "{}: key_lengths is {}; it must be [B] = [{}]", op, lengths.shape(),
                      sizes.batch);
  const std::int64_t* const length = lengths.origin<std::int64_t>();
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    const std::int64_t keys = length[b * lengths.strides()[0]];
    require<IndexError>(keys >= 0 && keys <= sizes.keys,
                        "{}: key_lengths[{}] is {}; it must be within 0..Tk = {}", op, b, keys,
                        sizes.keys);
  }
}

}  // namespace

void validate(std::string_view op, const Mask& mask, const ScoreSizes& sizes) {
  if (mask.allowed.defined()) {
    validate_allowed(op, mask.allowed, {sizes.batch, sizes.heads, sizes.queries, sizes.keys});
  }
  if (mask.key_lengths.defined()) validate_lengths(op, mask.key_lengths, sizes);
}

Tensor dense(std::string_view op, const Mask& mask, const ScoreSizes& sizes) {
  validate(op, mask, sizes);
  const auto& [batch, heads, queries, keys] = sizes;
  const Shape shape{batch, heads, queries, keys};
  Tensor seen = mask.allowed.defined() ? expand(mask.allowed, shape).clone()
                                       : Tensor::ones(shape, DType::boolean);  // [B, H, Tq, Tk]
  bool* row = seen.mutable_data<bool>().data();
  for (std::int64_t b = 0; b < batch; ++b) {
    std::int64_t length = keys;
    if (mask.key_lengths.defined()) {
      length = mask.key_lengths.origin<std::int64_t>()[b * mask.key_lengths.strides()[0]];
    }
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < queries; ++i, row += keys) {
        const std::int64_t visible = mask.causal ? i + keys - queries + 1 : keys;
        std::fill(row + std::clamp<std::int64_t>(visible, 0, length), row + keys, false);
      }
    }
  }
  return seen;
}

}  // namespace lectern
