#include "autograd/ops/reduce.h"

#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/map.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace lectern {
namespace {

/// Takes tensors of a reduction's shape back to where they broadcast to its operand.
struct Reduced {
  Shape shape;  ///< of x
  Shape kept;   ///< of the result with keepdim

  Reduced(std::string_view op, const Variable& x, const Axes& axes)
      : shape(x.shape()), kept(reduced_shape(op, x.shape(), axes, /*keepdim=*/true)) {
    require_floating(op, x.dtype());
  }
  Tensor with_axes(const Tensor& y) const { return reshape(y, kept); }
};

/// f(g, x, y) for each element x of each result y, with g and y broadcast to x.
template <class F>
Tensor map_back(const Reduced& r, const Tensor& g, const Tensor& x, const Tensor& y, const F& f,
                std::int64_t cost = 1) {
  return visit_floating("backward", x.dtype(), [&]<class T>() {
    return map<T>(r.shape, r.with_axes(g), x, r.with_axes(y), f, cost);
  });
}

}  // namespace

// y = sum_i x_i        dx_i = g
Variable sum(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("sum", x, axes);
  return record("sum", sum(x.value(), axes, keepdim),
                wrt(x, [r](const Tensor& g) { return expand(r.with_axes(g), r.shape); }));
}

// y = sum_i x_i / n        dx_i = g / n
Variable mean(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("mean", x, axes);
  const double n = static_cast<double>(reduced_count("mean", x.shape(), axes));
  return record("mean", mean(x.value(), axes, keepdim),
                wrt(x, [r, n](const Tensor& g) { return expand(r.with_axes(g / n), r.shape); }));
}

// y = sum_i (x_i - m)² / (n - c), m = mean x        dx_i = 2 g (x_i - m) / (n - c)
Variable var(const Variable& x, const Axes& axes, bool keepdim, int correction) {
  const Reduced r("var", x, axes);
  const double n = static_cast<double>(reduced_count("var", x.shape(), axes));
  const auto dx = [r, axes, factor = 2 / (n - correction), x = saved(x)](const Tensor& g) {
    return map_back(r, g * factor, *x, mean(*x, axes, true),
                    [](auto share, auto value, auto centre) { return share * (value - centre); });
  };
  return record("var", var(x.value(), axes, keepdim, correction), wrt(x, dx));
}

// y = sqrt(var x)        dx_i = g (x_i - m) / ((n - c) y)
Variable std(const Variable& x, const Axes& axes, bool keepdim, int correction) {
  const Reduced r("std", x, axes);
  const double n = static_cast<double>(reduced_count("std", x.shape(), axes));
  const Tensor y = lectern::std(x.value(), axes, keepdim, correction);
  const auto dx = [r, axes, divisor = n - correction, x = saved(x), y = saved(y)](const Tensor& g) {
    const Tensor slope = visit_floating("std", g.dtype(), [&]<class T>() {
      return map<T>(g.shape(), g, *y, [divisor](T grad, T root) {
        return root == 0 ? T{0} : grad / (static_cast<T>(divisor) * root);
      });
    });
    return map_back(r, slope, *x, mean(*x, axes, true),
                    [](auto share, auto value, auto centre) { return share * (value - centre); });
  };
  return record("std", y, wrt(x, dx));
}

// y = sqrt(sum_i x_i²)        dx_i = g x_i / y
Variable norm(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("norm", x, axes);
  const Tensor y = norm(x.value(), axes, keepdim);
  const auto dx = [r, x = saved(x), y = saved(y)](const Tensor& g) {
    return map_back(r, g, *x, *y, [](auto grad, auto value, auto length) {
      return length == 0 ? decltype(value){0} : grad * (value / length);
    });
  };
  return record("norm", y, wrt(x, dx));
}

namespace {

/// Where elements of a product are 0.
struct Zeros {
  Tensor count;  ///< i64, per result
  Tensor rest;   ///< product of the elements that are not 0, per result
};

Zeros zeros_of(const Tensor& x, const Axes& axes) {
  return visit_floating("prod", x.dtype(), [&]<class T>() {
    const Tensor is_zero = map<bool, T>(x, [](T v) { return v == 0; });
    const Tensor others = map<T>(x, [](T v) { return v == 0 ? T{1} : v; });
    return Zeros{sum(is_zero, axes, true), prod(others, axes, true)};
  });
}

}  // namespace

// y = prod_i x_i        dx_i = g prod_{j ≠ i} x_j
// With p = product of the elements that are not 0, the product without x_i is
//   p / x_i if no element is 0,  p if x_i is the only 0,  0 otherwise.
Variable prod(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("prod", x, axes);
  const auto dx = [r, axes, x = saved(x)](const Tensor& g) {
    const Zeros zeros = zeros_of(*x, axes);
    return visit_floating("prod", g.dtype(), [&]<class T>() {
      // The factor of the elements that are 0, and that of the others before division.
      const Tensor of_zero = map<T, std::int64_t, T>(
          r.kept, zeros.count, zeros.rest,
          [](std::int64_t count, T rest) { return count == 1 ? rest : T{0}; });
      const Tensor of_others = map<T, std::int64_t, T>(
          r.kept, zeros.count, zeros.rest,
          [](std::int64_t count, T rest) { return count == 0 ? rest : T{0}; });
      const Tensor without = map<T>(r.shape, *x, of_zero, of_others,
                                    [](T v, T zero, T other) { return v == 0 ? zero : other / v; });
      return without * r.with_axes(g);
    });
  };
  return record("prod", prod(x.value(), axes, keepdim), wrt(x, dx));
}

namespace {

/// dx_i = g / (number of elements equal to y) where x_i = y, else 0.
Tensor shared_among_equals(const Reduced& r, const Axes& axes, const Tensor& g, const Tensor& x,
                           const Tensor& y) {
  return visit_floating("backward", x.dtype(), [&]<class T>() {
    const Tensor chosen =
        map<T>(r.shape, x, r.with_axes(y), [](T v, T top) { return v == top ? T{1} : T{0}; });
    return chosen * (r.with_axes(g) / sum(chosen, axes, /*keepdim=*/true));
  });
}

}  // namespace

// y = max_i x_i        dx_i = g / (number of maxima) where x_i = y, else 0
Variable max(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("max", x, axes);
  const Tensor y = max(x.value(), axes, keepdim);
  return record("max", y, wrt(x, [r, axes, x = saved(x), y = saved(y)](const Tensor& g) {
                  return shared_among_equals(r, axes, g, *x, *y);
                }));
}

// y = min_i x_i        dx_i = g / (number of minima) where x_i = y, else 0
Variable min(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("min", x, axes);
  const Tensor y = min(x.value(), axes, keepdim);
  return record("min", y, wrt(x, [r, axes, x = saved(x), y = saved(y)](const Tensor& g) {
                  return shared_among_equals(r, axes, g, *x, *y);
                }));
}

// y = log sum_i exp x_i        dx_i = g exp(x_i - y)
Variable logsumexp(const Variable& x, const Axes& axes, bool keepdim) {
  const Reduced r("logsumexp", x, axes);
  const Tensor y = logsumexp(x.value(), axes, keepdim);
  const auto dx = [r, x = saved(x), y = saved(y)](const Tensor& g) {
    return map_back(
        r, g, *x, *y,
        [](auto grad, auto value, auto total) {
          return value == -INFINITY ? decltype(value){0} : grad * std::exp(value - total);
        },
        /*cost=*/16);
  };
  return record("logsumexp", y, wrt(x, dx));
}

// y_k = x_0 + … + x_k        dx_k = g_k + … + g_last
Variable cumsum(const Variable& x, int axis) {
  require_floating("cumsum", x.dtype());
  return record("cumsum", cumsum(x.value(), axis), wrt(x, [axis](const Tensor& g) {
                  return flip(cumsum(flip(g, axis), axis), axis);
                }));
}

}  // namespace lectern
