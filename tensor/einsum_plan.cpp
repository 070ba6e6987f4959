#include "tensor/einsum_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace lectern {
namespace {

bool contains(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

double extent_of(const EinsumAxes& axes, const Labels& labels) {
  double product = 1;
  for (const int label : labels) {
    product *= static_cast<double>(axes.letters[static_cast<std::size_t>(label)].extent);
  }
  return product;
}

/// Distinct labels of an operand in order of appearance, without axes of extent 1 whose letter is
/// longer elsewhere.
Labels distinct_labels(const EinsumAxes& axes, const EinsumOperand& operand) {
  Labels distinct;
  for (std::size_t axis = 0; axis < operand.labels.size(); ++axis) {
    const int label = operand.labels[axis];
    const std::int64_t extent = axes.letters[static_cast<std::size_t>(label)].extent;
    const bool broadcasts = operand.shape[static_cast<int>(axis)] != extent;
    if (!broadcasts && !contains(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}

std::vector<EinsumRead> plan_reads(const EinsumAxes& axes) {
  std::vector<Labels> labels;
  for (const EinsumOperand& operand : axes.operands) {
    labels.push_back(distinct_labels(axes, operand));
  }
  std::vector<EinsumRead> reads;
  for (const Labels& mine : labels) {
    EinsumRead& read = reads.emplace_back();
    for (const int label : mine) {
      const auto uses =
          std::ranges::count_if(labels, [&](const Labels& l) { return contains(l, label); });
      const bool ends_here = uses == 1 && !contains(axes.output, label);
      (ends_here ? read.summed : read.kept).push_back(label);
    }
  }
  return reads;
}

/// A tensor that is still to be multiplied.
struct Factor {
  int tensor;
  Labels labels;
};

/// The product of factors i < j, given that labels in `needed` are used later.
EinsumStep multiply(const EinsumAxes& axes, const Factor& a, const Factor& b,
                    const Labels& needed) {
  EinsumStep step{.left = a.tensor,
                  .right = b.tensor,
                  .batch = {},
                  .rows = {},
                  .columns = {},
                  .summed = {},
                  .products = 1,
                  .m = 1,
                  .n = 1,
                  .k = 1};
  for (const int label : a.labels) {
    if (!contains(b.labels, label)) step.rows.push_back(label);
  }
  // Shared letters in the order of the larger one, which is then the less likely to be copied.
  const bool a_is_larger = extent_of(axes, a.labels) >= extent_of(axes, b.labels);
  for (const int label : a_is_larger ? a.labels : b.labels) {
    if (!contains(a_is_larger ? b.labels : a.labels, label)) continue;
    (contains(needed, label) ? step.batch : step.summed).push_back(label);
  }
  for (const int label : b.labels) {
    if (!contains(a.labels, label)) step.columns.push_back(label);
  }
  step.products = extent_of(axes, step.batch);
  step.m = extent_of(axes, step.rows);
  step.n = extent_of(axes, step.columns);
  step.k = extent_of(axes, step.summed);
  return step;
}

/// Labels of the output and of all factors but i and j.
Labels needed_after(const EinsumAxes& axes, const std::vector<Factor>& factors, std::size_t i,
                    std::size_t j) {
  Labels needed = axes.output;
  for (std::size_t other = 0; other < factors.size(); ++other) {
    if (other != i && other != j)
      std::ranges::copy(factors[other].labels, std::back_inserter(needed));
  }
  return needed;
}

std::vector<EinsumStep> plan_steps(const EinsumAxes& axes, const std::vector<EinsumRead>& reads) {
  std::vector<Factor> factors;
  for (const EinsumRead& read : reads) {
    factors.push_back({static_cast<int>(factors.size()), read.kept});
  }
  std::vector<EinsumStep> steps;
  while (factors.size() > 1) {
    std::optional<EinsumStep> best;
    double best_growth = 0;
    std::size_t left = 0, right = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      for (std::size_t j = i + 1; j < factors.size(); ++j) {
        const EinsumStep step =
            multiply(axes, factors[i], factors[j], needed_after(axes, factors, i, j));
        const double growth = extent_of(axes, step.result()) - extent_of(axes, factors[i].labels) -
                              extent_of(axes, factors[j].labels);
        if (!best || growth < best_growth ||
            (growth == best_growth && step.flop() < best->flop())) {
          best = step;
          best_growth = growth;
          left = i;
          right = j;
        }
      }
    }
    factors[left] = {static_cast<int>(reads.size() + steps.size()), best->result()};
    factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(right));
    steps.push_back(*std::move(best));
  }
  return steps;
}

Labels joined(std::initializer_list<Labels> groups) {
  Labels all;
  for (const Labels& group : groups) std::ranges::copy(group, std::back_inserter(all));
  return all;
}

/// The letters of one term of an equation, each between brackets if some have long names.
std::string term_text(const EinsumAxes& axes, const Labels& labels) {
  const auto is_long = [](const EinsumLetter& letter) { return letter.name.size() > 1; };
  if (std::ranges::any_of(axes.letters, is_long)) return labels_text(axes, labels);
  std::string text;
  for (const int label : labels) text += axes.letters[static_cast<std::size_t>(label)].name;
  return text;
}

}  // namespace

Labels EinsumStep::result() const {
  Labels labels = batch;
  std::ranges::copy(rows, std::back_inserter(labels));
  std::ranges::copy(columns, std::back_inserter(labels));
  return labels;
}

double EinsumPlan::flop() const {
  double total = 0;
  for (const EinsumStep& step : steps) total += step.flop();
  return total;
}

EinsumPlan plan_einsum(EinsumAxes axes) {
  EinsumPlan plan{std::move(axes), {}, {}};
  plan.reads = plan_reads(plan.axes);
  plan.steps = plan_steps(plan.axes, plan.reads);
  return plan;
}

std::string labels_text(const EinsumAxes& axes, const Labels& labels) {
  std::string text;
  for (const int label : labels) {
    if (!text.empty()) text += ' ';
    text += axes.letters[static_cast<std::size_t>(label)].name;
  }
  return fmt::format("[{}]", text);
}

std::string equation_text(const EinsumAxes& axes) {
  std::string text;
  for (const EinsumOperand& operand : axes.operands) {
    if (&operand != &axes.operands.front()) text += ',';
    text += term_text(axes, operand.labels);
  }
  return text + "->" + term_text(axes, axes.output);
}

std::string plan_text(const EinsumPlan& plan, std::span<const std::string> names) {
  const EinsumAxes& axes = plan.axes;
  std::string text;
  for (std::size_t i = 0; i < plan.reads.size(); ++i) {
    const auto& [kept, summed] = plan.reads[i];
    text += fmt::format("{:9}  {} {}", names[i], labels_text(axes, axes.operands[i].labels),
                        to_string(axes.operands[i].shape));
    if (kept.size() + summed.size() < axes.operands[i].labels.size()) {
      text += fmt::format(", seen as {}", labels_text(axes, joined({kept, summed})));
    }
    if (!summed.empty()) text += fmt::format(", summed over {}", labels_text(axes, summed));
    text += '\n';
  }
  const auto tensor_text = [&](int tensor) {
    const int operands = static_cast<int>(plan.reads.size());
    return tensor < operands ? names[static_cast<std::size_t>(tensor)]
                             : fmt::format("step {}", tensor - operands + 1);
  };
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const EinsumStep& step = plan.steps[s];
    text += fmt::format(
        "step {}     {} permuted to {} x {} permuted to {} = {}\n"
        "           {} product{} of m = {}, n = {}, k = {}: {} FLOP\n",
        s + 1, tensor_text(step.left),
        labels_text(axes, joined({step.batch, step.rows, step.summed})), tensor_text(step.right),
        labels_text(axes, joined({step.batch, step.summed, step.columns})),
        labels_text(axes, step.result()), step.products, step.products == 1 ? "" : "s", step.m,
        step.n, step.k, step.flop());
  }
  return text +
         fmt::format("result     {}, {} FLOP in all", labels_text(axes, axes.output), plan.flop());
}

std::string to_string(const EinsumPlan& plan) {
  std::string text = "letters    ";
  for (const EinsumLetter& letter : plan.axes.letters) {
    text += fmt::format("{}{} = {}", &letter == &plan.axes.letters.front() ? "" : ", ", letter.name,
                        letter.extent);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.reads.size(); ++i) names.push_back(fmt::format("operand {}", i));
  return text + '\n' + plan_text(plan, names);
}

}  // namespace lectern
