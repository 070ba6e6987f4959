#include "autograd/graph_dot.h"

#include <algorithm>
#include <array>
#include <map>

namespace lectern {
namespace {

/// `text` between quotes, as Graphviz reads it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// "640 B", "1.5 kB", "12 MB": three digits are enough for a picture.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; number >= 999.5; ++unit) number /= 1000;  // 999.5 would be rounded to 1e+03
  return fmt::format("{:.3g} {}", number, units[unit]);
}

std::int64_t bytes_of(const Node& node) { return node.shape.numel() * size_of(node.dtype); }

/// A module's frame: what stands in it and the frames inside.
struct Frame {
  std::vector<std::string> boxes;
  std::map<std::string, Frame, std::less<>> children;
};

/// "c" of "a.b.c".
std::string_view last_part_of(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);  // npos + 1 = 0
}

/// Frames are written and destroyed by recursion.
constexpr std::int64_t kDeepest = 100;

/// The frame of the module that `node` belongs to, made with those around it if need be.
Frame& frame_of(const Node& node, std::string_view module, Frame& outermost) {
  if (module.empty()) return outermost;
  const std::int64_t parts = std::ranges::count(module, '.') + 1;
  require<ValueError>(parts <= kDeepest,
                      "to_dot: modules nest too deep: that of {} of shape {} has {} parts; at most "
                      "{} frames are drawn inside each other",
                      node.op, node.shape, parts, kDeepest);
  Frame* frame = &outermost;
  for (std::size_t start = 0; start <= module.size();) {
    const std::size_t end = std::min(module.find('.', start), module.size());
    frame = &frame->children[std::string(module.substr(start, end - start))];
    start = end + 1;
  }
  return *frame;
}

/// Writes the insides of a frame; `count` numbers the frames, for Graphviz wants them named.
void write(const Frame& frame, const std::string& indent, int& count, std::string& text) {
  for (const std::string& box : frame.boxes) text += indent + box;
  for (const auto& [name, child] : frame.children) {
    text += fmt::format("{}subgraph cluster_{} {{\n{}  label=\"{}\";\n", indent, count++, indent,
                        escaped(name));
    write(child, indent + "  ", count, text);
    text += indent + "}\n";
  }
}

/// Collects the nodes behind a loss, nearest first, and draws them.
class Drawing {
 public:
  Drawing(const Node& root, const LeafNames& names)
      : names_(names), modules_(modules_behind(root, names)), found_{&root}, numbers_{{&root, 0}} {
    for (std::size_t i = 0; i < found_.size(); ++i) add(i);
  }

  std::string text() const {
    std::string body;
    int count = 0;
    write(outermost_, "  ", count, body);
    return fmt::format(
        "digraph {{\n"
        "  graph [fontname=\"sans-serif\", style=rounded, color=gray];\n"
        "  node [fontname=\"sans-serif\", shape=box, fillcolor=lightblue];\n"
        "  label=\"{} ops, values {}; {} named leaves, {}\";\n{}{}}}\n",
        ops_, bytes_text(op_bytes_), leaves_, bytes_text(leaf_bytes_), body, arrows_);
  }

 private:
  void add(std::size_t i) {
    const Node& node = *found_[i];
    require<GradError>(!node.spent,
                       "to_dot: the graph through {} of shape {} was given up by backward; draw "
                       "it before, or pass {{.retain_graph = true}}",
                       node.op, node.shape);
    const LeafNames::Entry* const entry = names_.find(node);
    const bool is_named = entry != nullptr;
    const std::string memory = node.is_view ? "view" : bytes_text(bytes_of(node));
    frame_of(node, modules_.at(&node).value_or(""), outermost_)
        .boxes.push_back(fmt::format("n{} [label=\"{}\\n{} {}\\n{}\"{}];\n", i,
                                     escaped(is_named ? last_part_of(entry->name) : node.op),
                                     node.dtype, node.shape, memory,
                                     is_named ? ", style=filled" : ""));
    if (!node.is_leaf()) {
      ++ops_;
      op_bytes_ += node.is_view ? 0 : bytes_of(node);
    } else if (is_named) {
      ++leaves_;
      leaf_bytes_ += bytes_of(node);
    }
    for (const Edge& edge : node.edges) {
      const auto [input, is_new] = numbers_.emplace(edge.input.get(), found_.size());
      if (is_new) found_.push_back(edge.input.get());
      arrows_ += fmt::format("  n{} -> n{};\n", input->second, i);
    }
  }

  const LeafNames& names_;
  const std::unordered_map<const Node*, std::optional<std::string_view>> modules_;
  std::vector<const Node*> found_;
  std::unordered_map<const Node*, std::size_t> numbers_;
  Frame outermost_;
  std::string arrows_;
  std::int64_t ops_ = 0, op_bytes_ = 0, leaves_ = 0, leaf_bytes_ = 0;
};

}  // namespace

std::string to_dot(const Variable& loss, const LeafNames& names) {
  require<GradError>(loss.requires_grad(),
                     "to_dot: loss of shape {} depends on nothing that requires a gradient",
                     loss.shape());
  return Drawing(*loss.node(), names).text();
}

}  // namespace lectern
