#include "nn/feed_forward.h"

#include "autograd/ops/activation.h"
#include "autograd/ops/linear.h"
#include "nn/init.h"

namespace lectern::nn {
namespace {

Linear xavier_linear(std::int64_t in, std::int64_t out, Rng& rng, DType dtype) {
  require<ShapeError>(in > 0 && out > 0,
                      "FeedForward: width is {}, inner is {}; both must be positive", in, out);
  return {Parameter(xavier_uniform({out, in}, rng, dtype), /*requires_grad=*/true),
          Parameter(Tensor::zeros({out}, dtype), /*requires_grad=*/true)};
}

}  // namespace

FeedForward::FeedForward(std::int64_t width, std::int64_t inner, Rng& rng, Options options)
    : dropout_(options.dropout, rng),
      linear1_(xavier_linear(width, inner, rng, options.dtype)),
      linear2_(xavier_linear(inner, width, rng, options.dtype)),
      activation_(options.activation) {}

Variable FeedForward::operator()(const Variable& x) const {
  const Parameter &weight = linear1_.weight(), &bias = linear1_.bias();
  const std::int64_t width = weight.shape()[1];
  require<ShapeError>(x.rank() > 0 && x.shape()[-1] == width,
                      "FeedForward: x is {}; x.shape[-1] must equal width = {}", x.shape(), width);
  const Variable h = activation_ == Activation::relu
                         ? linear_relu(x, weight, bias, dropout_.p(), dropout_.rng(), training())
                         : dropout_(gelu(linear1_(x)));  // [..., F]
  return linear2_(h);
}

void FeedForward::describe(Members& members) {
  members("linear1", linear1_);
  members("linear2", linear2_);
  members("", dropout_);  // has no parameters, only a mode
}

}  // namespace lectern::nn
