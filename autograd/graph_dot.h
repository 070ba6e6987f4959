#pragma once

#include <concepts>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"

namespace lectern {

/// The graph behind `loss` in the language of Graphviz: a box for every op and leaf, with its dtype
/// and shape, and arrows from inputs to results. Leaves that are in `named` carry their names and
/// are filled. Inputs that need no gradient are not part of the graph, so they are not drawn.
///
///   std::ofstream("graph.dot") << to_dot(loss, model.named_parameters());
///   dot -Tsvg graph.dot > graph.svg
///
/// Throws: GradError if nothing requires a gradient, or backward() has given the graph up.
std::string to_dot(const Variable& loss,
                   std::span<const std::pair<std::string, Variable>> named = {});

/// As above for any range of objects with members `name` and `value`, such as parameters.
template <std::ranges::input_range Named>
  requires requires(const std::ranges::range_value_t<Named>& entry) {
    { entry.name } -> std::convertible_to<std::string>;
    { entry.value } -> std::convertible_to<Variable>;
  }
std::string to_dot(const Variable& loss, const Named& named) {
  std::vector<std::pair<std::string, Variable>> pairs;
  for (const auto& entry : named) pairs.emplace_back(entry.name, entry.value);
  return to_dot(loss, std::span<const std::pair<std::string, Variable>>(pairs));
}

}  // namespace lectern
