#include "autograd/leaf_names.h"

#include <algorithm>
#include <limits>

namespace lectern {

void LeafNames::add(std::string name, const Variable& leaf) {
  by_node_.emplace(leaf.node().get(), entries_.size());
  by_storage_[leaf.value().storage().data()].push_back(entries_.size());
  entries_.push_back({std::move(name), leaf});
}

const LeafNames::Entry* LeafNames::find(const Node& node) const {
  const auto found = by_node_.find(&node);
  return found == by_node_.end() ? nullptr : &entries_[found->second];
}

namespace {

/// Where the elements of x lie in its storage.
struct Extent {
  std::int64_t first, last;

  explicit Extent(const Tensor& x) : first(x.offset()), last(first) {
    for (int axis = 0; axis < x.rank(); ++axis) last += (x.shape()[axis] - 1) * x.strides()[axis];
  }
  bool contains(const Extent& other) const { return first <= other.first && other.last <= last; }
};

}  // namespace

const LeafNames::Entry* LeafNames::find(const Tensor& x) const {
  const auto found = by_storage_.find(x.storage().data());
  if (found == by_storage_.end()) return nullptr;
  const Extent wanted(x);
  const Entry* closest = nullptr;
  std::int64_t length = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t i : found->second) {
    const Extent extent(entries_[i].leaf.value());
    if (!extent.contains(wanted) || extent.last - extent.first >= length) continue;
    closest = &entries_[i];
    length = extent.last - extent.first;
  }
  return closest != nullptr ? closest : &entries_[found->second.front()];
}

std::string_view LeafNames::name_or_op(const Node& node) const {
  const Entry* const entry = find(node);
  return entry == nullptr ? node.op : std::string_view(entry->name);
}

std::string_view parent_of(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
}

namespace {

/// Whether module a is b or contains it.
bool contains(std::string_view a, std::string_view b) {
  return a.empty() || (b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '.'));
}

/// The innermost module that contains both.
std::string_view around(std::string_view a, std::string_view b) {
  while (!contains(a, b)) a = parent_of(a);
  return a;
}

/// What is known of one node once all of its inputs are.
struct Place {
  std::optional<std::string_view> module{};
  bool is_parameter = false;  ///< a named leaf or a view of one
  int depth = 0;              ///< most ops between a leaf and this value
};

using Places = std::unordered_map<const Node*, Place>;

Place place_of_leaf(const Node& leaf, const LeafNames& names) {
  const LeafNames::Entry* const entry = names.find(leaf);
  if (entry == nullptr) return {};
  return {.module = parent_of(entry->name), .is_parameter = true};
}

Place place_of_op(const Node& node, const Places& places) {
  std::optional<std::string_view> of_parameters;
  const Place* deepest = nullptr;
  bool differ = false;
  int depth = 0;
  for (const Edge& edge : node.edges) {
    const Place& input = places.at(edge.input.get());
    depth = std::max(depth, input.depth + 1);
    if (!input.module) continue;
    if (input.is_parameter) {
      of_parameters = of_parameters ? around(*of_parameters, *input.module) : *input.module;
    }
    differ = differ || (deepest != nullptr && deepest->module != input.module);
    if (deepest == nullptr || input.depth > deepest->depth) deepest = &input;
  }
  if (of_parameters) return {of_parameters, node.is_view, depth};
  if (deepest == nullptr) return {.depth = depth};
  return {differ ? parent_of(*deepest->module) : *deepest->module, false, depth};
}

}  // namespace

std::unordered_map<const Node*, std::optional<std::string_view>> modules_behind(
    const Node& root, const LeafNames& names) {
  struct Visit {
    const Node* node;
    std::size_t next_edge = 0;
  };
  Places places{{&root, {}}};
  std::vector<Visit> path{{&root}};  // every node after its inputs, without recursion
  while (!path.empty()) {
    auto& [node, next_edge] = path.back();
    if (next_edge < node->edges.size()) {
      const Node* const input = node->edges[next_edge++].input.get();
      if (places.emplace(input, Place{}).second) path.push_back({input});
    } else {
      places[node] = node->is_leaf() ? place_of_leaf(*node, names) : place_of_op(*node, places);
      path.pop_back();
    }
  }
  std::unordered_map<const Node*, std::optional<std::string_view>> modules;
  for (const auto& [node, place] : places) modules.emplace(node, place.module);
  return modules;
}

}  // namespace lectern
