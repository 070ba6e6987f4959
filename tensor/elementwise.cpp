#include "tensor/elementwise.h"

#include <cmath>
#include <limits>

#include "tensor/kernels/parallel.h"
#include "tensor/map.h"

namespace lectern {
namespace {

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

struct Power {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      T power = 1;
      for (T square = a; b > 0; b /= 2, square = Multiply()(square, square)) {
        if (b % 2 == 1) power = Multiply()(power, square);
      }
      return power;
    } else {
      return std::pow(a, b);
    }
  }
};

constexpr std::int64_t kPowCost = 48;  // additions

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

Tensor operator+(const Tensor& a, const Tensor& b) { return map_numbers("add", a, b, Add()); }
Tensor operator+(const Tensor& a, double b) { return map_numbers("add", a, b, Add()); }
Tensor operator+(double a, const Tensor& b) { return map_numbers("add", a, b, Add()); }
Tensor operator-(const Tensor& a, const Tensor& b) { return map_numbers("sub", a, b, Subtract()); }
Tensor operator-(const Tensor& a, double b) { return map_numbers("sub", a, b, Subtract()); }
Tensor operator-(double a, const Tensor& b) { return map_numbers("sub", a, b, Subtract()); }
Tensor operator*(const Tensor& a, const Tensor& b) { return map_numbers("mul", a, b, Multiply()); }
Tensor operator*(const Tensor& a, double b) { return map_numbers("mul", a, b, Multiply()); }
Tensor operator*(double a, const Tensor& b) { return map_numbers("mul", a, b, Multiply()); }

Tensor operator/(const Tensor& a, const Tensor& b) {
  require_same_dtype("div", a, b);
  require_nonzero(b);
  return map_numbers("div", a, b, Divide());
}

Tensor operator/(const Tensor& a, double b) {
  require<ValueError>(a.dtype() != DType::i64 || b != 0,
                      "div: b is 0, and i64 has no quotient by zero; convert with "
                      ".to(DType::f32)");
  return map_numbers("div", a, b, Divide());
}

Tensor operator/(double a, const Tensor& b) {
  require_nonzero(b);
  return map_numbers("div", a, b, Divide());
}

Tensor operator-(const Tensor& x) {
  return visit_number("neg", x.dtype(), [&]<class T>() {
    return map<T>(x, [](T v) { return static_cast<T>(-static_cast<Wrapping<T>>(v)); });
  });
}

Tensor pow(const Tensor& a, const Tensor& b) {
  if (b.dtype() == DType::i64) {
    const Tensor exponents = b.contiguous();
    require<ValueError>(
        std::ranges::none_of(exponents.data<std::int64_t>(), [](auto e) { return e < 0; }),
        "pow: b of shape {} has a negative exponent, and i64 has no fractions; convert with "
        ".to(DType::f32)",
        b.shape());
  }
  return map_numbers("pow", a, b, Power(), kPowCost);
}

Tensor pow(const Tensor& a, double b) {
  require<ValueError>(a.dtype() != DType::i64 || b >= 0,
                      "pow: the exponent is {}, and i64 has no fractions; convert with "
                      ".to(DType::f32)",
                      b);
  if (b == 2) return a * a;  // the power people write, at the price of a product
  return map_numbers("pow", a, b, Power(), kPowCost);
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
