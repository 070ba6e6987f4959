#include "autograd/graph_dot.h"

#include <unordered_map>

namespace lectern {
namespace {

/// `text` between quotes, as Graphviz reads it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string to_dot(const Variable& loss, std::span<const std::pair<std::string, Variable>> named) {
  require<GradError>(loss.requires_grad(),
                     "to_dot: loss of shape {} depends on nothing that requires a gradient",
                     loss.shape());
  std::unordered_map<const Node*, std::string_view> names;
  for (const auto& [name, variable] : named) names.emplace(variable.node().get(), name);

  std::string boxes, arrows;
  std::unordered_map<const Node*, std::size_t> numbers{{loss.node().get(), 0}};
  std::vector<const Node*> found{loss.node().get()};  // numbered, nearest to the loss first
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Node& node = *found[i];
    require<GradError>(!node.spent,
                       "to_dot: the graph through {} of shape {} was given up by backward; draw "
                       "it before, or pass {{.retain_graph = true}}",
                       node.op, node.shape);
    const auto name = names.find(&node);
    const bool is_named = name != names.end();
    boxes += fmt::format("  n{} [label=\"{}\\n{} {}\"{}];\n", i,
                         escaped(is_named ? name->second : node.op), node.dtype, node.shape,
                         is_named ? ", style=filled" : "");
    for (const Edge& edge : node.edges) {
      const auto [input, is_new] = numbers.emplace(edge.input.get(), found.size());
      if (is_new) found.push_back(edge.input.get());
      arrows += fmt::format("  n{} -> n{};\n", input->second, i);
    }
  }
  return "digraph {\n  node [shape=box];\n" + boxes + arrows + "}\n";
}

}  // namespace lectern
