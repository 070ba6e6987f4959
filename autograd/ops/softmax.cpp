#include "autograd/ops/softmax.h"

#include <limits>

#include "tensor/kernels/softmax.h"
#include "tensor/map.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern {
namespace {

using kernels::AxisView;

AxisView axis_view(std::string_view op, const Shape& shape, int axis) {
  const int at = normalize_axis(op, axis, shape);
  AxisView view{.outer = 1, .extent = shape[at], .inner = 1};
  for (int a = 0; a < at; ++a) view.outer *= shape[a];
  for (int a = at + 1; a < shape.rank(); ++a) view.inner *= shape[a];
  return view;
}

/// softmax of a dense x.
Tensor forward(const Tensor& x, AxisView view, kernels::EmptySlice empty) {
  Tensor y = Tensor::empty_like(x);
  if (y.numel() == 0) return y;
  visit_floating("softmax", x.dtype(), [&]<class T>() {
    kernels::softmax(x.origin<T>(), y.mutable_origin<T>(), view, num_threads(), empty);
  });
  return y;
}

Tensor backward_of(const Tensor& y, const Tensor& grad, AxisView view) {
  const Tensor g = grad.contiguous();
  Tensor dx = Tensor::empty_like(y);
  if (dx.numel() == 0) return dx;
  visit_floating("softmax", y.dtype(), [&]<class T>() {
    kernels::softmax_vjp(y.origin<T>(), g.origin<T>(), dx.mutable_origin<T>(), view, num_threads());
  });
  return dx;
}

/// Which scores count, in the shape of `scores`.
Tensor visible(const Mask& mask, const Shape& scores) {
  const int rank = scores.rank();
  require<ShapeError>(rank >= 2 && rank <= 4,
                      "masked_softmax: scores is {}; it must be [Tq, Tk], [B, Tq, Tk] or "
                      "[B, H, Tq, Tk]",
                      scores);
  const Tensor seen = dense("masked_softmax", mask,
                            {.batch = rank > 2 ? scores[0] : 1,
                             .heads = rank > 3 ? scores[1] : 1,
                             .queries = scores[-2],
                             .keys = scores[-1]});  // [B, H, Tq, Tk]
  return reshape(seen, scores);
}

}  // namespace

// y_k = exp(x_k - max x) / sum_j exp(x_j - max x)        dx = y * (g - <g, y>)
Variable softmax(const Variable& x, int axis) {
  require_floating("softmax", x.dtype());
  const AxisView view = axis_view("softmax", x.shape(), axis);
  const Tensor y = forward(x.value().contiguous(), view, kernels::EmptySlice::nan);
  return record("softmax", y,
                wrt(x, [y = saved(y), view](const Tensor& g) { return backward_of(*y, g, view); }));
}

// y_k = x_k - max x - log sum_j exp(x_j - max x)        dx = g - exp(y) * sum_j g_j
Variable log_softmax(const Variable& x, int axis) {
  require_floating("log_softmax", x.dtype());
  const AxisView view = axis_view("log_softmax", x.shape(), axis);
  const Tensor dense_x = x.value().contiguous();
  Tensor y = Tensor::empty_like(dense_x);
  if (y.numel() > 0) {
    visit_floating("log_softmax", x.dtype(), [&]<class T>() {
      kernels::log_softmax(dense_x.origin<T>(), y.mutable_origin<T>(), view, num_threads());
    });
  }
  const auto dx = [y = saved(y), view](const Tensor& grad) {
    const Tensor g = grad.contiguous();
    Tensor result = Tensor::empty_like(g);
    if (g.numel() == 0) return result;
    visit_floating("log_softmax", g.dtype(), [&]<class T>() {
      kernels::log_softmax_vjp(y->origin<T>(), g.origin<T>(), result.mutable_origin<T>(), view,
                               num_threads());
    });
    return result;
  };
  return record("log_softmax", y, wrt(x, dx));
}

// y = softmax of the scores that may be seen, 0 elsewhere        ds = y * (g - <g, y>)
Variable masked_softmax(const Variable& scores, const Mask& mask) {
  require_floating("masked_softmax", scores.dtype(), "scores");
  const Tensor seen = visible(mask, scores.shape());
  const AxisView view = axis_view("masked_softmax", scores.shape(), -1);
  const Tensor hidden = visit_floating("masked_softmax", scores.dtype(), [&]<class T>() {
    return map<T, T, bool>(scores.shape(), scores.value(), seen, [](T score, bool counts) {
      return counts ? score : -std::numeric_limits<T>::infinity();
    });
  });
  const Tensor y = forward(hidden, view, kernels::EmptySlice::zero);
  return record("masked_softmax", y, wrt(scores, [y = saved(y), view](const Tensor& g) {
                  return backward_of(*y, g, view);
                }));
}

}  // namespace lectern
