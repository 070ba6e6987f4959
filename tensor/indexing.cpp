#include "tensor/indexing.h"

#include <cmath>

#include "tensor/kernels/indexing.h"
#include "tensor/map.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern {
namespace {

/// A dense tensor seen from one of its axes.
kernels::IndexedAxis seen_from(const Shape& shape, int axis) {
  kernels::IndexedAxis view{1, shape[axis], 1};
  for (int i = 0; i < axis; ++i) view.outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) view.inner *= shape[i];
  return view;
}

void require_indices(std::string_view op, const Tensor& indices) {
  require<DTypeError>(indices.dtype() == DType::i64,
                      "{}: indices is {}; convert it with .to(DType::i64)", op, indices.dtype());
}

void require_inside(std::string_view op, const Tensor& indices, const Tensor& x, int axis) {
  const std::int64_t extent = x.shape()[axis];
  if (const std::optional<Outside> bad = first_outside(indices, extent)) {
    fail<IndexError>(
        "{}: index {} at position {} is out of range: x is {}; 0 <= index < {} on "
        "axis {}",
        op, bad->index, bad->position, x.shape(), extent, axis);
  }
}

/// Throws ShapeError unless `other` has x's extents on all axes but `axis`.
void require_same_off_axis(std::string_view op, const Tensor& x, const Tensor& indices, int axis) {
  Shape same = indices.shape();
  if (same.rank() == x.rank()) same[axis] = x.shape()[axis];
  require<ShapeError>(same == x.shape(),
                      "{}: shapes differ: x is {}, indices is {}; all axes but axis {} must agree",
                      op, x.shape(), indices.shape(), axis);
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  bool fits = from.rank() <= to.rank();
  for (int axis = -1; fits && axis >= -from.rank(); --axis) {
    fits = from[axis] == to[axis] || from[axis] == 1;
  }
  return fits;
}

Tensor triangle(std::string_view op, const Tensor& x, std::int64_t diagonal, bool lower) {
  require<ShapeError>(x.rank() >= 2, "{}: x has shape {}; its rank must be at least 2", op,
                      x.shape());
  const std::int64_t rows = x.shape()[-2];
  const std::int64_t columns = x.shape()[-1];
  const Tensor dense = x.contiguous();
  Tensor y = Tensor::empty_like(dense);
  if (y.numel() == 0) return y;
  visit(x.dtype(), [&]<class T>() {
    kernels::triangle(dense.origin<T>(), y.numel() / (rows * columns), rows, columns,
                      std::clamp(diagonal, -rows - 1, columns + 1), lower, y.mutable_origin<T>(),
                      threads_for(y.numel()));
  });
  return y;
}

}  // namespace

Shape unravel_index(std::int64_t number, const Shape& shape) {
  Shape position = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    position[axis] = number % shape[axis];
    number /= shape[axis];
  }
  return position;
}

std::optional<Outside> first_outside(const Tensor& indices, std::int64_t extent) {
  const Tensor dense = indices.contiguous();
  const auto values = dense.data<std::int64_t>();
  const std::int64_t first = kernels::first_outside(values.data(), indices.numel(), extent);
  if (first < 0) return std::nullopt;
  return Outside{.index = values[static_cast<std::size_t>(first)],
                 .position = unravel_index(first, indices.shape())};
}

Tensor index_select(const Tensor& x, int axis, const Tensor& indices) {
  const int along = normalize_axis("index_select", axis, x.shape());
  require_indices("index_select", indices);
  require<ShapeError>(indices.rank() == 1, "index_select: indices has shape {}; its rank must be 1",
                      indices.shape());
  require_inside("index_select", indices, x, along);
  Shape shape = x.shape();
  shape[along] = indices.numel();
  Tensor y = Tensor::empty(shape, x.dtype());
  if (y.numel() == 0) return y;
  const Tensor dense = x.contiguous();
  const Tensor order = indices.contiguous();
  kernels::IndexedAxis view = seen_from(x.shape(), along);
  view.inner *= size_of(x.dtype());
  visit(x.dtype(), [&]<class T>() {
    kernels::take(reinterpret_cast<const std::byte*>(dense.origin<T>()),
                  order.origin<std::int64_t>(), order.numel(), view,
                  reinterpret_cast<std::byte*>(y.mutable_origin<T>()), threads_for(y.numel()));
  });
  return y;
}

void add_rows(Tensor& sum, int axis, const Tensor& indices, const Tensor& g, bool accumulate,
              std::int64_t ignored) {
  if (sum.numel() == 0) return;
  const kernels::IndexedAxis view = seen_from(sum.shape(), axis);
  const std::int64_t count = indices.numel();
  const Tensor dense = g.contiguous();
  const Tensor rows = indices.contiguous();
  Tensor starts = Tensor::empty({view.extent + 1}, DType::i64);
  Tensor order = Tensor::empty({count}, DType::i64);
  kernels::group_by_row(rows.origin<std::int64_t>(), count, view.extent, ignored,
                        starts.mutable_origin<std::int64_t>(),
                        order.mutable_origin<std::int64_t>());
  const kernels::RowGroups groups{starts.origin<std::int64_t>(), order.origin<std::int64_t>()};
  visit_floating("add_rows", g.dtype(), [&]<class T>() {
    kernels::add_rows(groups, count, view, accumulate, dense.origin<T>(), sum.mutable_origin<T>(),
                      threads_for(sum.numel() + dense.numel()));
  });
}

Tensor gather(const Tensor& x, int axis, const Tensor& indices) {
  const int along = normalize_axis("gather", axis, x.shape());
  require_indices("gather", indices);
  require_same_off_axis("gather", x, indices, along);
  require_inside("gather", indices, x, along);
  Tensor y = Tensor::empty(indices.shape(), x.dtype());
  if (y.numel() == 0) return y;
  const Tensor dense = x.contiguous();
  const Tensor places = indices.contiguous();
  visit(x.dtype(), [&]<class T>() {
    kernels::gather(dense.origin<T>(), places.origin<std::int64_t>(), indices.shape()[along],
                    seen_from(x.shape(), along), y.mutable_origin<T>(), threads_for(y.numel()));
  });
  return y;
}

Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& source) {
  const int along = normalize_axis("scatter_add", axis, x.shape());
  require_indices("scatter_add", indices);
  require<DTypeError>(source.dtype() == x.dtype() && x.dtype() != DType::boolean,
                      "scatter_add: x is {}, source is {}; both must have one dtype, and not bool",
                      x.dtype(), source.dtype());
  require<ShapeError>(source.shape() == indices.shape(),
                      "scatter_add: shapes differ: indices is {}, source is {}; they must agree",
                      indices.shape(), source.shape());
  require_same_off_axis("scatter_add", x, indices, along);
  require_inside("scatter_add", indices, x, along);
  if (x.dtype() == DType::f32) {  // a sum of many f32 loses digits: carry it in f64
    return scatter_add(x.to(DType::f64), axis, indices, source.to(DType::f64)).to(DType::f32);
  }
  Tensor y = x.clone();
  if (source.numel() == 0) return y;
  const Tensor added = source.contiguous();
  const Tensor places = indices.contiguous();
  const auto add = [&]<class T>() {
    kernels::scatter_add(added.origin<T>(), places.origin<std::int64_t>(), indices.shape()[along],
                         seen_from(x.shape(), along), y.mutable_origin<T>(),
                         threads_for(source.numel()));
  };
  x.dtype() == DType::f64 ? add.template operator()<double>()
                          : add.template operator()<std::int64_t>();
  return y;
}

Tensor nonzero(const Tensor& x) {
  const Tensor flags = x.to(DType::boolean).contiguous();
  const auto set = flags.data<bool>();
  const std::int64_t count = std::ranges::count(set, true);
  Tensor positions = Tensor::empty({count, x.rank()}, DType::i64);
  std::int64_t* row = positions.mutable_origin<std::int64_t>();
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (!set[static_cast<std::size_t>(i)]) continue;
    std::int64_t rest = i;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      row[axis] = rest % x.shape()[axis];
      rest /= x.shape()[axis];
    }
    row += x.rank();
  }
  return positions;
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  require<DTypeError>(mask.dtype() == DType::boolean,
                      "masked_fill: mask is {}; it must be bool, true = fill", mask.dtype());
  require<ShapeError>(broadcasts_to(mask.shape(), x.shape()),
                      "masked_fill: mask does not broadcast to x: x is {}, mask is {}", x.shape(),
                      mask.shape());
  require<ValueError>(
      x.dtype() != DType::i64 || (std::abs(value) <= 0x1p53 && value == std::trunc(value)),
      "masked_fill: value is {}, x is i64; it must be an integer within 2^53", value);
  return visit(x.dtype(), [&]<class T>() {
    const T filling = static_cast<T>(value);
    return map<T, T, bool>(x.shape(), x, mask,
                           [filling](T kept, bool fills) { return fills ? filling : kept; });
  });
}

Tensor one_hot(const Tensor& ids, std::int64_t classes, DType dtype) {
  require<DTypeError>(ids.dtype() == DType::i64,
                      "one_hot: ids is {}; convert it with .to(DType::i64)", ids.dtype());
  require<ShapeError>(classes >= 0, "one_hot: classes is {}; it must be at least 0", classes);
  Shape shape = ids.shape();
  shape.push_back(classes);
  if (const std::optional<Outside> bad = first_outside(ids, classes)) {
    fail<IndexError>("one_hot: id {} at position {} is no class: ids is {}; 0 <= id < classes = {}",
                     bad->index, bad->position, ids.shape(), classes);
  }
  Tensor y = Tensor::zeros(shape, dtype);
  const Tensor dense = ids.contiguous();
  visit(dtype, [&]<class T>() {
    T* row = y.mutable_origin<T>();
    for (const std::int64_t id : dense.data<std::int64_t>()) {
      row[id] = T{1};
      row += classes;
    }
  });
  return y;
}

Tensor tril(const Tensor& x, std::int64_t diagonal) { return triangle("tril", x, diagonal, true); }
Tensor triu(const Tensor& x, std::int64_t diagonal) { return triangle("triu", x, diagonal, false); }

}  // namespace lectern
