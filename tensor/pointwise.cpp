#include "tensor/pointwise.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/kernels/vector_math.h"
#include "tensor/map.h"

namespace lectern {
namespace {

// Costs in additions, measured for f32.
constexpr std::int64_t kFunctionCost = 24;  // of the standard library's functions
constexpr std::int64_t kVectorCost = 6;     // of functions on registers

template <class F>
Tensor map_floating(std::string_view op, const Tensor& x, const F& f,
                    std::int64_t cost = kFunctionCost) {
  return visit_floating(op, x.dtype(), [&]<class T>() { return map<T>(x, f, cost); });
}

/// As map_floating, for functions that there are on whole registers.
template <class F>
Tensor map_vectors(std::string_view op, const Tensor& x, const F& f) {
  return visit_floating(op, x.dtype(),
                        [&]<class T>() { return map_registers<T>(x, f, kVectorCost); });
}

/// Integers are whole numbers already: f is for the floating types alone.
template <class F>
Tensor map_rounding(std::string_view op, const Tensor& x, const F& f) {
  return visit_number(op, x.dtype(), [&]<class T>() {
    return map<T>(x, [&](T v) {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        return v;
      } else {
        return f(v);
      }
    });
  });
}

}  // namespace

Tensor abs(const Tensor& x) {
  return visit_number("abs", x.dtype(), [&]<class T>() {
    return map<T>(x, [](T v) {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        return v < 0 ? static_cast<T>(-static_cast<std::uint64_t>(v)) : v;
      } else {
        return std::abs(v);
      }
    });
  });
}

Tensor sign(const Tensor& x) {
  return visit_number("sign", x.dtype(), [&]<class T>() {
    return map<T>(x, [](T v) { return v > 0 ? T{1} : v < 0 ? T{-1} : v; });  // v: 0 or NaN
  });
}

Tensor floor(const Tensor& x) {
  return map_rounding("floor", x, [](auto v) { return std::floor(v); });
}

Tensor round(const Tensor& x) {
  return map_rounding("round", x, [](auto v) { return std::nearbyint(v); });
}

Tensor exp(const Tensor& x) {
  return map_vectors("exp", x, [](auto v) { return kernels::vexp(v); });
}

Tensor log(const Tensor& x) {
  return map_floating("log", x, [](auto v) { return std::log(v); });
}

Tensor log1p(const Tensor& x) {
  return map_floating("log1p", x, [](auto v) { return std::log1p(v); });
}

Tensor sqrt(const Tensor& x) {
  return map_floating(
      "sqrt", x, [](auto v) { return std::sqrt(v); }, /*cost=*/2);
}

Tensor rsqrt(const Tensor& x) {
  return map_floating(
      "rsqrt", x, [](auto v) { return 1 / std::sqrt(v); }, /*cost=*/4);
}

Tensor sin(const Tensor& x) {
  return map_floating("sin", x, [](auto v) { return std::sin(v); });
}

Tensor cos(const Tensor& x) {
  return map_floating("cos", x, [](auto v) { return std::cos(v); });
}

Tensor tanh(const Tensor& x) {
  return map_vectors("tanh", x, [](auto v) { return kernels::vtanh(v); });
}

Tensor sigmoid(const Tensor& x) {
  return map_vectors("sigmoid", x, [](auto v) { return kernels::vsigmoid(v); });
}

Tensor erf(const Tensor& x) {
  return map_vectors("erf", x, [](auto v) { return kernels::verf(v); });
}

namespace {

// The second operand is taken unless the first wins or is NaN.
constexpr auto kSmaller = [](auto a, auto b) { return a < b || a != a ? a : b; };
constexpr auto kLarger = [](auto a, auto b) { return a > b || a != a ? a : b; };

}  // namespace

Tensor minimum(const Tensor& a, const Tensor& b) { return map_numbers("minimum", a, b, kSmaller); }
Tensor minimum(const Tensor& a, double b) { return map_numbers("minimum", a, b, kSmaller); }
Tensor maximum(const Tensor& a, const Tensor& b) { return map_numbers("maximum", a, b, kLarger); }
Tensor maximum(const Tensor& a, double b) { return map_numbers("maximum", a, b, kLarger); }

namespace {

/// A bound of clamp; infinity is the last number of the type.
template <class T>
T bound(double value) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (value == -std::numeric_limits<double>::infinity()) return std::numeric_limits<T>::min();
    if (value == std::numeric_limits<double>::infinity()) return std::numeric_limits<T>::max();
  }
  return element<T>("clamp", value);
}

}  // namespace

Tensor clamp(const Tensor& x, double low, double high) {
  require<ValueError>(low <= high, "clamp: low is {}, high is {}; low must not be above high", low,
                      high);
  return visit_number("clamp", x.dtype(), [&]<class T>() {
    return map<T>(x, [low = bound<T>(low), high = bound<T>(high)](T v) {
      return v < low ? low : v > high ? high : v;
    });
  });
}

namespace {

/// The shape of condition and values together.
Shape chosen_shape(const Tensor& condition, const Shape& values) {
  require<DTypeError>(condition.dtype() == DType::boolean,
                      "where: condition is {}; it must be bool, as comparisons give",
                      condition.dtype());
  return broadcast_shapes("where", condition.shape(), values, "condition", "the choice");
}

/// y = f(condition, x…). The condition is read as bytes: GCC 12 makes no vector code of a loop that
/// reads bool beside wider elements, which is eight times slower.
template <class T, class F, class... Xs>
Tensor map_condition(const Shape& shape, const Tensor& condition, const F& f, const Xs&... x) {
  Tensor y = Tensor::empty(shape, dtype_of<T>);
  kernels::map(
      nest_over(shape, y, condition, x...), threads_for(y.numel()), f, y.mutable_origin<T>(),
      reinterpret_cast<const std::uint8_t*>(condition.origin<bool>()), x.template origin<T>()...);
  return y;
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  require_same_dtype("where", a, b);
  const Shape shape = chosen_shape(condition, broadcast_shapes("where", a.shape(), b.shape()));
  return visit(a.dtype(), [&]<class T>() {
    const auto choose = [](std::uint8_t c, T p, T q) { return c != 0 ? p : q; };
    return map_condition<T>(shape, condition, choose, a, b);
  });
}

Tensor where(const Tensor& condition, const Tensor& a, double b) {
  const Shape shape = chosen_shape(condition, a.shape());
  return visit(a.dtype(), [&]<class T>() {
    const auto choose = [q = element<T>("where", b)](std::uint8_t c, T p) {
      return c != 0 ? p : q;
    };
    return map_condition<T>(shape, condition, choose, a);
  });
}

Tensor where(const Tensor& condition, double a, const Tensor& b) {
  const Shape shape = chosen_shape(condition, b.shape());
  return visit(b.dtype(), [&]<class T>() {
    const auto choose = [p = element<T>("where", a)](std::uint8_t c, T q) {
      return c != 0 ? p : q;
    };
    return map_condition<T>(shape, condition, choose, b);
  });
}

}  // namespace lectern
