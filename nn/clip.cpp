#include "nn/clip.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "tensor/elementwise.h"
#include "tensor/map.h"
#include "tensor/reduce.h"

namespace lectern::nn {
namespace {

/// A parameter given twice would count twice and be scaled twice.
void require_distinct_leaves(std::span<const Parameter> parameters) {
  std::unordered_map<const Node*, std::size_t> place_of;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Node* const node = parameters[i].node().get();
    if (node == nullptr) continue;
    require<ValueError>(node->is_leaf(),
                        "clip_grad_norm: parameter {} is the result of {}; only a leaf has a "
                        "gradient",
                        i, node->op);
    const auto [known, is_new] = place_of.emplace(node, i);
    require<ValueError>(is_new, "clip_grad_norm: parameters {} and {} are one; give it once",
                        known->second, i);
  }
}

}  // namespace

double clip_grad_norm(std::span<const Parameter> parameters, double max_norm) {
  require<ValueError>(max_norm > 0, "clip_grad_norm: max_norm is {}; it must be positive",
                      max_norm);
  require_distinct_leaves(parameters);
  double squares = 0;
  for (const Parameter& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    const double part = norm(parameter.grad()).item();
    squares += part * part;
  }
  const double total = std::sqrt(squares);
  const double factor = max_norm / (total + 1e-6);
  if (!std::isfinite(total) || factor >= 1) return total;
  for (const Parameter& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    Tensor g = parameter.grad();
    scale_into(g, factor);
  }
  return total;
}

void clip_grad_value(std::span<const Parameter> parameters, double max_value) {
  require<ValueError>(max_value > 0, "clip_grad_value: max_value is {}; it must be positive",
                      max_value);
  for (const Parameter& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    Tensor g = parameter.grad();
    visit_floating("clip_grad_value", g.dtype(), [&]<class T>() {
      const T limit = static_cast<T>(max_value);
      g.copy_from(map<T>(g, [limit](T v) { return std::clamp(v, -limit, limit); }));
    });
  }
}

}  // namespace lectern::nn
