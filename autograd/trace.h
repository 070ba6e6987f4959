#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <iosfwd>
#include <string>
#include <vector>

#include "autograd/leaf_names.h"

namespace lectern {

/// One step of a backward pass: what arrived at a node and what it sent on.
struct TraceStep {
  /// What the node sent to one of its inputs, all places together where that is an operand.
  struct Sent {
    std::string to;  ///< the input's op, or its name if it is a named leaf
    int step = -1;   ///< the one in which the input has its turn; -1 if it never comes
    Shape shape;
    double norm = 0;  ///< Euclidean
  };
  std::string name;  ///< the op, or the name of a named leaf; "leaf" for any other
  DType dtype;
  Shape shape;      ///< of the result, and so of the gradient that arrived
  double norm = 0;  ///< of that gradient, Euclidean
  std::vector<Sent> sent{};
};

/// The steps of a backward pass, in their order.
struct Trace {
  std::vector<TraceStep> steps;
};

/// Runs backward(loss, seed, options) and tells what it did, node by node. It is that pass: leaves
/// get their gradients, with the same bits, and the graph is given up unless options.retain_graph.
///
///   fmt::print("{}", trace(loss, model.named_parameters()));
///
///   #  node  result      |gradient|  to  input  shape   |gradient|
///   0  sum   f32 []               1   1  mul    [2, 4]       2.828
///   …
///
/// What a node adds to a gradient that others have begun is measured as the difference, so the norm
/// of a very small part is no more exact than the sum. Throws: as backward().
Trace trace(const Variable& loss, const Tensor& seed, const LeafNames& names = {},
            BackwardOptions options = {});
/// As above with seed 1. Throws: ShapeError unless loss has one element.
Trace trace(const Variable& loss, const LeafNames& names = {}, BackwardOptions options = {});

/// A table: a line for each step, and a further one for each further input it sends to.
std::string to_string(const Trace& trace);
std::ostream& operator<<(std::ostream& out, const Trace& trace);

}  // namespace lectern

template <>
struct fmt::formatter<lectern::Trace> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(const lectern::Trace& trace, auto& context) const {
    return std::ranges::copy(lectern::to_string(trace), context.out()).out;
  }
};
