#include "tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tensor/map.h"

namespace lectern {
namespace {

template <class F>
Tensor compare(std::string_view op, const Tensor& a, const Tensor& b, const F& f) {
  require_same_dtype(op, a, b);
  const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
  return visit(a.dtype(), [&]<class T>() { return map<bool, T>(shape, a, b, f); });
}

template <class F>
Tensor compare(std::string_view op, const Tensor& a, double b, const F& f) {
  return visit(a.dtype(), [&]<class T>() {
    return map<bool, T>(a, [&f, value = element<T>(op, b)](T x) { return f(x, value); });
  });
}

void require_bool(std::string_view op, std::string_view operand, const Tensor& x) {
  require<DTypeError>(x.dtype() == DType::boolean,
                      "{}: {} is {}; it must be bool: convert it with .to(DType::boolean)", op,
                      operand, x.dtype());
}

template <class F>
Tensor combine(std::string_view op, const Tensor& a, const Tensor& b, const F& f) {
  require_bool(op, "a", a);
  require_bool(op, "b", b);
  return map<bool>(broadcast_shapes(op, a.shape(), b.shape()), a, b, f);
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) { return compare("equal", a, b, std::equal_to()); }
Tensor equal(const Tensor& a, double b) { return compare("equal", a, b, std::equal_to()); }
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return compare("not_equal", a, b, std::not_equal_to());
}
Tensor not_equal(const Tensor& a, double b) {
  return compare("not_equal", a, b, std::not_equal_to());
}
Tensor less(const Tensor& a, const Tensor& b) { return compare("less", a, b, std::less()); }
Tensor less(const Tensor& a, double b) { return compare("less", a, b, std::less()); }
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return compare("less_equal", a, b, std::less_equal());
}
Tensor less_equal(const Tensor& a, double b) {
  return compare("less_equal", a, b, std::less_equal());
}
Tensor greater(const Tensor& a, const Tensor& b) {
  return compare("greater", a, b, std::greater());
}
Tensor greater(const Tensor& a, double b) { return compare("greater", a, b, std::greater()); }
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return compare("greater_equal", a, b, std::greater_equal());
}
Tensor greater_equal(const Tensor& a, double b) {
  return compare("greater_equal", a, b, std::greater_equal());
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  return combine("logical_and", a, b, [](bool p, bool q) { return p & q; });
}

Tensor logical_or(const Tensor& a, const Tensor& b) {
  return combine("logical_or", a, b, [](bool p, bool q) { return p | q; });
}

Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return combine("logical_xor", a, b, [](bool p, bool q) { return p != q; });
}

Tensor logical_not(const Tensor& x) {
  require_bool("logical_not", "x", x);
  return map<bool>(x, [](bool p) { return !p; });
}

Tensor isnan(const Tensor& x) {
  return visit(x.dtype(), [&]<class T>() { return map<bool, T>(x, [](T v) { return v != v; }); });
}

Tensor isfinite(const Tensor& x) {
  return visit(x.dtype(), [&]<class T>() {
    return map<bool, T>(x, [](T v) {
      if constexpr (std::is_floating_point_v<T>) return std::isfinite(v);
      return true;
    });
  });
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  require_same_dtype("allclose", a, b);
  const Shape shape = broadcast_shapes("allclose", a.shape(), b.shape());
  const Tensor close = visit(a.dtype(), [&]<class T>() {
    return map<bool, T>(shape, a, b, [=](T p, T q) {
      if (p == q) return true;
      const double x = static_cast<double>(p), y = static_cast<double>(q);
      if (std::isnan(x) || std::isnan(y)) return equal_nan && std::isnan(x) && std::isnan(y);
      return std::isfinite(y) && std::abs(x - y) <= atol + rtol * std::abs(y);
    });
  });
  return std::ranges::all_of(close.data<bool>(), std::identity());
}

}  // namespace lectern
