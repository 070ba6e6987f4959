#include "nn/linear.h"

#include <cmath>

#include "autograd/ops/linear.h"

namespace lectern::nn {
namespace {

Shape checked_shape(std::int64_t in, std::int64_t out) {
  require<ShapeError>(in > 0 && out > 0, "Linear: in is {}, out is {}; both must be positive", in,
                      out);
  return {out, in};
}

Tensor uniform_weight(const Shape& shape, Rng& rng, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(shape[1]));
  return rng.uniform(shape, -bound, bound, dtype);
}

}  // namespace

Linear::Linear(std::int64_t in, std::int64_t out, Rng& rng, Options options)
    : weight_(uniform_weight(checked_shape(in, out), rng, options.dtype), /*requires_grad=*/true) {
  if (options.bias) bias_ = Parameter(Tensor::zeros({out}, options.dtype), /*requires_grad=*/true);
}

Variable Linear::operator()(const Variable& x) const {
  require<ShapeError>(x.rank() >= 1 && x.shape()[-1] == weight_.shape()[1],
                      "Linear: x is {}, weight is {}; x.shape[-1] must equal in = {}", x.shape(),
                      weight_.shape(), weight_.shape()[1]);
  return bias_.defined() ? linear(x, weight_, bias_) : linear(x, weight_);
}

void Linear::describe(Members& members) {
  members("weight", weight_);
  if (bias_.defined()) members("bias", bias_);
}

}  // namespace lectern::nn
