#include "tensor/einsum.h"

#include <algorithm>

#include "tensor/broadcast.h"
#include "tensor/einsum_gradient.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/views.h"

namespace lectern {
namespace {

/// A tensor and the letters of its axes, all distinct.
struct Labelled {
  Tensor tensor;
  Labels labels;
};

int axis_of(const Labels& labels, int label) {
  return static_cast<int>(std::ranges::find(labels, label) - labels.begin());
}

Labels joined(std::initializer_list<Labels> groups) {
  Labels all;
  for (const Labels& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

Tensor permute_to(const Labelled& x, const Labels& wanted) {
  Axes order;
  for (const int label : wanted) order.push_back(axis_of(x.labels, label));
  return permute(x.tensor, order);
}

Labelled read(const Tensor& x, const EinsumOperand& operand, const EinsumRead& how) {
  const Tensor view = labelled_view(x, operand, joined({how.kept, how.summed}));
  if (how.summed.empty()) return {view, how.kept};
  const auto kept = view.shape().span().first(how.kept.size());
  Shape kept_alone(kept), and_ones(kept);
  for (std::size_t i = 0; i < how.summed.size(); ++i) and_ones.push_back(1);
  return {reshape(sum_to(view, and_ones), kept_alone), how.kept};
}

/// Extents of the batch of a product: one for each letter, or a single one where two more axes
/// would be too many.
Shape batch_shape(const Shape& full, std::size_t letters) {
  const Shape batch(full.span().first(letters));
  return letters + 2 <= kMaxRank ? batch : Shape{batch.numel()};
}

Shape with_matrix(Shape batch, double rows, double columns) {
  batch.push_back(static_cast<std::int64_t>(rows));
  batch.push_back(static_cast<std::int64_t>(columns));
  return batch;
}

/// Whether axes first..last-1 are steps along one longer axis.
bool is_one_axis(const Tensor& x, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i + 1 < last; ++i) {
    const int axis = static_cast<int>(i);
    if (x.strides()[axis] != x.strides()[axis + 1] * x.shape()[axis + 1]) return false;
  }
  return true;
}

Shape shape_of(const EinsumAxes& axes, const Labels& labels) {
  Shape shape;
  for (const int label : labels) {
    shape.push_back(axes.letters[static_cast<std::size_t>(label)].extent);
  }
  return shape;
}

/// c[batch, rows, columns] = a[batch, rows] b[batch, columns]: nothing is summed.
Tensor outer_product(const Labelled& a, const Labelled& b, const EinsumStep& step) {
  Tensor left = permute_to(a, joined({step.batch, step.rows}));
  Tensor right = permute_to(b, joined({step.batch, step.columns}));
  Shape left_shape = left.shape(), right_shape(left.shape().span().first(step.batch.size()));
  for (std::size_t i = 0; i < step.columns.size(); ++i) left_shape.push_back(1);
  for (std::size_t i = 0; i < step.rows.size(); ++i) right_shape.push_back(1);
  for (std::size_t i = 0; i < step.columns.size(); ++i) {
    right_shape.push_back(right.shape()[static_cast<int>(step.batch.size() + i)]);
  }
  return reshape(left, left_shape) * reshape(right, right_shape);
}

/// One step of the plan, its axes in the order `wanted`.
Labelled multiply(const EinsumAxes& axes, const Labelled& a, const Labelled& b,
                  const EinsumStep& step, const Labels& wanted) {
  if (step.summed.empty()) return {outer_product(a, b, step), step.result()};
  const Tensor left = permute_to(a, joined({step.batch, step.rows, step.summed}));
  const Tensor right = permute_to(b, joined({step.batch, step.summed, step.columns}));
  const std::size_t batched = step.batch.size(), rows_end = batched + step.rows.size();
  const Shape batch = batch_shape(left.shape(), batched);
  const Tensor matrices = reshape(left, with_matrix(batch, step.m, step.k));
  const Tensor others = reshape(right, with_matrix(batch, step.k, step.n));

  // The product is written where the result wants it, if its rows and columns are evenly spaced
  // there; else in the order it comes in, and moved afterwards.
  Labelled result{Tensor::empty(shape_of(axes, wanted), left.dtype()), wanted};
  const Tensor places = permute_to(result, step.result());
  if (batch.rank() != static_cast<int>(batched) || !is_one_axis(places, batched, rows_end) ||
      !is_one_axis(places, rows_end, wanted.size())) {
    return {reshape(matmul(matrices, others), places.shape()), step.result()};
  }
  Strides steps(places.strides().span().first(batched));
  steps.push_back(step.rows.empty() ? 0 : places.strides()[static_cast<int>(rows_end) - 1]);
  steps.push_back(step.columns.empty() ? 0 : places.strides()[-1]);
  matmul_into(places.with_layout(with_matrix(batch, step.m, step.n), steps, places.offset()),
              matrices, others, /*accumulate=*/false);
  return result;
}

void require_operands(const EinsumPlan& plan, const std::vector<Tensor>& operands) {
  require<ShapeError>(operands.size() == plan.axes.operands.size(),
                      "einsum: the plan is for {} operands, not for {}", plan.axes.operands.size(),
                      operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require<ValueError>(operands[i].defined(), "einsum: operand {} is undefined", i);
    require<DTypeError>(is_floating(operands[i].dtype()),
                        "einsum: operand {} is {}; it must be f32 or f64", i, operands[i].dtype());
    require<DTypeError>(operands[i].dtype() == operands[0].dtype(),
                        "einsum: dtypes differ: operand 0 is {}, operand {} is {}",
                        operands[0].dtype(), i, operands[i].dtype());
    require<ShapeError>(operands[i].shape() == plan.axes.operands[i].shape,
                        "einsum: the plan is for an operand {} of shape {}, not {}", i,
                        plan.axes.operands[i].shape, operands[i].shape());
  }
}

std::vector<Shape> shapes_of(const std::vector<Tensor>& operands) {
  std::vector<Shape> shapes;
  for (const Tensor& operand : operands) shapes.push_back(operand.shape());
  return shapes;
}

}  // namespace

Tensor labelled_view(const Tensor& x, const EinsumOperand& operand, const Labels& wanted) {
  Shape shape;
  Strides strides;
  for (const int label : wanted) {
    std::int64_t extent = 0, stride = 0;
    for (std::size_t axis = 0; axis < operand.labels.size(); ++axis) {
      if (operand.labels[axis] != label) continue;
      extent = x.shape()[static_cast<int>(axis)];
      stride += x.strides()[static_cast<int>(axis)];
    }
    shape.push_back(extent);
    strides.push_back(stride);
  }
  return x.with_layout(shape, strides, x.offset());
}

Tensor einsum(const EinsumPlan& plan, const std::vector<Tensor>& operands) {
  require_operands(plan, operands);
  std::vector<Labelled> tensors;  // operands, then the results of the steps
  for (std::size_t i = 0; i < operands.size(); ++i) {
    tensors.push_back(read(operands[i], plan.axes.operands[i], plan.reads[i]));
  }
  for (const EinsumStep& step : plan.steps) {
    Labelled& left = tensors[static_cast<std::size_t>(step.left)];
    Labelled& right = tensors[static_cast<std::size_t>(step.right)];
    const bool is_last = &step == &plan.steps.back();
    Labelled product =
        multiply(plan.axes, left, right, step, is_last ? plan.axes.output : step.result());
    left.tensor = right.tensor = Tensor();  // used once each
    tensors.push_back(std::move(product));
  }
  const Tensor result = permute_to(tensors.back(), plan.axes.output);
  return result.storage() == operands[0].storage() ? result.clone() : result.contiguous();
}

Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands) {
  return einsum(plan_einsum(parse_einsum(equation, shapes_of(operands))), operands);
}

std::string einsum_explain(std::string_view equation, const std::vector<Shape>& shapes) {
  const EinsumPlan plan = plan_einsum(parse_einsum(equation, shapes));
  std::string text = fmt::format("einsum     {}\n{}", equation, to_string(plan));
  for (std::size_t which = 0; which < shapes.size(); ++which) {
    text += "\n\n" + to_string(plan_einsum_gradient(plan, which));
  }
  return text;
}

}  // namespace lectern
