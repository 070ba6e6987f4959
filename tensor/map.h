#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "tensor/kernels/elementwise.h"
#include "tensor/nest.h"
#include "tensor/threads.h"

namespace lectern {

// How an elementwise op is made: a function of single elements, run over tensors of any strides.
//
//   map<float>(x, [](float v) { return v * v; })

/// The loops over {y, x} for a dense result y of the shape of x.
inline kernels::LoopNest<2> map_nest(const Tensor& y, const Tensor& x) {
  if (!x.is_contiguous()) return nest_over(y.shape(), y, x);
  kernels::LoopNest<2> nest;
  nest.extents[0] = x.numel();
  nest.strides[0][0] = nest.strides[1][0] = 1;
  return nest;
}

/// The loops over {y, a, b} for a dense result y to whose shape a and b broadcast.
inline kernels::LoopNest<3> map_nest(const Tensor& y, const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || !a.is_contiguous() || !b.is_contiguous()) {
    return nest_over(y.shape(), y, a, b);
  }
  kernels::LoopNest<3> nest;
  nest.extents[0] = a.numel();
  nest.strides[0][0] = nest.strides[1][0] = nest.strides[2][0] = 1;
  return nest;
}

/// y = f(x) with elements of type Y, where x has elements of type A; `cost` is about what one
/// call of f takes, in additions.
template <Element Y, Element A = Y, class F>
Tensor map(const Tensor& x, const F& f, std::int64_t cost = 1) {
  Tensor y = Tensor::empty(x.shape(), dtype_of<Y>);
  kernels::map(map_nest(y, x), threads_for(y.numel() * cost), f, y.mutable_origin<Y>(),
               x.origin<A>());
  return y;
}

/// y = f(a, b), both broadcast to `shape`.
template <Element Y, Element A = Y, Element B = A, class F>
Tensor map(const Shape& shape, const Tensor& a, const Tensor& b, const F& f,
           std::int64_t cost = 1) {
  Tensor y = Tensor::empty(shape, dtype_of<Y>);
  kernels::map(map_nest(y, a, b), threads_for(y.numel() * cost), f, y.mutable_origin<Y>(),
               a.origin<A>(), b.origin<B>());
  return y;
}

/// y = f(a, b, c), all broadcast to `shape`.
template <Element Y, Element A = Y, Element B = A, Element C = B, class F>
Tensor map(const Shape& shape, const Tensor& a, const Tensor& b, const Tensor& c, const F& f,
           std::int64_t cost = 1) {
  Tensor y = Tensor::empty(shape, dtype_of<Y>);
  kernels::map(nest_over(shape, y, a, b, c), threads_for(y.numel() * cost), f,
               y.mutable_origin<Y>(), a.origin<A>(), b.origin<B>(), c.origin<C>());
  return y;
}

/// As map(x, f), with f a function of whole registers (tensor/kernels/vector_math.h).
template <std::floating_point T, class F>
Tensor map_registers(const Tensor& x, const F& f, std::int64_t cost = 1) {
  Tensor y = Tensor::empty(x.shape(), dtype_of<T>);
  kernels::map_registers(map_nest(y, x), threads_for(y.numel() * cost), f, y.mutable_origin<T>(),
                         x.origin<T>());
  return y;
}

/// As map(a, b, f) for a and b of one shape, with f a function of whole registers.
template <std::floating_point T, class F>
Tensor map_registers(const Tensor& a, const Tensor& b, const F& f, std::int64_t cost = 1) {
  Tensor y = Tensor::empty(a.shape(), dtype_of<T>);
  kernels::map_registers(map_nest(y, a, b), threads_for(y.numel() * cost), f, y.mutable_origin<T>(),
                         a.origin<T>(), b.origin<T>());
  return y;
}

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

/// `value` as an element of the tensor it stands beside. Throws: ValueError if an i64 or bool
/// tensor has no such element.
template <Element T>
T element(std::string_view op, double value) {
  bool exists = true;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    constexpr double limit = 9223372036854775808.0;  // 2^63
    exists = value == std::trunc(value) && value >= -limit && value < limit;
  } else if constexpr (std::is_same_v<T, bool>) {
    exists = value == 0 || value == 1;
  }
  require<ValueError>(exists,
                      "{}: the number is {}, the tensor {}, which has no such element; convert it "
                      "with .to(DType::f32)",
                      op, value, dtype_of<T>);
  return static_cast<T>(value);
}

/// y = f(a, b) for two tensors that broadcast, or a tensor and a number, with elements of one of
/// the types that have arithmetic.
template <class F>
Tensor map_numbers(std::string_view op, const Tensor& a, const Tensor& b, const F& f,
                   std::int64_t cost = 1) {
  require_same_dtype(op, a, b);
  const Shape shape =
      a.shape() == b.shape() ? a.shape() : broadcast_shapes(op, a.shape(), b.shape());
  return visit_number(op, a.dtype(), [&]<class T>() { return map<T>(shape, a, b, f, cost); });
}

template <class F>
Tensor map_numbers(std::string_view op, const Tensor& a, double b, const F& f,
                   std::int64_t cost = 1) {
  return visit_number(op, a.dtype(), [&]<class T>() {
    return map<T>(
        a, [&f, value = element<T>(op, b)](T x) { return f(x, value); }, cost);
  });
}

template <class F>
Tensor map_numbers(std::string_view op, double a, const Tensor& b, const F& f,
                   std::int64_t cost = 1) {
  return visit_number(op, b.dtype(), [&]<class T>() {
    return map<T>(
        b, [&f, value = element<T>(op, a)](T x) { return f(value, x); }, cost);
  });
}

}  // namespace lectern
