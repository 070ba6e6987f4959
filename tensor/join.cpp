#include "tensor/join.h"

#include "tensor/views.h"

namespace lectern {
namespace {

/// a + b of two extents. Throws ShapeError if it can not be counted.
std::int64_t added(std::string_view op, std::int64_t a, std::int64_t b) {
  require<ShapeError>(a <= kEnd - b, "{}: {} and {} entries are too many to count", op, a, b);
  return a + b;
}

/// Throws unless every tensor can stand beside the first one.
void require_joinable(std::string_view op, const std::vector<Tensor>& tensors) {
  require<ShapeError>(!tensors.empty(), "{}: there is no tensor", op);
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const DType first = tensors[0].dtype();
    require<DTypeError>(
        tensors[i].dtype() == first,
        "{}: dtypes differ: operand 0 is {}, operand {} is {}; convert one with .to(DType::{})", op,
        first, i, tensors[i].dtype(), first == DType::boolean ? "boolean" : name(first));
  }
}

/// Puts tensors with the same extents off `axis` one after the other.
Tensor joined(std::string_view op, const std::vector<Tensor>& tensors, int axis) {
  Shape shape = tensors[0].shape();
  shape[axis] = 0;
  for (const Tensor& x : tensors) shape[axis] = added(op, shape[axis], x.shape()[axis]);
  Tensor y = Tensor::empty(shape, tensors[0].dtype());
  std::int64_t at = 0;
  for (const Tensor& x : tensors) {
    const std::int64_t end = at + x.shape()[axis];
    slice(y, axis, at, end).copy_from(x);
    at = end;
  }
  return y;
}

}  // namespace

Tensor concat(const std::vector<Tensor>& tensors, int axis) {
  require_joinable("concat", tensors);
  const Shape& first = tensors[0].shape();
  const int along = normalize_axis("concat", axis, first);
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    Shape same = tensors[i].shape();
    if (same.rank() == first.rank()) same[along] = first[along];
    require<ShapeError>(same == first,
                        "concat: shapes differ: operand 0 is {}, operand {} is {}; all axes but "
                        "axis {} must agree",
                        first, i, tensors[i].shape(), along);
  }
  return joined("concat", tensors, along);
}

Tensor stack(const std::vector<Tensor>& tensors, int axis) {
  require_joinable("stack", tensors);
  const Shape& first = tensors[0].shape();
  const int rank = first.rank();
  require<ShapeError>(
      axis >= -rank - 1 && axis <= rank,
      "stack: axis {} is out of range for operands of shape {} (rank {}); valid axes are {}..{}",
      axis, first, rank, -rank - 1, rank);
  std::vector<Tensor> rows;
  for (const Tensor& x : tensors) {
    require<ShapeError>(x.shape() == first,
                        "stack: shapes differ: operand 0 is {}, operand {} is {}; all must agree",
                        first, rows.size(), x.shape());
    rows.push_back(unsqueeze(x, axis));
  }
  return joined("stack", rows, axis < 0 ? axis + rank + 1 : axis);
}

std::vector<Tensor> split(const Tensor& x, std::int64_t parts, int axis) {
  const int along = normalize_axis("split", axis, x.shape());
  const std::int64_t extent = x.shape()[along];
  require<ValueError>(parts >= 1, "split: parts is {}; it must be at least 1", parts);
  require<ShapeError>(extent % parts == 0,
                      "split: axis {} does not split into {} equal parts: x is {}; {} is no "
                      "multiple of {}",
                      axis, parts, x.shape(), extent, parts);
  const std::int64_t length = extent / parts;
  std::vector<Tensor> views;
  for (std::int64_t part = 0; part < parts; ++part) {
    views.push_back(slice(x, along, part * length, (part + 1) * length));
  }
  return views;
}

std::vector<Tensor> split(const Tensor& x, std::span<const std::int64_t> lengths, int axis) {
  const int along = normalize_axis("split", axis, x.shape());
  std::int64_t total = 0;
  for (const std::int64_t length : lengths) {
    require<ShapeError>(length >= 0, "split: length {} is negative", length);
    total = added("split", total, length);
  }
  require<ShapeError>(total == x.shape()[along],
                      "split: lengths add up to {}, axis {} has extent {}: x is {}", total, axis,
                      x.shape()[along], x.shape());
  std::vector<Tensor> views;
  std::int64_t at = 0;
  for (const std::int64_t length : lengths) {
    views.push_back(slice(x, along, at, at + length));
    at += length;
  }
  return views;
}

Tensor flip(const Tensor& x, int axis) {
  const int turned = normalize_axis("flip", axis, x.shape());
  if (x.numel() == 0) return x.clone();
  Strides strides = x.strides();
  const std::int64_t last = (x.shape()[turned] - 1) * strides[turned];
  strides[turned] = -strides[turned];
  return x.with_layout(x.shape(), strides, x.offset() + last).clone();
}

Tensor pad(const Tensor& x, int axis, std::int64_t before, std::int64_t after, double value) {
  const int along = normalize_axis("pad", axis, x.shape());
  require<ValueError>(before >= 0 && after >= 0,
                      "pad: before is {}, after is {}; neither may be negative (slice cuts off)",
                      before, after);
  const std::int64_t inner = x.shape()[along];
  Shape shape = x.shape();
  shape[along] = added("pad", added("pad", before, inner), after);
  Tensor y = Tensor::empty(shape, x.dtype());
  slice(y, along, 0, before).fill(value);
  slice(y, along, before, before + inner).copy_from(x);
  slice(y, along, before + inner).fill(value);
  return y;
}

}  // namespace lectern
