#include "nn/position_influence.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_set>
#include <utility>

#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/pointwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace lectern::nn {

void PositionInfluence::set_from(std::int64_t from, const Tensor& change) {
  const Tensor largest = max(abs(change), -1).to(DType::f64);  // [B, T]
  for (std::int64_t to = 0; to < positions_; ++to) {
    strength_[at(to, from)] = largest.origin<double>()[to];
  }
}

void PositionInfluence::set_to(std::int64_t to, const Tensor& gradient) {
  const Tensor largest = max(abs(gradient), -1).to(DType::f64);  // [B, T]
  for (std::int64_t from = 0; from < positions_; ++from) {
    strength_[at(to, from)] = largest.origin<double>()[from];
  }
}

void PositionInfluence::divide_by(double scale) {
  for (double& strength : strength_) strength = scale > 0 ? strength / scale : 0;
}

double PositionInfluence::largest() const { return *std::ranges::max_element(strength_); }

namespace {

/// The part of x that belongs to position `number`, a view.
Tensor position(const Tensor& x, std::int64_t number) {
  const std::int64_t length = x.shape()[1];
  return select(select(x, 0, number / length), 0, number % length);
}

/// Takes the gradients of all leaves behind `result` away, and gives them back at the end of the
/// scope: backward() reaches parameters too.
class GradientsKept {
 public:
  explicit GradientsKept(const Variable& result) {
    std::vector<std::shared_ptr<Node>> found{result.node()};
    std::unordered_set<const Node*> seen{result.node().get()};
    while (!found.empty()) {
      const std::shared_ptr<Node> node = std::move(found.back());
      found.pop_back();
      if (node->is_leaf()) kept_.emplace_back(node, std::exchange(node->grad, Tensor()));
      for (const Edge& edge : node->edges) {
        if (seen.insert(edge.input.get()).second) found.push_back(edge.input);
      }
    }
  }
  ~GradientsKept() {
    for (auto& [leaf, gradient] : kept_) leaf->grad = std::move(gradient);
  }
  GradientsKept(const GradientsKept&) = delete;
  GradientsKept& operator=(const GradientsKept&) = delete;

 private:
  std::vector<std::pair<std::shared_ptr<Node>, Tensor>> kept_;
};

}  // namespace

PositionInfluence influence_by_change(const std::function<Tensor(const Tensor& x)>& f,
                                      const Tensor& x, const Tensor& y,
                                      const std::function<void(Tensor& position)>& change) {
  const std::int64_t positions = x.shape()[0] * x.shape()[1];
  PositionInfluence influence(positions);
  for (std::int64_t from = 0; from < positions; ++from) {
    Tensor changed = x.clone();
    Tensor place = position(changed, from);
    change(place);
    influence.set_from(from, f(changed) - y);
  }
  const double scale = max(abs(y)).item();
  influence.divide_by(scale > 0 ? scale : influence.largest());
  return influence;
}

PositionInfluence influence_by_gradient(std::string_view op,
                                        const std::function<Variable(const Variable& x)>& f,
                                        const Tensor& x) {
  const std::int64_t positions = x.shape()[0] * x.shape()[1];
  PositionInfluence influence(positions);
  Variable input(x, /*requires_grad=*/true);
  const Variable result = f(input);
  if (!result.requires_grad()) return influence;
  const GradientsKept guard(result);
  const Tensor direction = Rng(2).normal(result.shape(), result.dtype());
  for (std::int64_t to = 0; to < positions; ++to) {
    Tensor seed = Tensor::zeros_like(direction);
    Tensor place = position(seed, to);
    place.copy_from(position(direction, to));
    input.zero_grad();
    backward(result, seed, {.retain_graph = true});
    if (!input.has_grad()) continue;
    require_finite(op, input.grad(), "the gradient of x");
    influence.set_to(to, input.grad());
  }
  influence.divide_by(influence.largest());
  return influence;
}

void require_finite(std::string_view op, const Tensor& x, std::string_view what) {
  const Tensor at = nonzero(logical_not(isfinite(x)));  // [number of them, rank]
  if (at.shape()[0] == 0) return;
  const Shape first(at.data<std::int64_t>().first(static_cast<std::size_t>(x.rank())));
  Tensor element = x;
  for (const std::int64_t index : first) element = select(element, 0, index);
  const std::string value = std::isnan(element.item()) ? "nan" : fmt::format("{}", element.item());
  fail<ValueError>("{}: {} is not finite: at {} it is {}", op, what, first, value);
}

}  // namespace lectern::nn
