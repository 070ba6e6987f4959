#pragma once

#include "tensor/kernels/elementwise.h"
#include "tensor/nest.h"
#include "tensor/threads.h"

namespace lectern {

// How an elementwise op is made: a function of single elements, run over tensors of any strides.
//
//   map<float>(x, [](float v) { return v * v; })

/// y = f(x) with elements of type Y, where x has elements of type A; `cost` is about what one
/// call of f takes, in additions.
template <Element Y, Element A = Y, class F>
Tensor map(const Tensor& x, const F& f, std::int64_t cost = 1) {
  Tensor y = Tensor::empty(x.shape(), dtype_of<Y>);
  const std::int64_t n = y.numel();
  kernels::LoopNest<2> nest;
  if (x.is_contiguous()) {
    nest.extents[0] = n;
    nest.strides[0][0] = nest.strides[1][0] = 1;
  } else {
    nest = nest_over(x.shape(), y, x);
  }
  kernels::map(nest, threads_for(n * cost), f, y.mutable_origin<Y>(), x.origin<A>());
  return y;
}

/// y = f(a, b), both broadcast to `shape`.
template <Element Y, Element A = Y, Element B = A, class F>
Tensor map(const Shape& shape, const Tensor& a, const Tensor& b, const F& f,
           std::int64_t cost = 1) {
  Tensor y = Tensor::empty(shape, dtype_of<Y>);
  const std::int64_t n = y.numel();
  kernels::LoopNest<3> nest;
  if (a.shape() == b.shape() && a.is_contiguous() && b.is_contiguous()) {
    nest.extents[0] = n;
    nest.strides[0][0] = nest.strides[1][0] = nest.strides[2][0] = 1;
  } else {
    nest = nest_over(shape, y, a, b);
  }
  kernels::map(nest, threads_for(n * cost), f, y.mutable_origin<Y>(), a.origin<A>(), b.origin<B>());
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

}  // namespace lectern
