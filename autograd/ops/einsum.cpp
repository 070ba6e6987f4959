#include "autograd/ops/einsum.h"

#include <algorithm>
#include <memory>

#include "tensor/einsum.h"
#include "tensor/views.h"

namespace lectern {
namespace {

bool contains(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

/// How the gradient of one operand is computed from g and the other operands, all of it known
/// before the first element is.
struct OperandGradient {
  EinsumPlan plan;        ///< of g, then the other operands, to the letters that they have
  EinsumOperand operand;  ///< whose gradient it is
  Labels letters;         ///< of the operand, distinct, those of broadcast axes left out
  Shape with_ones;        ///< extents of `letters`, 1 where the plan does not give the letter
  Shape full;             ///< extents of `letters`
};

OperandGradient plan_gradient(const EinsumPlan& forward, std::size_t which) {
  const EinsumAxes& axes = forward.axes;
  Shape result_shape;
  for (const int label : axes.output) {
    result_shape.push_back(axes.letters[static_cast<std::size_t>(label)].extent);
  }
  EinsumAxes exchanged{axes.letters, {{result_shape, axes.output}}, {}};
  Labels elsewhere = axes.output;  // letters that g or another operand has in full
  for (std::size_t i = 0; i < axes.operands.size(); ++i) {
    if (i == which) continue;
    exchanged.operands.push_back(axes.operands[i]);
    for (const Labels& part : {forward.reads[i].kept, forward.reads[i].summed}) {
      elsewhere.insert(elsewhere.end(), part.begin(), part.end());
    }
  }
  OperandGradient gradient{{}, axes.operands[which], {}, {}, {}};
  const auto& [kept, summed] = forward.reads[which];
  for (const int label : axes.operands[which].labels) {
    const bool is_read = contains(kept, label) || contains(summed, label);
    if (!is_read || contains(gradient.letters, label)) continue;
    const std::int64_t extent = axes.letters[static_cast<std::size_t>(label)].extent;
    const bool given = contains(elsewhere, label);
    if (given) exchanged.output.push_back(label);
    gradient.letters.push_back(label);
    gradient.with_ones.push_back(given ? extent : 1);
    gradient.full.push_back(extent);
  }
  gradient.plan = plan_einsum(std::move(exchanged));
  return gradient;
}

Tensor compute(const OperandGradient& gradient, const std::vector<Tensor>& g_and_others) {
  const Tensor given = reshape(einsum(gradient.plan, g_and_others), gradient.with_ones);
  const Tensor spread = expand(given, gradient.full);  // one axis for each distinct letter
  if (gradient.letters == gradient.operand.labels) return spread;
  Tensor dx = Tensor::zeros(gradient.operand.shape, given.dtype());
  labelled_view(dx, gradient.operand, gradient.letters).copy_from(spread);
  return dx;
}

}  // namespace

// y = einsum("ij,jk->ik", {a, b})        da = einsum("ik,jk->ij", {g, b})
//                                        db = einsum("ik,ij->jk", {g, a})
Variable einsum(std::string_view equation, const std::vector<Variable>& operands) {
  std::vector<Shape> shapes;
  std::vector<Tensor> values;
  for (const Variable& operand : operands) {
    shapes.push_back(operand.shape());
    values.push_back(operand.value());
  }
  const auto plan = std::make_shared<const EinsumPlan>(plan_einsum(parse_einsum(equation, shapes)));
  std::vector<WithRespectTo<std::function<Tensor(const Tensor&)>>> arrows;
  for (std::size_t which = 0; which < operands.size(); ++which) {
    std::vector<SavedTensor> others;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i != which) others.push_back(saved(values[i]));
    }
    arrows.push_back({operands[which], [=, others = std::move(others)](const Tensor& g) {
                        std::vector<Tensor> factors{g};
                        for (const SavedTensor& other : others) factors.push_back(*other);
                        return compute(plan_gradient(*plan, which), factors);
                      }});
  }
  return record_each("einsum", einsum(*plan, values), std::move(arrows));
}

}  // namespace lectern
