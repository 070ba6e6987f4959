#include <unordered_map>

#include "autograd/variable.h"
#include "tensor/elementwise.h"

namespace lectern {
namespace {

thread_local bool recording = true;
thread_local std::string_view differentiating;  // op whose derivative is running

}  // namespace

bool is_recording() { return recording; }
NoGrad::NoGrad() : before_(std::exchange(recording, false)) {}
NoGrad::~NoGrad() { recording = before_; }

const Tensor& SavedTensor::get() const {
  require<GradError>(tensor_.storage().version() == version_,
                     "backward of {}: a saved {} of shape {} was written to after it was used; "
                     "compute from a clone, or write before the use",
                     differentiating, tensor_.dtype(), tensor_.shape());
  return tensor_;
}

Node::~Node() {
  std::vector<Edge> pending = std::move(edges);
  while (!pending.empty()) {
    const Edge edge = std::move(pending.back());
    pending.pop_back();
    if (edge.input.use_count() == 1) {  // the last handle: adopt its edges before it dies
      std::ranges::move(edge.input->edges, std::back_inserter(pending));
      edge.input->edges.clear();
    }
  }
}

std::shared_ptr<Node> graph::make_node(std::string_view op, const Tensor& value,
                                       std::size_t inputs) {
  auto node = std::make_shared<Node>(op, value.shape(), value.dtype());
  node->edges.reserve(inputs);
  return node;
}

namespace {

/// Nodes that `root` depends on, each before all of its inputs (Kahn, 1962). Throws GradError if
/// the derivatives of one of them are gone.
std::vector<std::shared_ptr<Node>> consumers_first(const std::shared_ptr<Node>& root) {
  std::unordered_map<Node*, int> consumers;  // arrows into a node that are not yet followed
  std::vector<Node*> stack{root.get()};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    require<GradError>(!node->spent,
                       "backward: the graph through {} of shape {} was used by an earlier backward "
                       "and given up; pass {{.retain_graph = true}} to the first one",
                       node->op, node->shape);
    for (const Edge& edge : node->edges) {
      if (consumers[edge.input.get()]++ == 0) stack.push_back(edge.input.get());
    }
  }
  std::vector<std::shared_ptr<Node>> order{root};
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const Edge& edge : order[next]->edges) {
      if (--consumers[edge.input.get()] == 0) order.push_back(edge.input);
    }
  }
  return order;
}

class Pass {
 public:
  Pass(const std::shared_ptr<Node>& root, const Tensor& seed, BackwardOptions options)
      : options_(options) {
    sums_[root.get()].add(seed);
  }

  /// Sends the gradient that arrived at `node` on to its inputs. Leaves keep theirs until finish().
  void visit(Node& node) {
    const auto found = sums_.extract(&node);
    if (found.empty() || found.mapped().empty()) return;  // nothing was added on the way here
    const Tensor g = found.mapped().take();
    differentiating = node.op;
    if (node.joint) {
      run_joint(node, g);
    } else {
      for (const Edge& edge : node.edges) {
        Gradient& sum = sums_[edge.input.get()];
        edge.derivative(g, sum);
        check(node, *edge.input, sum);
      }
    }
    if (!options_.retain_graph) {
      node.edges.clear();
      node.joint = nullptr;
      node.spent = true;
    }
  }

  /// Adds what has arrived at the leaves to their gradients. Only now, so that a pass that fails
  /// has changed nothing.
  void finish(std::span<const std::shared_ptr<Node>> leaves) {
    for (const std::shared_ptr<Node>& leaf : leaves) {
      Gradient& sum = sums_[leaf.get()];
      if (sum.empty()) continue;
      if (leaf->grad.defined()) {
        Gradient total;
        total.add(std::move(leaf->grad));
        total.add(sum.take());
        leaf->grad = total.take_unshared();
      } else {
        leaf->grad = sum.take_unshared();
      }
    }
  }

 private:
  void run_joint(Node& node, const Tensor& g) {
    std::vector<Gradient*> wanted(static_cast<std::size_t>(node.joint_count), nullptr);
    for (const Edge& edge : node.edges) sums_[edge.input.get()];  // made before pointers are taken
    for (std::size_t i = 0; i < node.edges.size(); ++i) {
      wanted[static_cast<std::size_t>(node.joint_inputs[i])] = &sums_[node.edges[i].input.get()];
    }
    node.joint(g, wanted);
    for (const Edge& edge : node.edges) check(node, *edge.input, sums_[edge.input.get()]);
  }

  static void check(const Node& from, const Node& input, const Gradient& sum) {
    if (sum.empty()) return;
    require<GradError>(sum.value().shape() == input.shape && sum.value().dtype() == input.dtype,
                       "backward of {}: gradient is {} {}, but the input it belongs to is {} {}",
                       from.op, sum.value().dtype(), sum.value().shape(), input.dtype, input.shape);
  }

  BackwardOptions options_;
  std::unordered_map<Node*, Gradient> sums_;
};

}  // namespace

void backward(const Variable& loss, const Tensor& seed, BackwardOptions options) {
  require<GradError>(loss.requires_grad(),
                     "backward: loss of shape {} depends on nothing that requires a gradient",
                     loss.shape());
  require<ShapeError>(seed.shape() == loss.shape(),
                      "backward: shapes differ: seed is {}, loss is {}", seed.shape(),
                      loss.shape());
  require<DTypeError>(seed.dtype() == loss.dtype(),
                      "backward: dtypes differ: seed is {}, loss is {}", seed.dtype(),
                      loss.dtype());
  const NoGrad guard;
  std::vector<std::shared_ptr<Node>> order = consumers_first(loss.node());
  Pass pass(loss.node(), seed, options);
  std::vector<std::shared_ptr<Node>> leaves;
  for (std::shared_ptr<Node>& node : order) {
    if (node->is_leaf()) {
      leaves.push_back(std::move(node));
    } else {
      pass.visit(*node);
      node.reset();  // what only this pass still held leaves memory now
    }
  }
  pass.finish(leaves);
}

void backward(const Variable& loss, BackwardOptions options) {
  require<ShapeError>(loss.value().numel() == 1,
                      "backward: loss has shape {}; without a seed it must have one element",
                      loss.shape());
  backward(loss, Tensor::ones(loss.shape(), loss.dtype()), options);
}

}  // namespace lectern
