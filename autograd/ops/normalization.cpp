#include "autograd/ops/normalization.h"

#include <optional>

#include "tensor/kernels/layer_norm.h"
#include "tensor/threads.h"

namespace lectern {
namespace {

using kernels::Rows;

Rows rows_of(std::string_view op, const Variable& x) {
  require_floating(op, x.dtype());
  require<ShapeError>(x.rank() >= 1, "{}: x is a scalar; it must be [..., E]", op);
  const std::int64_t width = x.shape()[-1];
  return {.count = width == 0 ? 0 : x.value().numel() / width, .width = width};
}

/// Checks a gain or offset, if there is one.
void require_width(std::string_view op, std::string_view operand, const Variable& x,
                   const Variable& p) {
  if (!p.defined()) return;
  require<ShapeError>(p.shape() == Shape({x.shape()[-1]}),
                      "{}: widths differ: x is {}, {} is {}; {} must be [x.shape[-1]] = [{}]", op,
                      x.shape(), operand, p.shape(), operand, x.shape()[-1]);
  require<DTypeError>(p.dtype() == x.dtype(), "{}: dtypes differ: x is {}, {} is {}", op, x.dtype(),
                      operand, p.dtype());
}

/// Dense elements of an optional operand, null where there is none.
template <class T>
const T* elements(const Tensor& x) {
  return x.defined() ? x.origin<T>() : nullptr;
}

Tensor dense_if_any(const Variable& p) { return p.defined() ? p.value().contiguous() : Tensor(); }

std::optional<SavedTensor> saved_if_any(const Tensor& x) {
  return x.defined() ? std::optional(saved(x)) : std::nullopt;
}

/// A gradient that the kernel writes as a whole, for an input that wants one.
class Part {
 public:
  Part(Gradient* sum, const Shape& shape, DType dtype) : sum_(sum) {
    if (sum_ != nullptr) dx_ = Tensor::empty(shape, dtype);
  }
  template <class T>
  T* out() {
    return sum_ == nullptr ? nullptr : dx_.mutable_origin<T>();
  }
  void deliver() {
    if (sum_ != nullptr) sum_->add(std::move(dx_));
  }

 private:
  Gradient* sum_;
  Tensor dx_;
};

/// What both norms keep of their forward pass.
struct Saved {
  SavedTensor x;
  std::optional<SavedTensor> gamma;
  Tensor mean, rstd;  ///< f64 [rows]; rms_norm has no mean
  Rows rows;
};

template <class T>
const T* gamma_of(const Saved& s) {
  return s.gamma ? (**s.gamma).origin<T>() : nullptr;
}

Storage scratch_for(Rows rows) { return Storage(kernels::norm_scratch_bytes(rows)); }

}  // namespace

// x̂ = (x - mean) / sqrt(var + eps)        y = x̂ γ + β
// h = g γ        dx = (h - average(h) - x̂ average(h x̂)) / sqrt(var + eps)
// dγ = sum of g x̂        dβ = sum of g        (over all rows)
Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta, double eps) {
  const Rows rows = rows_of("layer_norm", x);
  require_width("layer_norm", "gamma", x, gamma);
  require_width("layer_norm", "beta", x, beta);
  const Tensor dense_x = x.value().contiguous();
  const Tensor dense_gamma = dense_if_any(gamma);
  const Tensor dense_beta = dense_if_any(beta);
  Tensor y = Tensor::empty_like(dense_x);
  Tensor mean = Tensor::empty({rows.count}, DType::f64);
  Tensor rstd = Tensor::empty({rows.count}, DType::f64);
  visit_floating("layer_norm", x.dtype(), [&]<class T>() {
    kernels::layer_norm(dense_x.origin<T>(), elements<T>(dense_gamma), elements<T>(dense_beta), eps,
                        y.mutable_origin<T>(), mean.mutable_origin<double>(),
                        rstd.mutable_origin<double>(), rows, num_threads());
  });
  return record_joint("layer_norm", y, {&x, &gamma, &beta},
                      [s = Saved{saved(dense_x), saved_if_any(dense_gamma), mean, rstd, rows}](
                          const Tensor& grad, std::span<Gradient* const> sums) {
                        const Tensor g = grad.contiguous();
                        Part dx(sums[0], g.shape(), g.dtype());
                        Part dgamma(sums[1], {s.rows.width}, g.dtype());
                        Part dbeta(sums[2], {s.rows.width}, g.dtype());
                        Storage scratch = scratch_for(s.rows);
                        visit_floating("layer_norm", g.dtype(), [&]<class T>() {
                          kernels::layer_norm_vjp(
                              s.x->origin<T>(), gamma_of<T>(s), s.mean.origin<double>(),
                              s.rstd.origin<double>(), g.origin<T>(), dx.out<T>(), dgamma.out<T>(),
                              dbeta.out<T>(), s.rows, scratch.mutable_data(), num_threads());
                        });
                        dx.deliver();
                        dgamma.deliver();
                        dbeta.deliver();
                      });
}

Variable layer_norm(const Variable& x, double eps) {
  return layer_norm(x, Variable(), Variable(), eps);
}

// x̂ = x / sqrt(average(x²) + eps)        y = x̂ γ
// h = g γ        dx = (h - x̂ average(h x̂)) / sqrt(average(x²) + eps)        dγ = sum of g x̂
Variable rms_norm(const Variable& x, const Variable& gamma, double eps) {
  const Rows rows = rows_of("rms_norm", x);
  require_width("rms_norm", "gamma", x, gamma);
  const Tensor dense_x = x.value().contiguous();
  const Tensor dense_gamma = dense_if_any(gamma);
  Tensor y = Tensor::empty_like(dense_x);
  Tensor rstd = Tensor::empty({rows.count}, DType::f64);
  visit_floating("rms_norm", x.dtype(), [&]<class T>() {
    kernels::rms_norm(dense_x.origin<T>(), elements<T>(dense_gamma), eps, y.mutable_origin<T>(),
                      rstd.mutable_origin<double>(), rows, num_threads());
  });
  return record_joint("rms_norm", y, {&x, &gamma},
                      [s = Saved{saved(dense_x), saved_if_any(dense_gamma), {}, rstd, rows}](
                          const Tensor& grad, std::span<Gradient* const> sums) {
                        const Tensor g = grad.contiguous();
                        Part dx(sums[0], g.shape(), g.dtype());
                        Part dgamma(sums[1], {s.rows.width}, g.dtype());
                        Storage scratch = scratch_for(s.rows);
                        visit_floating("rms_norm", g.dtype(), [&]<class T>() {
                          kernels::rms_norm_vjp(s.x->origin<T>(), gamma_of<T>(s),
                                                s.rstd.origin<double>(), g.origin<T>(), dx.out<T>(),
                                                dgamma.out<T>(), s.rows, scratch.mutable_data(),
                                                num_threads());
                        });
                        dx.deliver();
                        dgamma.deliver();
                      });
}

Variable rms_norm(const Variable& x, double eps) { return rms_norm(x, Variable(), eps); }

}  // namespace lectern
