#include "tensor/elementwise.h"

#include <cmath>
#include <limits>

#include "tensor/kernels/parallel.h"
#include "tensor/map.h"

namespace lectern {
namespace {

/// Calls f.operator()<T>() for the types that have arithmetic.
template <class F>
decltype(auto) visit_number(std::string_view op, DType dtype, F&& f) {
  require<DTypeError>(dtype != DType::boolean,
                      "{}: operands are bool; convert them with .to(DType::i64) or another dtype",
                      op);
  switch (dtype) {
    case DType::f32:
      return f.template operator()<float>();
    case DType::f64:
      return f.template operator()<double>();
    default:
      return f.template operator()<std::int64_t>();
  }
}

/// `value` as an element of the tensor it stands beside.
template <class T>
T element(std::string_view op, double value) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    constexpr double limit = 9223372036854775808.0;  // 2^63
    require<ValueError>(value == std::trunc(value) && value >= -limit && value < limit,
                        "{}: the number is {}, the tensor i64, which has no such element; convert "
                        "it with .to(DType::f32)",
                        op, value);
  }
  return static_cast<T>(value);
}

template <class F>
Tensor binary(std::string_view op, const Tensor& a, const Tensor& b, const F& f) {
  require_same_dtype(op, a, b);
  const Shape shape =
      a.shape() == b.shape() ? a.shape() : broadcast_shapes(op, a.shape(), b.shape());
  return visit_number(op, a.dtype(), [&]<class T>() { return map<T>(shape, a, b, f); });
}

template <class F>
Tensor binary(std::string_view op, const Tensor& a, double b, const F& f) {
  return visit_number(op, a.dtype(), [&]<class T>() {
    return map<T>(a, [&f, value = element<T>(op, b)](T x) { return f(x, value); });
  });
}

template <class F>
Tensor binary(std::string_view op, double a, const Tensor& b, const F& f) {
  return visit_number(op, b.dtype(), [&]<class T>() {
    return map<T>(b, [&f, value = element<T>(op, a)](T x) { return f(value, x); });
  });
}

/// Integers of i64 as they are added and multiplied: overflow wraps around instead of being
/// undefined.
template <class T>
using Wrapping = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};

struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (b == -1) return Subtract()(T{0}, a);  // the one quotient that can overflow
    }
    return a / b;
  }
};

void require_nonzero(const Tensor& b) {
  if (b.dtype() != DType::i64) return;
  const Tensor dense = b.contiguous();
  require<ValueError>(
      std::ranges::find(dense.data<std::int64_t>(), 0) == dense.data<std::int64_t>().end(),
      "div: b of shape {} has a zero, and i64 has no quotient by zero; convert with "
      ".to(DType::f32)",
      b.shape());
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) { return binary("add", a, b, Add()); }
Tensor operator+(const Tensor& a, double b) { return binary("add", a, b, Add()); }
Tensor operator+(double a, const Tensor& b) { return binary("add", a, b, Add()); }
Tensor operator-(const Tensor& a, const Tensor& b) { return binary("sub", a, b, Subtract()); }
Tensor operator-(const Tensor& a, double b) { return binary("sub", a, b, Subtract()); }
Tensor operator-(double a, const Tensor& b) { return binary("sub", a, b, Subtract()); }
Tensor operator*(const Tensor& a, const Tensor& b) { return binary("mul", a, b, Multiply()); }
Tensor operator*(const Tensor& a, double b) { return binary("mul", a, b, Multiply()); }
Tensor operator*(double a, const Tensor& b) { return binary("mul", a, b, Multiply()); }

Tensor operator/(const Tensor& a, const Tensor& b) {
  require_same_dtype("div", a, b);
  require_nonzero(b);
  return binary("div", a, b, Divide());
}

Tensor operator/(const Tensor& a, double b) {
  require<ValueError>(a.dtype() != DType::i64 || b != 0,
                      "div: b is 0, and i64 has no quotient by zero; convert with "
                      ".to(DType::f32)");
  return binary("div", a, b, Divide());
}

Tensor operator/(double a, const Tensor& b) {
  require_nonzero(b);
  return binary("div", a, b, Divide());
}

Tensor operator-(const Tensor& x) {
  return visit_number("neg", x.dtype(), [&]<class T>() {
    return map<T>(x, [](T v) { return static_cast<T>(-static_cast<Wrapping<T>>(v)); });
  });
}

void add_into(Tensor& sum, const Tensor& x) {
  require<ShapeError>(sum.shape() == x.shape(), "add_into: shapes differ: sum is {}, x is {}",
                      sum.shape(), x.shape());
  require<DTypeError>(sum.dtype() == x.dtype(), "add_into: dtypes differ: sum is {}, x is {}",
                      sum.dtype(), x.dtype());
  visit_floating("add_into", x.dtype(), [&]<class T>() {
    const std::int64_t n = x.numel();
    const T* const from = x.origin<T>();
    T* const to = sum.mutable_origin<T>();
    if (sum.is_contiguous() && x.is_contiguous()) {
      kernels::parallel_for(n, threads_for(n), [&](std::int64_t begin, std::int64_t end) {
        kernels::add_into(end - begin, from + begin, to + begin);
      });
    } else {
      kernels::map(nest_over(x.shape(), sum, sum, x), threads_for(n), Add(), to, to, from);
    }
  });
}

void scale_into(Tensor& x, double factor) {
  visit_floating("scale_into", x.dtype(), [&]<class T>() {
    const auto by = static_cast<T>(factor);
    T* const to = x.mutable_origin<T>();
    kernels::map(
        nest_over(x.shape(), x, x), threads_for(x.numel()), [by](T v) { return v * by; }, to,
        static_cast<const T*>(to));
  });
}

}  // namespace lectern
