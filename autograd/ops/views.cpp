#include "autograd/ops/views.h"

#include "tensor/broadcast.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"

namespace lectern {
namespace {

/// An op that only changes the shape.
Variable reshaped(std::string_view op, const Variable& x, Tensor y) {
  return record(op, std::move(y),
                wrt(x, [s = x.shape()](const Tensor& g) { return reshape(g, s); }));
}

/// An op that takes the part view(x) of x. Its gradient is added to the same part of the running
/// sum, so that many parts of one tensor cost no more than the tensor: dx[view] += g.
template <class View>
Variable part(std::string_view op, const Variable& x, const View& view) {
  return record(op, view(x.value()),
                wrt(x, [view, s = x.shape(), d = x.dtype()](const Tensor& g, Gradient& sum) {
                  const auto [dx, accumulate] = sum.target(s, d);
                  if (!accumulate) dx.fill(0);
                  Tensor taken = view(dx);
                  if (accumulate) {
                    add_into(taken, g);
                  } else {
                    taken.copy_from(g);
                  }
                }));
}

std::vector<Tensor> values(const std::vector<Variable>& inputs) {
  std::vector<Tensor> tensors;
  for (const Variable& input : inputs) tensors.push_back(input.value());
  return tensors;
}

}  // namespace

Variable reshape(const Variable& x, const Extents& shape) {
  return reshaped("reshape", x, reshape(x.value(), shape));
}

Variable flatten(const Variable& x, int start, int end) {
  return reshaped("flatten", x, flatten(x.value(), start, end));
}

Variable squeeze(const Variable& x) { return reshaped("squeeze", x, squeeze(x.value())); }

Variable squeeze(const Variable& x, int axis) {
  return reshaped("squeeze", x, squeeze(x.value(), axis));
}

Variable unsqueeze(const Variable& x, int axis) {
  return reshaped("unsqueeze", x, unsqueeze(x.value(), axis));
}

Variable permute(const Variable& x, const Axes& axes) {
  const Tensor y = permute(x.value(), axes);
  Axes back = axes;
  for (int i = 0; i < axes.rank(); ++i) back[static_cast<int>(axes[i])] = i;
  return record("permute", y, wrt(x, [back](const Tensor& g) { return permute(g, back); }));
}

Variable transpose(const Variable& x, int a, int b) {
  return record("transpose", transpose(x.value(), a, b),
                wrt(x, [a, b](const Tensor& g) { return transpose(g, a, b); }));
}

Variable expand(const Variable& x, const Shape& shape) {
  return record("expand", expand(x.value(), shape),
                wrt(x, [s = x.shape()](const Tensor& g) { return sum_to(g, s); }));
}

Variable contiguous(const Variable& x) {
  return record("contiguous", x.value().contiguous(), wrt(x, [](const Tensor& g) { return g; }));
}

Variable slice(const Variable& x, int axis, std::int64_t start, std::int64_t stop,
               std::int64_t step) {
  return part("slice", x, [=](const Tensor& t) { return slice(t, axis, start, stop, step); });
}

Variable select(const Variable& x, int axis, std::int64_t index) {
  return part("select", x, [=](const Tensor& t) { return select(t, axis, index); });
}

Variable diagonal(const Variable& x, int axis1, int axis2, std::int64_t offset) {
  return part("diagonal", x, [=](const Tensor& t) { return diagonal(t, axis1, axis2, offset); });
}

// y = [x1 | x2 | …]        dxi = the part of g where xi stands
Variable concat(const std::vector<Variable>& inputs, int axis) {
  const Tensor y = concat(values(inputs), axis);
  const auto taken = [axis](std::int64_t start, std::int64_t stop) {
    return [=](const Tensor& g) { return slice(g, axis, start, stop); };
  };
  std::vector<WithRespectTo<decltype(taken(0, 0))>> arrows;
  std::int64_t at = 0;
  for (const Variable& x : inputs) {
    const std::int64_t end = at + x.shape()[axis];
    arrows.push_back(wrt(x, taken(at, end)));
    at = end;
  }
  return record_each("concat", y, std::move(arrows));
}

Variable stack(const std::vector<Variable>& inputs, int axis) {
  const Tensor y = stack(values(inputs), axis);
  const auto row = [axis](std::int64_t i) {
    return [=](const Tensor& g) { return select(g, axis, i); };
  };
  std::vector<WithRespectTo<decltype(row(0))>> arrows;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    arrows.push_back(wrt(inputs[i], row(static_cast<std::int64_t>(i))));
  }
  return record_each("stack", y, std::move(arrows));
}

std::vector<Variable> split(const Variable& x, std::int64_t parts, int axis) {
  const std::vector<Tensor> views = split(x.value(), parts, axis);
  std::vector<std::int64_t> lengths;
  for (const Tensor& view : views) lengths.push_back(view.shape()[axis]);
  return split(x, lengths, axis);
}

std::vector<Variable> split(const Variable& x, std::span<const std::int64_t> lengths, int axis) {
  static_cast<void>(split(x.value(), lengths, axis));  // refuses lengths that do not fit
  std::vector<Variable> parts;
  std::int64_t at = 0;
  for (const std::int64_t length : lengths) {
    const auto taken = [=](const Tensor& t) { return slice(t, axis, at, at + length); };
    parts.push_back(part("split", x, taken));
    at += length;
  }
  return parts;
}

Variable flip(const Variable& x, int axis) {
  return record("flip", flip(x.value(), axis),
                wrt(x, [axis](const Tensor& g) { return flip(g, axis); }));
}

Variable pad(const Variable& x, int axis, std::int64_t before, std::int64_t after, double value) {
  const Tensor y = pad(x.value(), axis, before, after, value);
  return record("pad", y, wrt(x, [axis, before, n = x.shape()[axis]](const Tensor& g) {
                  return slice(g, axis, before, before + n);
                }));
}

}  // namespace lectern
