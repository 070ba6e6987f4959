#include "autograd/anomaly_mode.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace lectern {
namespace {

using Inputs = std::span<const Variable* const>;

/// Ops that write numbers of the caller's choice among those of their inputs.
constexpr std::array<std::string_view, 3> kWriters{"where", "masked_fill", "pad"};

bool has_nan(const Tensor& x) { return any(isnan(x)).item() != 0; }
bool is_finite(const Tensor& x) { return all(isfinite(x)).item() != 0; }

/// Row-major number of the first element that is true.
std::int64_t first_true(const Tensor& mask) {
  return static_cast<std::int64_t>(argmax(mask.to(DType::i64)).item());
}

/// The first NaN, or the first infinity if there is no NaN.
std::int64_t first_odd(const Tensor& x) {
  return first_true(has_nan(x) ? isnan(x) : logical_not(isfinite(x)));
}

double element(const Tensor& x, std::int64_t number) {
  return x.to(DType::f64).contiguous().data<double>()[static_cast<std::size_t>(number)];
}

/// Not "-nan": the sign of a NaN means nothing.
std::string number_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);
}

/// "nan at [1, 2]".
std::string element_text(const Tensor& x, std::int64_t number) {
  return fmt::format("{} at {}", number_text(element(x, number)), unravel_index(number, x.shape()));
}

/// "f32 [2, 3] (-1 there)": with the element at the same place, where there is one.
std::string operand_text(const Tensor& x, const Shape& shape, std::int64_t number) {
  if (x.numel() != 1 && x.shape() != shape) return fmt::format("{} {}", x.dtype(), x.shape());
  return fmt::format("{} {} ({} there)", x.dtype(), x.shape(),
                     number_text(element(x, x.numel() == 1 ? 0 : number)));
}

/// What is odd already in the inputs of an op that is to blame all the same.
std::string state_text(Inputs inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i]->value();
    if (x.defined() && !is_finite(x)) {
      return fmt::format("no input is nan, but input {} is {}", i, element_text(x, first_odd(x)));
    }
  }
  return "every input is finite";
}

}  // namespace

void AnomalyMode::computed(std::string_view op, const Tensor& result, Inputs inputs) {
  const bool in_backward = !op_in_backward().empty();  // then sent() looks at what comes of it
  if (in_backward || is_finite(result)) return;
  const bool is_nan = has_nan(result);
  if (!is_nan && std::ranges::find(kWriters, op) != kWriters.end()) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i]->value();
    if (!x.defined()) continue;
    if (is_nan && has_nan(x)) {
      const LeafNames::Entry* const leaf = names_.find(x);
      fail<ValueError>(
          "{}: input {} is {}: it is {} {}{}; no op made it while AnomalyMode watched: "
          "look at how it was made, loaded or updated",
          op, i, element_text(x, first_odd(x)), x.dtype(), x.shape(),
          leaf == nullptr ? "" : fmt::format(", {}", leaf->name));
    }
    if (!is_nan && !is_finite(x)) return;
  }

  const std::int64_t at = first_odd(result);
  Node place(op, result.shape(), result.dtype());  // as if it were recorded
  std::string operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i]->value();
    if (!x.defined()) continue;
    operands += fmt::format("input {} is {}, ", i, operand_text(x, result.shape(), at));
    const LeafNames::Entry* const leaf = names_.find(x);
    const Variable& known = leaf == nullptr ? *inputs[i] : leaf->leaf;
    if (known.node() != nullptr) place.edges.push_back({known.node(), nullptr});
  }
  fail<ValueError>("{}: result is {}: {}result is {} {}; {}; {}", op, element_text(result, at),
                   operands, result.dtype(), result.shape(), state_text(inputs),
                   module_text(place));
}

void AnomalyMode::arrived(const Node& node, const Tensor& g) {
  if (!is_finite(g)) {  // what ops send was looked at in sent(), so this is the seed
    fail<ValueError>("backward: seed is {}: it is {} {}, for the result of {}; it must be finite",
                     element_text(g, first_odd(g)), g.dtype(), g.shape(), node.op);
  }
  if (!node.is_leaf() || !node.grad.defined()) return;
  const Tensor total = node.grad + g;  // before the pass delivers it
  if (is_finite(total)) return;
  const std::int64_t at = first_odd(total);
  fail<ValueError>(
      "backward: gradient of {} is {}: it was {}, to which this pass adds {}; call zero_grad() "
      "before each pass that is not to be added; {}",
      names_.name_or_op(node), element_text(total, at), operand_text(node.grad, total.shape(), at),
      operand_text(g, total.shape(), at), module_text(node));
}

void AnomalyMode::sent(const Node& node, const Tensor& g) {
  for (const Edge& edge : node.edges) {
    const Gradient& sum = edge.input->sum;
    if (sum.empty() || is_finite(sum.value())) continue;
    const std::int64_t at = first_odd(sum.value());
    fail<ValueError>(
        "backward of {}: gradient sent to {} is {}: it is {} {}, the gradient received is {}; that "
        "is finite; {}",
        node.op, names_.name_or_op(*edge.input), element_text(sum.value(), at), sum.value().dtype(),
        sum.value().shape(), operand_text(g, sum.value().shape(), at), module_text(node));
  }
}

std::string AnomalyMode::module_text(const Node& node) const {
  if (names_.empty()) return "give AnomalyMode named parameters to learn the module";
  const auto module = modules_behind(node, names_).at(&node);
  if (!module) return "no named parameter is behind it";
  return module->empty() ? "module: the model itself" : fmt::format("module: {}", *module);
}

}  // namespace lectern
