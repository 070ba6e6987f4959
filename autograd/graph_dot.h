#pragma once

#include <string>

#include "autograd/leaf_names.h"

namespace lectern {

/// The graph behind `loss` in the language of Graphviz: a box for every op and leaf, with dtype,
/// shape and the bytes of its value ("view" if these are an input's), and arrows from inputs to
/// results. Named leaves are filled. Nodes stand inside frames, one for each part of a dotted name
/// within that of the part before, by the rule of modules_behind(). A caption adds up the bytes of
/// ops and of named leaves.
///
///   std::ofstream("graph.dot") << to_dot(loss, model.named_parameters());
///   dot -Tsvg graph.dot > graph.svg
///
/// Inputs that need no gradient are not part of the graph, so they are not drawn. Which values live
/// until backward is not shown either: derivatives keep to themselves what they hold.
/// Throws: GradError if nothing requires a gradient, or backward() has given the graph up;
///         ValueError if more than 100 modules are inside each other.
std::string to_dot(const Variable& loss, const LeafNames& names = {});

}  // namespace lectern
