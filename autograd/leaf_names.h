#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/variable.h"

namespace lectern {

/// Names of leaves for those who look at the graph: trace(), AnomalyMode, to_dot(). Made from any
/// range of objects with members `name` and `value`, such as model.named_parameters(), or of pairs
/// of both.
///
/// A dotted name tells the module too: "encoder.layers.0.linear1.weight" belongs to
/// "encoder.layers.0.linear1", and a name without dots to "", the model itself.
class LeafNames {
 public:
  LeafNames() = default;
  template <std::ranges::input_range Named>
    requires requires(const std::ranges::range_value_t<Named>& entry) {
      { entry.name } -> std::convertible_to<std::string>;
      { entry.value } -> std::convertible_to<Variable>;
    }
  LeafNames(const Named& named) {
    for (const auto& entry : named) add(entry.name, entry.value);
  }
  LeafNames(const std::vector<std::pair<std::string, Variable>>& named) {
    for (const auto& [name, value] : named) add(name, value);
  }

  struct Entry {
    std::string name;
    Variable leaf;
  };
  /// The leaf that has this node; null if it has no name.
  const Entry* find(const Node& node) const;
  /// The leaf that x is the value of or a view of, by x's storage; null if none has that. Of
  /// several leaves in one storage the one that fits closest around the first and last element of
  /// x, else the first.
  const Entry* find(const Tensor& x) const;
  /// The name of a leaf if it has one, else the op of its node.
  std::string_view name_or_op(const Node& node) const;
  bool empty() const { return entries_.empty(); }

 private:
  void add(std::string name, const Variable& leaf);

  std::vector<Entry> entries_;  // keeps the places below alive
  std::unordered_map<const Node*, std::size_t> by_node_;
  std::unordered_map<const void*, std::vector<std::size_t>> by_storage_;
};

/// "a.b" of "a.b.c", "" of "c".
std::string_view parent_of(std::string_view dotted);

/// The module that each node of the graph behind `root` belongs to, by the names of leaves. A leaf:
/// the parent of its name. An op:
///
/// 1. the module whose parameters it uses, directly or through a view (a slice, a transpose);
///    the innermost one around them all if they belong to several;
/// 2. else the module of the value it was computed from; of several values that which took most ops
///    to compute, and if their modules differ, the parent of its module: so x + f(x) belongs to
///    what f is part of;
/// 3. none if no named leaf is behind it.
///
/// The texts are parts of `names`. What backward() has given up is not looked through.
std::unordered_map<const Node*, std::optional<std::string_view>> modules_behind(
    const Node& root, const LeafNames& names);

}  // namespace lectern
