#include "nn/normalization.h"

#include "autograd/ops/normalization.h"

namespace lectern::nn {
namespace {

std::int64_t checked_width(std::string_view module, std::int64_t width) {
  require<ShapeError>(width > 0, "{}: width is {}; it must be positive", module, width);
  return width;
}

}  // namespace

LayerNorm::LayerNorm(std::int64_t width, double eps, DType dtype)
    : weight_(Tensor::ones({checked_width("LayerNorm", width)}, dtype), /*requires_grad=*/true),
      bias_(Tensor::zeros({width}, dtype), /*requires_grad=*/true),
      eps_(eps) {}

Variable LayerNorm::operator()(const Variable& x) const {
  return layer_norm(x, weight_, bias_, eps_);
}

void LayerNorm::describe(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

RMSNorm::RMSNorm(std::int64_t width, double eps, DType dtype)
    : weight_(Tensor::ones({checked_width("RMSNorm", width)}, dtype), /*requires_grad=*/true),
      eps_(eps) {}

Variable RMSNorm::operator()(const Variable& x) const { return rms_norm(x, weight_, eps_); }

}  // namespace lectern::nn
