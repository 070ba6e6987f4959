#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "autograd/gradient.h"
#include "autograd/observer.h"
#include "tensor/tensor.h"

namespace lectern {

struct Node;

/// A tensor together with its place in the graph of what it was computed from.
///
/// A handle: copies share value and place. Ops on variables record themselves as they run
/// (autograd/ops/), and backward() walks the record in reverse.
class Variable {
 public:
  Variable() = default;
  /// A leaf. If it requires a gradient, backward() adds up the gradient in grad().
  /// Throws: DTypeError if an i64 or bool tensor is to require one.
  explicit Variable(Tensor value, bool requires_grad = false);

  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  DType dtype() const { return value_.dtype(); }
  int rank() const { return value_.rank(); }
  bool defined() const { return value_.defined(); }
  bool requires_grad() const { return node_ != nullptr; }

  bool has_grad() const;
  /// dL/d(this), summed over the backward passes since zero_grad(); leaves only. It shares storage
  /// with nothing. Throws: GradError if none has arrived.
  const Tensor& grad() const;
  void set_grad(Tensor grad);  ///< to a copy. Throws: ShapeError, DTypeError unless it fits.
  void zero_grad();            ///< forgets the gradient: has_grad() becomes false
  /// The same value without a place in the graph.
  Variable detach() const { return Variable(value_); }

  /// The node that computed this value; null if nothing before it requires a gradient.
  const std::shared_ptr<Node>& node() const { return node_; }
  /// For record() alone: a value with its place.
  Variable(Tensor value, std::shared_ptr<Node> node);

 private:
  Tensor value_;
  std::shared_ptr<Node> node_;
};

/// Adds one input's part of the chain rule, dL/d(input), to `sum`, from g = dL/d(result).
using Derivative = std::function<void(const Tensor& g, Gradient& sum)>;
/// As Derivative for all inputs at once; sums[i] is null where input i wants none.
using JointDerivative = std::function<void(const Tensor& g, std::span<Gradient* const> sums)>;

/// One arrow of the graph, from an op's result back to one of its inputs.
struct Edge {
  std::shared_ptr<Node> input;
  Derivative derivative;  ///< empty where the node has a joint one
};

/// The gradient side of one value. It holds no values: what a backward pass needs is listed, and
/// kept alive, by the captures of its derivatives.
struct Node {
  std::string_view op;  ///< "leaf", or the op that produced the value (a string literal)
  Shape shape;          ///< every gradient arriving here has this shape
  DType dtype;
  std::vector<Edge> edges;  ///< empty on leaves
  JointDerivative joint;
  std::vector<int> joint_inputs;  ///< which input of the joint derivative each edge is
  int joint_count = 0;            ///< inputs the joint derivative has, wanted or not
  std::uint64_t version = 0;      ///< of the value's storage when it was recorded; not on leaves
  bool is_view = false;           ///< the value shares its storage with that of an input
  Tensor grad;                    ///< on leaves: what backward() has added up
  bool spent = false;             ///< its derivatives were used and dropped

  // Of the backward pass that last came here, and void in any other:
  std::uint64_t pass = 0;  ///< number of that pass
  int awaited = 0;         ///< gradients that have still to arrive
  Gradient sum;            ///< of those that have

  std::shared_ptr<Node> next_doomed;  ///< while a graph is destroyed: the next node to go

  Node(std::string_view name, const Shape& s, DType d) : op(name), shape(s), dtype(d) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();  ///< a loop, not a recursion: depth of the graph is not depth of the stack

  bool is_leaf() const { return edges.empty() && !spent; }
};

/// Whether ops on this thread record themselves.
bool is_recording();

/// Ends recording on this thread until the end of the scope.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

/// A tensor kept for the backward pass; may be undefined. Reading it after anyone wrote to its
/// storage is a GradError that names the op, never a silently wrong gradient.
class SavedTensor {
 public:
  explicit SavedTensor(const Tensor& tensor)
      : tensor_(tensor), version_(tensor.defined() ? tensor.storage().version() : 0) {}
  const Tensor& operator*() const { return get(); }
  const Tensor* operator->() const { return &get(); }

 private:
  const Tensor& get() const;

  Tensor tensor_;
  std::uint64_t version_;
};

inline SavedTensor saved(const Tensor& tensor) { return SavedTensor(tensor); }
inline SavedTensor saved(const Variable& variable) { return SavedTensor(variable.value()); }

/// An input of an op next to the derivative with respect to it.
template <class F>
struct WithRespectTo {
  const Variable& input;
  F derivative;
};

/// Names an input and its derivative, one of
///   [..](const Tensor& g) -> Tensor               returns dL/d(input)
///   [..](const Tensor& g, Gradient& sum) -> void  adds it to a running sum
template <class F>
WithRespectTo<F> wrt(const Variable& input, F derivative) {
  return {input, std::move(derivative)};
}

namespace graph {

std::shared_ptr<Node> make_node(std::string_view op, const Tensor& value, std::size_t inputs);

/// Readies `node`, the place of `value`, for an arrow to `input`. Throws GradError naming the op if
/// the input is the result of an op and was written to since: the graph knows nothing of the write,
/// so its gradients would be wrong.
void prepare(Node& node, const Tensor& value, const Variable& input);

template <class F>
void connect(Node& node, const Tensor& value, WithRespectTo<F>&& arrow) {
  if (!arrow.input.requires_grad()) return;
  prepare(node, value, arrow.input);
  if constexpr (std::is_invocable_v<F, const Tensor&, Gradient&>) {
    node.edges.push_back({arrow.input.node(), std::move(arrow.derivative)});
  } else {
    node.edges.push_back(
        {arrow.input.node(),
         [vjp = std::move(arrow.derivative)](const Tensor& g, Gradient& sum) { sum.add(vjp(g)); }});
  }
}

}  // namespace graph

/// Makes `value` the result of `op`: record("mul", y, wrt(a, da), wrt(b, db)). The one way into the
/// graph. Inputs that need no gradient are dropped together with all that their derivative
/// captured; if none is left, or NoGrad is active, the result is a plain value.
template <class... Fs>
Variable record(std::string_view op, Tensor value, WithRespectTo<Fs>... arrows) {
  if (graph::is_observed()) {
    const Variable* const inputs[] = {&arrows.input...};
    graph::tell_computed(op, value, inputs);
  }
  if (!is_recording() || !(arrows.input.requires_grad() || ...)) return Variable(std::move(value));
  std::shared_ptr<Node> node = graph::make_node(op, value, sizeof...(arrows));
  (graph::connect(*node, value, std::move(arrows)), ...);
  return Variable(std::move(value), std::move(node));
}

/// As record() for any number of inputs with derivatives of one type.
template <class F>
Variable record_each(std::string_view op, Tensor value, std::vector<WithRespectTo<F>> arrows) {
  if (graph::is_observed()) {
    std::vector<const Variable*> inputs;
    for (const auto& arrow : arrows) inputs.push_back(&arrow.input);
    graph::tell_computed(op, value, inputs);
  }
  bool wanted = false;
  for (const auto& arrow : arrows) wanted = wanted || arrow.input.requires_grad();
  if (!is_recording() || !wanted) return Variable(std::move(value));
  std::shared_ptr<Node> node = graph::make_node(op, value, arrows.size());
  for (auto& arrow : arrows) graph::connect(*node, value, std::move(arrow));
  return Variable(std::move(value), std::move(node));
}

/// As record() for ops whose inputs share work: one derivative for all of them,
///   [..](const Tensor& g, std::span<Gradient* const> sums) -> void
/// where sums[i] is null if inputs[i] needs no gradient.
template <class F>
Variable record_joint(std::string_view op, Tensor value,
                      std::initializer_list<const Variable*> inputs, F derivative) {
  if (graph::is_observed()) graph::tell_computed(op, value, {inputs.begin(), inputs.size()});
  bool wanted = false;
  for (const Variable* input : inputs) wanted = wanted || input->requires_grad();
  if (!is_recording() || !wanted) return Variable(std::move(value));
  std::shared_ptr<Node> node = graph::make_node(op, value, inputs.size());
  for (const Variable* input : inputs) {
    if (input->requires_grad()) {
      graph::prepare(*node, value, *input);
      node->edges.push_back({input->node(), nullptr});
      node->joint_inputs.push_back(node->joint_count);
    }
    ++node->joint_count;
  }
  node->joint = std::move(derivative);
  return Variable(std::move(value), std::move(node));
}

struct BackwardOptions {
  /// Keeps the derivatives, so that backward() may run over the same graph again.
  bool retain_graph = false;
};

/// Adds dL/d(leaf) to the gradient of every leaf that `loss` depends on, given seed = dL/d(loss).
///
/// A derivative is dropped as soon as it has been used, so what it held leaves memory during the
/// pass; a second pass over the same graph is a GradError unless `retain_graph` was asked for.
/// Threads may run passes at the same time over graphs that have no node, and so no leaf, in
/// common. Throws: GradError if nothing requires a gradient, the graph was used up (no gradient is
/// changed
///         then), or a saved value was written to; ShapeError, DTypeError if seed does not fit.
void backward(const Variable& loss, const Tensor& seed, BackwardOptions options = {});
/// As above with seed 1. Throws: ShapeError unless loss has one element.
void backward(const Variable& loss, BackwardOptions options = {});

}  // namespace lectern
