#include <atomic>

#include "autograd/variable.h"
#include "tensor/elementwise.h"

namespace lectern {
namespace {

thread_local bool recording = true;
thread_local std::string_view op_running;  // whose derivative it is
std::atomic<std::uint64_t> passes_begun = 0;

}  // namespace

bool is_recording() { return recording; }
NoGrad::NoGrad() : before_(std::exchange(recording, false)) {}
NoGrad::~NoGrad() { recording = before_; }

std::string_view op_in_backward() { return op_running; }

const Tensor& SavedTensor::get() const {
  require<GradError>(!tensor_.defined() || tensor_.storage().version() == version_,
                     "backward of {}: a saved {} of shape {} was written to after it was used; "
                     "compute from a clone, or write before the use",
                     op_in_backward(), tensor_.dtype(), tensor_.shape());
  return tensor_;
}

Node::~Node() {
  std::shared_ptr<Node> doomed;  // nodes of which nobody else holds a handle, linked by next_doomed
  const auto let_go = [&doomed](std::vector<Edge>& arrows) {
    for (Edge& arrow : arrows) {
      const std::shared_ptr<Node> input = std::move(arrow.input);
      if (input.use_count() > 1) continue;
      input->next_doomed = std::move(doomed);
      doomed = input;
    }
    arrows.clear();
  };
  let_go(edges);
  while (doomed != nullptr) {
    const std::shared_ptr<Node> node = std::exchange(doomed, std::move(doomed->next_doomed));
    let_go(node->edges);
  }
}

std::shared_ptr<Node> graph::make_node(std::string_view op, const Tensor& value,
                                       std::size_t inputs) {
  require<ValueError>(value.defined(), "{}: the result is undefined", op);
  auto node = std::make_shared<Node>(op, value.shape(), value.dtype());
  node->edges.reserve(inputs);
  node->version = value.storage().version();
  return node;
}

void graph::prepare(Node& node, const Tensor& value, const Variable& input) {
  const Node& from = *input.node();
  require<GradError>(from.is_leaf() || from.version == input.value().storage().version(),
                     "{}: an input, the result of {} of shape {}, was written to after it was "
                     "recorded; a write has no gradient: write to a clone",
                     node.op, from.op, from.shape);
  if (value.storage() == input.value().storage()) node.is_view = true;
}

namespace {

/// One backward pass: a walk over the nodes that the loss depends on, each when all of its
/// gradients have arrived (Kahn, 1962). What it notes on a node is void once another pass begins,
/// so a pass that fails leaves nothing to tidy up but the memory of the sums.
class Pass {
 public:
  Pass(const std::shared_ptr<Node>& root, BackwardOptions options)
      : options_(options), number_(++passes_begun) {
    count_arrows(*root);
  }
  ~Pass() {
    op_running = {};
    for (const std::shared_ptr<Node>& leaf : leaves_) leaf->sum = Gradient();
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  void run(const std::shared_ptr<Node>& root, const Tensor& seed) {
    root->sum.add(seed);
    ready_.push_back(root);
    while (!ready_.empty()) {
      const std::shared_ptr<Node> node = std::move(ready_.back());
      ready_.pop_back();
      if (node->is_leaf()) {
        leaves_.push_back(node);
        if (!node->sum.empty()) graph::tell_arrived(*node, node->sum.value());
      } else {
        visit(*node);
      }
    }
    for (const std::shared_ptr<Node>& leaf : leaves_) deliver(*leaf);
  }

 private:
  /// Sets `awaited` of all nodes that `root` depends on to the number of arrows into them. Throws
  /// GradError if the derivatives of one of them are gone.
  void count_arrows(Node& root) {
    root.pass = number_;
    root.awaited = 0;
    root.sum = Gradient();
    std::vector<Node*> stack{&root};
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      require<GradError>(!node->spent,
                         "backward: the graph through {} of shape {} was used by an earlier "
                         "backward and given up; pass {{.retain_graph = true}} to the first one",
                         node->op, node->shape);
      for (const Edge& edge : node->edges) {
        Node& input = *edge.input;
        if (input.pass != number_) {
          input.pass = number_;
          input.awaited = 0;
          input.sum = Gradient();
          stack.push_back(&input);
        }
        ++input.awaited;
      }
    }
  }

  /// Sends the gradient that arrived at `node` on to its inputs.
  void visit(Node& node) {
    const Tensor g = node.sum.take();
    if (g.defined()) {  // else nothing was added on the way here
      op_running = node.op;
      graph::tell_arrived(node, g);
      differentiate(node, g);
      graph::tell_sent(node, g);
    }
    for (Edge& edge : node.edges) {
      if (--edge.input->awaited == 0) ready_.push_back(edge.input);
    }
    if (!options_.retain_graph) {
      node.edges.clear();  // what only this pass still held leaves memory now
      node.joint = nullptr;
      node.spent = true;
    }
  }

  static void differentiate(const Node& node, const Tensor& g) {
    if (node.joint) {
      std::vector<Gradient*> wanted(static_cast<std::size_t>(node.joint_count), nullptr);
      for (std::size_t i = 0; i < node.edges.size(); ++i) {
        wanted[static_cast<std::size_t>(node.joint_inputs[i])] = &node.edges[i].input->sum;
      }
      node.joint(g, wanted);
    }
    for (const Edge& edge : node.edges) {
      const Node& input = *edge.input;
      if (edge.derivative) edge.derivative(g, edge.input->sum);
      if (!input.sum.empty()) require_gradient_fits(input.sum.value(), input.shape, input.dtype);
    }
  }

  /// Adds what has arrived at the leaf to its gradient. Only at the end, so that a pass that fails
  /// has changed no gradient.
  static void deliver(Node& leaf) {
    if (leaf.sum.empty()) return;
    if (leaf.grad.defined()) {
      Gradient total;
      total.add(std::move(leaf.grad));
      total.add(leaf.sum.take());
      leaf.grad = total.take_unshared();
    } else {
      leaf.grad = leaf.sum.take_unshared();
    }
  }

  BackwardOptions options_;
  std::uint64_t number_;
  std::vector<std::shared_ptr<Node>> ready_;
  std::vector<std::shared_ptr<Node>> leaves_;
};

}  // namespace

void backward(const Variable& loss, const Tensor& seed, BackwardOptions options) {
  require<GradError>(loss.requires_grad(),
                     "backward: loss of shape {} depends on nothing that requires a gradient",
                     loss.shape());
  require<ValueError>(seed.defined(), "backward: seed is undefined");
  require<ShapeError>(seed.shape() == loss.shape(),
                      "backward: shapes differ: seed is {}, loss is {}", seed.shape(),
                      loss.shape());
  require<DTypeError>(seed.dtype() == loss.dtype(),
                      "backward: dtypes differ: seed is {}, loss is {}", seed.dtype(),
                      loss.dtype());
  const NoGrad guard;
  Pass(loss.node(), options).run(loss.node(), seed);
}

void backward(const Variable& loss, BackwardOptions options) {
  require<ShapeError>(loss.value().numel() == 1,
                      "backward: loss has shape {}; without a seed it must have one element",
                      loss.shape());
  backward(loss, Tensor::ones(loss.shape(), loss.dtype()), options);
}

}  // namespace lectern
