#include "tensor/reduce.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "tensor/kernels/reduce.h"
#include "tensor/threads.h"

namespace lectern {
namespace {

/// Which axes of `shape` are reduced.
std::array<bool, kMaxRank> reduced_axes(std::string_view op, const Shape& shape, const Axes& axes) {
  std::array<bool, kMaxRank> reduced{};
  if (axes.empty()) reduced.fill(true);
  for (const std::int64_t axis : axes) {
    const int from_front = normalize_axis(op, static_cast<int>(axis), shape);
    bool& named = reduced[static_cast<std::size_t>(from_front)];
    require<ShapeError>(!named, "{}: axis {} is named twice: x is {}, axes are {}", op, axis, shape,
                        axes);
    named = true;
  }
  return reduced;
}

/// The shape and loops of a reduction of one tensor.
struct Reduction {
  Shape shape;  ///< of the result
  kernels::ReduceNest nest;
  std::int64_t count;
  int threads;
  Storage scratch;

  Reduction(std::string_view op, const Tensor& x, const Axes& axes, bool keepdim)
      : shape(reduced_shape(op, x.shape(), axes, keepdim)) {
    const std::array<bool, kMaxRank> reduced = reduced_axes(op, x.shape(), axes);
    std::array<Shape, 2> extents;  // kept, reduced
    std::array<Strides, 2> strides;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const std::size_t which = reduced[static_cast<std::size_t>(axis)] ? 1 : 0;
      extents[which].push_back(x.shape()[axis]);
      strides[which].push_back(x.strides()[axis]);
    }
    nest.kept = kernels::collapse<1>(extents[0].rank(), extents[0].begin(), {strides[0].begin()});
    nest.reduced =
        kernels::collapse<1>(extents[1].rank(), extents[1].begin(), {strides[1].begin()});
    count = nest.count();
    threads = threads_for(x.numel());
    if (const std::int64_t bytes = kernels::reduce_scratch_bytes(nest); bytes > 0) {
      scratch = Storage(bytes);
    }
  }
  std::byte* scratch_bytes() { return scratch ? scratch.mutable_data() : nullptr; }
};

DType summed(DType dtype) { return dtype == DType::boolean ? DType::i64 : dtype; }

/// mean of x in double, as the centre of a second pass.
Tensor centre_of(const Tensor& x, Reduction& r) {
  Tensor centre = Tensor::empty(r.shape, DType::f64);
  visit_floating("mean", x.dtype(), [&]<class T>() {
    kernels::mean(r.nest, x.origin<T>(), static_cast<double>(r.count),
                  centre.mutable_origin<double>(), r.scratch_bytes(), r.threads);
  });
  return centre;
}

Tensor spread(std::string_view op, const Tensor& x, const Axes& axes, bool keepdim, int correction,
              bool root) {
  require_floating(op, x.dtype());
  Reduction r(op, x, axes, keepdim);
  const Tensor centre = centre_of(x, r);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  const double divisor = r.count > correction ? static_cast<double>(r.count - correction)
                                              : std::numeric_limits<double>::quiet_NaN();
  visit_floating(op, x.dtype(), [&]<class T>() {
    kernels::mean_square(r.nest, x.origin<T>(), centre.origin<double>(), divisor, root,
                         y.mutable_origin<T>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

/// A reduction that has no value over nothing, of a type that has an order.
Reduction ordered(std::string_view op, const Tensor& x, const Axes& axes, bool keepdim) {
  require<DTypeError>(x.dtype() != DType::boolean,
                      "{}: x is bool; it must be f32, f64 or i64; any and all reduce bool", op);
  const std::int64_t count = reduced_count(op, x.shape(), axes);
  require<ShapeError>(count > 0, "{}: nothing to choose from: x is {}, reduced over axes {}", op,
                      x.shape(), axes.empty() ? "all" : to_string(axes));
  return Reduction(op, x, axes, keepdim);
}

template <class F>
void visit_ordered(DType dtype, const F& f) {
  visit(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) f.template operator()<T>();
  });
}

}  // namespace

Shape reduced_shape(std::string_view op, const Shape& shape, const Axes& axes, bool keepdim) {
  const std::array<bool, kMaxRank> reduced = reduced_axes(op, shape, axes);
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool gone = reduced[static_cast<std::size_t>(axis)];
    if (!gone || keepdim) result.push_back(gone ? 1 : shape[axis]);
  }
  return result;
}

std::int64_t reduced_count(std::string_view op, const Shape& shape, const Axes& axes) {
  const std::array<bool, kMaxRank> reduced = reduced_axes(op, shape, axes);
  std::int64_t count = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (reduced[static_cast<std::size_t>(axis)]) count *= shape[axis];
  }
  return count;
}

Tensor sum(const Tensor& x, const Axes& axes, bool keepdim) {
  Reduction r("sum", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, summed(x.dtype()));
  visit(x.dtype(), [&]<class T>() {
    using Y = std::conditional_t<std::is_same_v<T, bool>, std::int64_t, T>;
    kernels::sum(r.nest, x.origin<T>(), y.mutable_origin<Y>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor mean(const Tensor& x, const Axes& axes, bool keepdim) {
  require_floating("mean", x.dtype());
  Reduction r("mean", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  visit_floating("mean", x.dtype(), [&]<class T>() {
    kernels::mean(r.nest, x.origin<T>(), static_cast<double>(r.count), y.mutable_origin<T>(),
                  r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor var(const Tensor& x, const Axes& axes, bool keepdim, int correction) {
  return spread("var", x, axes, keepdim, correction, /*root=*/false);
}

Tensor std(const Tensor& x, const Axes& axes, bool keepdim, int correction) {
  return spread("std", x, axes, keepdim, correction, /*root=*/true);
}

Tensor norm(const Tensor& x, const Axes& axes, bool keepdim) {
  require_floating("norm", x.dtype());
  Reduction r("norm", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  visit_floating("norm", x.dtype(), [&]<class T>() {
    kernels::mean_square(r.nest, x.origin<T>(), /*centre=*/nullptr, /*divisor=*/1, /*root=*/true,
                         y.mutable_origin<T>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor prod(const Tensor& x, const Axes& axes, bool keepdim) {
  if (x.dtype() == DType::boolean) return prod(x.to(DType::i64), axes, keepdim);
  Reduction r("prod", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  visit_ordered(x.dtype(), [&]<class T>() {
    kernels::prod(r.nest, x.origin<T>(), y.mutable_origin<T>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdim) {
  require_floating("logsumexp", x.dtype());
  Reduction r("logsumexp", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  // The largest element, where it is finite, keeps exp from overflowing.
  Tensor centre = Tensor::zeros(r.shape, DType::f64);
  if (r.count > 0) {
    centre = max(x, axes, keepdim).to(DType::f64);
    for (double& c : centre.mutable_data<double>()) c = std::isfinite(c) ? c : 0;
  }
  visit_floating("logsumexp", x.dtype(), [&]<class T>() {
    kernels::log_sum_exp(r.nest, x.origin<T>(), centre.origin<double>(), y.mutable_origin<T>(),
                         r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor max(const Tensor& x, const Axes& axes, bool keepdim) {
  Reduction r = ordered("max", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  visit_ordered(x.dtype(), [&]<class T>() {
    kernels::max(r.nest, x.origin<T>(), y.mutable_origin<T>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor min(const Tensor& x, const Axes& axes, bool keepdim) {
  Reduction r = ordered("min", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, x.dtype());
  visit_ordered(x.dtype(), [&]<class T>() {
    kernels::min(r.nest, x.origin<T>(), y.mutable_origin<T>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor argmax(const Tensor& x, std::optional<int> axis, bool keepdim) {
  Reduction r = ordered("argmax", x, axis ? Axes(*axis) : Axes(), keepdim);
  Tensor y = Tensor::empty(r.shape, DType::i64);
  visit_ordered(x.dtype(), [&]<class T>() {
    kernels::argmax(r.nest, x.origin<T>(), y.mutable_origin<std::int64_t>(), r.scratch_bytes(),
                    r.threads);
  });
  return y;
}

Tensor argmin(const Tensor& x, std::optional<int> axis, bool keepdim) {
  Reduction r = ordered("argmin", x, axis ? Axes(*axis) : Axes(), keepdim);
  Tensor y = Tensor::empty(r.shape, DType::i64);
  visit_ordered(x.dtype(), [&]<class T>() {
    kernels::argmin(r.nest, x.origin<T>(), y.mutable_origin<std::int64_t>(), r.scratch_bytes(),
                    r.threads);
  });
  return y;
}

Tensor any(const Tensor& x, const Axes& axes, bool keepdim) {
  Reduction r("any", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, DType::boolean);
  visit(x.dtype(), [&]<class T>() {
    kernels::any(r.nest, x.origin<T>(), y.mutable_origin<bool>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor all(const Tensor& x, const Axes& axes, bool keepdim) {
  Reduction r("all", x, axes, keepdim);
  Tensor y = Tensor::empty(r.shape, DType::boolean);
  visit(x.dtype(), [&]<class T>() {
    kernels::all(r.nest, x.origin<T>(), y.mutable_origin<bool>(), r.scratch_bytes(), r.threads);
  });
  return y;
}

Tensor cumsum(const Tensor& x, int axis) {
  const int at = normalize_axis("cumsum", axis, x.shape());
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int a = 0; a < x.rank(); ++a) (a < at ? outer : inner) *= a == at ? 1 : x.shape()[a];
  const Tensor dense = x.contiguous();
  Tensor y = Tensor::empty(x.shape(), summed(x.dtype()));
  visit(x.dtype(), [&]<class T>() {
    using Y = std::conditional_t<std::is_same_v<T, bool>, std::int64_t, T>;
    kernels::cumsum(dense.origin<T>(), y.mutable_origin<Y>(), outer, x.shape()[at], inner,
                    threads_for(x.numel()));
  });
  return y;
}

}  // namespace lectern
