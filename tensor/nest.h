#pragma once

#include <array>

#include "tensor/kernels/loop_nest.h"
#include "tensor/tensor.h"

namespace lectern {

/// Strides with which `x` is read as if it had `shape`, to which it broadcasts: 0 along the axes
/// that it does not have or has only once.
inline Strides broadcast_strides(const Tensor& x, const Shape& shape) {
  Strides strides;
  const int missing = shape.rank() - x.rank();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool repeated = axis < missing || x.shape()[axis - missing] == 1;
    strides.push_back(repeated ? 0 : x.strides()[axis - missing]);
  }
  return strides;
}

/// The loops that visit `shape` in row-major order over all of `tensors`, each broadcast to it.
template <class... Tensors>
kernels::LoopNest<static_cast<int>(sizeof...(Tensors))> nest_over(const Shape& shape,
                                                                  const Tensors&... tensors) {
  const std::array<Strides, sizeof...(Tensors)> strides{broadcast_strides(tensors, shape)...};
  std::array<const std::int64_t*, sizeof...(Tensors)> pointers;
  for (std::size_t i = 0; i < strides.size(); ++i) pointers[i] = strides[i].begin();
  return kernels::collapse<static_cast<int>(sizeof...(Tensors))>(shape.rank(), shape.begin(),
                                                                 pointers);
}

}  // namespace lectern
