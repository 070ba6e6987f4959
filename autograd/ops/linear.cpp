#include "autograd/ops/linear.h"

#include "tensor/broadcast.h"
#include "tensor/matmul.h"
#include "tensor/views.h"

namespace lectern {
namespace {

Tensor as_rows(const Tensor& x) { return x.rank() == 1 ? unsqueeze(x, 0) : x; }  // [..., T, width]

}  // namespace

// y = x Wᵀ + b        dx = g W        dW = gᵀ x        db = g        (dW, db summed over all rows)
Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  const auto dx = [w = saved(weight), shape = x.shape()](const Tensor& g, Gradient& sum) {
    const auto [out, accumulate] = sum.target(shape, g.dtype());
    matmul_into(as_rows(out), as_rows(g), *w, accumulate);
  };
  const auto dw = [x = saved(x), shape = weight.shape()](const Tensor& g, Gradient& sum) {
    const auto [out, accumulate] = sum.target(shape, g.dtype());
    matmul_into(out, transpose(as_rows(g), -2, -1), as_rows(*x), accumulate);
  };
  const auto db = [](const Tensor& g) { return sum_to(g, {g.shape()[-1]}); };
  return record("linear", linear(x.value(), weight.value(), bias.value()), wrt(x, dx),
                wrt(weight, dw), wrt(bias, db));
}

}  // namespace lectern
