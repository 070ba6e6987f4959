#include "autograd/ops/linear.h"

#include "tensor/broadcast.h"
#include "tensor/kernels/random.h"
#include "tensor/map.h"
#include "tensor/matmul.h"
#include "tensor/views.h"

namespace lectern {
namespace {

Tensor as_rows(const Tensor& x) { return x.rank() == 1 ? unsqueeze(x, 0) : x; }  // [..., T, width]

// y = x Wᵀ + b        dx = g W        dW = gᵀ x        db = g        (dW, db summed over all rows)

void add_input_gradient(const Tensor& g, const Tensor& weight, const Shape& shape, Gradient& sum) {
  const auto [out, accumulate] = sum.target(shape, g.dtype());
  matmul_into(as_rows(out), as_rows(g), weight, accumulate);
}

void add_weight_gradient(const Tensor& g, const Tensor& x, const Shape& shape, Gradient& sum) {
  const auto [out, accumulate] = sum.target(shape, g.dtype());
  matmul_into(out, transpose(as_rows(g), -2, -1), as_rows(x), accumulate);
}

Tensor bias_gradient(const Tensor& g) { return sum_to(g, {g.shape()[-1]}); }

}  // namespace

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  const auto dx = [w = saved(weight), shape = x.shape()](const Tensor& g, Gradient& sum) {
    add_input_gradient(g, *w, shape, sum);
  };
  const auto dw = [x = saved(x), shape = weight.shape()](const Tensor& g, Gradient& sum) {
    add_weight_gradient(g, *x, shape, sum);
  };
  return record("linear", linear(x.value(), weight.value(), bias.value()), wrt(x, dx),
                wrt(weight, dw), wrt(bias, bias_gradient));
}

namespace {

// h = max(z, 0) s where kept, 0 where dropped, with z = x Wᵀ + b and s = 1 / (1 − p)
//
// dz = g s where h > 0, else 0; the rest as in linear
Variable record_linear_relu(const Variable& x, const Variable& weight, const Variable& bias,
                            const Tensor& h, double scale) {
  const auto derivative = [x = saved(x), w = saved(weight), h = saved(h), x_shape = x.shape(),
                           w_shape = weight.shape(),
                           scale](const Tensor& g, std::span<Gradient* const> sums) {
    const Tensor dz = visit_floating("linear_relu", g.dtype(), [&]<class T>() {
      const auto f = [s = static_cast<T>(scale)](kernels::Vector<T> gi, kernels::Vector<T> hi) {
        return hi > T{0} ? gi * s : kernels::Vector<T>{};
      };
      return map_registers<T>(g, *h, f);
    });
    if (sums[0] != nullptr) add_input_gradient(dz, *w, x_shape, *sums[0]);
    if (sums[1] != nullptr) add_weight_gradient(dz, *x, w_shape, *sums[1]);
    if (sums[2] != nullptr) sums[2]->add(bias_gradient(dz));
  };
  return record_joint("linear_relu", h, {&x, &weight, &bias}, derivative);
}

}  // namespace

Variable linear_relu(const Variable& x, const Variable& weight, const Variable& bias) {
  return record_linear_relu(x, weight, bias, linear_relu(x.value(), weight.value(), bias.value()),
                            /*scale=*/1);
}

Variable linear_relu(const Variable& x, const Variable& weight, const Variable& bias, double p,
                     Rng& rng, bool training) {
  reserve_dropout("linear_relu", p, 0, rng);  // checks p before anything is computed
  if (!training || p == 0) return linear_relu(x, weight, bias);
  Tensor h = linear_relu(x.value(), weight.value(), bias.value());
  const kernels::PhiloxDropout mask = reserve_dropout("linear_relu", p, h.numel(), rng);
  visit_floating("linear_relu", h.dtype(), [&]<class T>() {
    kernels::dropout(mask, h.numel(), h.origin<T>(), h.mutable_origin<T>(), threads_for(h.numel()));
  });
  return record_linear_relu(x, weight, bias, h, mask.kept_scale());
}

}  // namespace lectern
