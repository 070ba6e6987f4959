#include "tensor/einsum_gradient.h"

#include <algorithm>

#include "tensor/einsum.h"
#include "tensor/views.h"

namespace lectern {
namespace {

bool contains(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

bool repeats_a_letter(const Labels& labels) {
  return std::ranges::any_of(labels, [&](int l) { return std::ranges::count(labels, l) > 1; });
}

}  // namespace

EinsumGradient plan_einsum_gradient(const EinsumPlan& forward, std::size_t which) {
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
  EinsumGradient gradient{which, {}, axes.operands[which], {}, {}, {}};
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

Tensor einsum_gradient(const EinsumGradient& gradient, const std::vector<Tensor>& g_and_others) {
  const Tensor given = reshape(einsum(gradient.plan, g_and_others), gradient.with_ones);
  const Tensor spread = expand(given, gradient.full);  // one axis for each distinct letter
  if (gradient.letters == gradient.operand.labels) return spread;
  Tensor dx = Tensor::zeros(gradient.operand.shape, given.dtype());
  labelled_view(dx, gradient.operand, gradient.letters).copy_from(spread);
  return dx;
}

std::string to_string(const EinsumGradient& gradient) {
  const EinsumAxes& axes = gradient.plan.axes;
  std::vector<std::string> names{"g"};
  std::string text =
      fmt::format("gradient of operand {}: {} of g", gradient.which, equation_text(axes));
  for (std::size_t i = 0; names.size() < axes.operands.size(); ++i) {
    if (i == gradient.which) continue;
    names.push_back(fmt::format("operand {}", i));
    text += ", " + names.back();
  }
  text += '\n' + plan_text(gradient.plan, names);
  Labels spread;
  for (const int label : gradient.letters) {
    if (!contains(axes.output, label)) spread.push_back(label);
  }
  if (!spread.empty()) text += "\nthen       spread over " + labels_text(axes, spread);
  if (gradient.letters != gradient.operand.labels) {
    const std::string place = fmt::format("{} {}", labels_text(axes, gradient.operand.labels),
                                          to_string(gradient.operand.shape));
    text += repeats_a_letter(gradient.operand.labels)
                ? fmt::format("\nthen       put on the diagonal of {}, 0 elsewhere", place)
                : fmt::format("\nthen       seen as {}", place);
  }
  return text;
}

}  // namespace lectern
