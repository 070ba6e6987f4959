#include "tensor/views.h"

#include <optional>

#include "tensor/nest.h"

namespace lectern {
namespace {

/// `asked` with its -1 replaced by what is left of the elements of `x`.
Shape inferred(const Shape& x, const Extents& asked) {
  const std::int64_t elements = x.numel();
  int open = -1;  // axis of the -1
  Shape others;
  for (int axis = 0; axis < asked.rank(); ++axis) {
    if (asked[axis] == -1) {
      require<ShapeError>(open < 0, "reshape: shape {} has more than one -1: x is {}", asked, x);
      open = axis;
    } else {
      require<ShapeError>(asked[axis] >= 0,
                          "reshape: axis {} of shape {} is negative; only -1 has a meaning, what "
                          "is left over",
                          axis, asked);
      others.push_back(asked[axis]);
    }
  }
  const std::int64_t known = others.numel();
  if (open < 0) {
    require<ShapeError>(known == elements,
                        "reshape: numbers of elements differ: x is {}, shape is {}; {} is not {}",
                        x, asked, elements, known);
    return others;
  }
  require<ShapeError>(known != 0 && elements % known == 0,
                      "reshape: -1 can not be inferred: x is {}, shape is {}; {} elements are no "
                      "multiple of {}",
                      x, asked, elements, known);
  others.insert(open, elements / known);
  return others;
}

/// Strides under which the elements of `x`, read in row-major order, have `shape`; none if no
/// strides do that. Both have the same number of elements, at least 1.
///
/// x is seen as few long axes, each as long as x steps evenly. An axis of `shape` can only be cut
/// out of one of them, since between two of them the distance of neighbours changes.
std::optional<Strides> strides_as(const Tensor& x, const Shape& shape) {
  const kernels::LoopNest<1> x_axes = nest_over(x.shape(), x);
  Strides strides = row_major(shape);
  std::int64_t left = 1;  // elements of the long axis that are not yet used up
  std::int64_t step = 0;  // distance of neighbours among them
  auto next = static_cast<std::size_t>(x_axes.rank);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    if (left == 1) {
      --next;
      left = x_axes.extents[next];
      step = x_axes.strides[0][next];
    }
    if (left % shape[axis] != 0) return std::nullopt;
    strides[axis] = step;
    left /= shape[axis];
    step *= shape[axis];
  }
  return strides;
}

/// Offset of x's entry `index` along `axis`.
std::int64_t offset_of(const Tensor& x, int axis, std::int64_t index) {
  return x.offset() + index * x.strides()[axis];
}

}  // namespace

Tensor reshape(const Tensor& x, const Extents& asked) {
  const Shape shape = inferred(x.shape(), asked);
  if (x.numel() == 0) return x.with_layout(shape, row_major(shape), x.offset());
  if (const std::optional<Strides> strides = strides_as(x, shape)) {
    return x.with_layout(shape, *strides, x.offset());
  }
  const Tensor dense = x.clone();
  return dense.with_layout(shape, row_major(shape), dense.offset());
}

Tensor flatten(const Tensor& x, int start, int end) {
  if (x.rank() == 0) return unsqueeze(x, 0);
  const int first = normalize_axis("flatten", start, x.shape());
  const int last = normalize_axis("flatten", end, x.shape());
  require<ShapeError>(first <= last, "flatten: start {} comes after end {}: x is {}", start, end,
                      x.shape());
  Shape inside;  // the axes that become one
  Shape shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis >= first && axis <= last) {
      inside.push_back(x.shape()[axis]);
    } else {
      shape.push_back(x.shape()[axis]);
    }
  }
  shape.insert(first, inside.numel());
  return reshape(x, shape);
}

Tensor permute(const Tensor& x, const Axes& axes) {
  require<ShapeError>(axes.rank() == x.rank(),
                      "permute: axes {} name {} axes, x of shape {} has {}", axes, axes.rank(),
                      x.shape(), x.rank());
  Shape shape;
  Strides strides;
  std::array<bool, kMaxRank> used{};
  for (const std::int64_t named : axes) {
    const int axis = normalize_axis("permute", static_cast<int>(named), x.shape());
    bool& seen = used[static_cast<std::size_t>(axis)];
    require<ShapeError>(!seen, "permute: axes {} name axis {} twice: x is {}", axes, axis,
                        x.shape());
    seen = true;
    shape.push_back(x.shape()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  return x.with_layout(shape, strides, x.offset());
}

Tensor transpose(const Tensor& x, int a, int b) {
  const int first = normalize_axis("transpose", a, x.shape());
  const int second = normalize_axis("transpose", b, x.shape());
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[first], shape[second]);
  std::swap(strides[first], strides[second]);
  return x.with_layout(shape, strides, x.offset());
}

Tensor squeeze(const Tensor& x) {
  Shape shape;
  Strides strides;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] == 1) continue;
    shape.push_back(x.shape()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  return x.with_layout(shape, strides, x.offset());
}

Tensor squeeze(const Tensor& x, int axis) {
  const int gone = normalize_axis("squeeze", axis, x.shape());
  require<ShapeError>(x.shape()[gone] == 1,
                      "squeeze: axis {} has extent {}: x is {}; only an axis of extent 1 can go",
                      axis, x.shape()[gone], x.shape());
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.erase(gone);
  strides.erase(gone);
  return x.with_layout(shape, strides, x.offset());
}

Tensor unsqueeze(const Tensor& x, int axis) {
  const int rank = x.rank();
  require<ShapeError>(
      axis >= -rank - 1 && axis <= rank,
      "unsqueeze: axis {} is out of range for x of shape {} (rank {}); valid axes are {}..{}", axis,
      x.shape(), rank, -rank - 1, rank);
  const int made = axis < 0 ? axis + rank + 1 : axis;
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.insert(made, 1);
  strides.insert(made, 0);
  return x.with_layout(shape, strides, x.offset());
}

Tensor slice(const Tensor& x, int axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  const int cut = normalize_axis("slice", axis, x.shape());
  require<ValueError>(step >= 1, "slice: step is {}; it must be at least 1 (flip turns an axis)",
                      step);
  const std::int64_t extent = x.shape()[cut];
  const auto position = [extent](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
  };
  const std::int64_t first = position(start);
  const std::int64_t length = std::max<std::int64_t>(position(stop) - first, 0);
  Shape shape = x.shape();
  shape[cut] = length / step + (length % step != 0 ? 1 : 0);
  Strides strides = x.strides();
  if (shape[cut] <= 1) step = 1;  // a stride that is never taken must not overflow
  strides[cut] *= step;
  const bool empty = shape[cut] == 0;  // an empty view stays where x is, inside the storage
  return x.with_layout(shape, strides, empty ? x.offset() : offset_of(x, cut, first));
}

Tensor select(const Tensor& x, int axis, std::int64_t index) {
  const int gone = normalize_axis("select", axis, x.shape());
  const std::int64_t extent = x.shape()[gone];
  require<IndexError>(index >= -extent && index < extent,
                      "select: index {} is out of range: x is {}; {} <= index < {} on axis {}",
                      index, x.shape(), -extent, extent, axis);
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.erase(gone);
  strides.erase(gone);
  return x.with_layout(shape, strides, offset_of(x, gone, index < 0 ? index + extent : index));
}

Tensor expand(const Tensor& x, const Shape& shape) {
  require<ShapeError>(x.rank() <= shape.rank(),
                      "expand: x does not broadcast to shape: x is {}, shape is {}; rank {} is "
                      "less than {}",
                      x.shape(), shape, shape.rank(), x.rank());
  for (int axis = -1; axis >= -x.rank(); --axis) {
    require<ShapeError>(x.shape()[axis] == shape[axis] || x.shape()[axis] == 1,
                        "expand: x does not broadcast to shape: x is {}, shape is {}; axis {} has "
                        "{} and must have {} or 1",
                        x.shape(), shape, axis, x.shape()[axis], shape[axis]);
  }
  static_cast<void>(shape.numel());  // refuses what can not be counted
  return x.with_layout(shape, broadcast_strides(x, shape), x.offset());
}

Tensor diagonal(const Tensor& x, int axis1, int axis2, std::int64_t offset) {
  const int row = normalize_axis("diagonal", axis1, x.shape());
  const int column = normalize_axis("diagonal", axis2, x.shape());
  require<ShapeError>(row != column, "diagonal: axes {} and {} are the same: x is {}", axis1, axis2,
                      x.shape());
  const std::int64_t rows = x.shape()[row];
  const std::int64_t columns = x.shape()[column];
  const std::int64_t down = offset < 0 ? -std::max(offset, -rows) : 0;  // rows skipped
  const std::int64_t right = std::clamp<std::int64_t>(offset, 0, columns);
  const std::int64_t length = std::min(rows - down, columns - right);
  Shape shape = x.shape();
  Strides strides = x.strides();
  for (const int gone : {std::max(row, column), std::min(row, column)}) {
    shape.erase(gone);
    strides.erase(gone);
  }
  shape.push_back(length);
  strides.push_back(x.strides()[row] + x.strides()[column]);
  const std::int64_t start = down * x.strides()[row] + right * x.strides()[column];
  return x.with_layout(shape, strides, length == 0 ? x.offset() : x.offset() + start);
}

}  // namespace lectern
