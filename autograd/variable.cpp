#include "autograd/variable.h"

namespace lectern {

Variable::Variable(Tensor value, bool requires_grad) : value_(std::move(value)) {
  if (!requires_grad) return;
  require<ValueError>(value_.defined(), "Variable: value is undefined; it can require no gradient");
  require<DTypeError>(is_floating(value_.dtype()),
                      "Variable: value is {}; only f32 and f64 can require a gradient",
                      value_.dtype());
  node_ = std::make_shared<Node>("leaf", value_.shape(), value_.dtype());
}

Variable::Variable(Tensor value, std::shared_ptr<Node> node)
    : value_(std::move(value)), node_(std::move(node)) {}

bool Variable::has_grad() const { return node_ != nullptr && node_->grad.defined(); }

const Tensor& Variable::grad() const {
  require<GradError>(has_grad(), "grad: no gradient has reached this variable of shape {}",
                     shape());
  return node_->grad;
}

void Variable::set_grad(Tensor grad) {
  require<GradError>(node_ != nullptr && node_->is_leaf(),
                     "set_grad: this variable of shape {} is no leaf that requires a gradient",
                     shape());
  require<ValueError>(grad.defined(), "set_grad: grad is undefined");
  require<ShapeError>(grad.shape() == shape(), "set_grad: shapes differ: grad is {}, value is {}",
                      grad.shape(), shape());
  require<DTypeError>(grad.dtype() == dtype(), "set_grad: dtypes differ: grad is {}, value is {}",
                      grad.dtype(), dtype());
  Gradient kept;
  kept.add(std::move(grad));
  node_->grad = kept.take_unshared();
}

void Variable::zero_grad() {
  if (node_ != nullptr) node_->grad = Tensor();
}

}  // namespace lectern
