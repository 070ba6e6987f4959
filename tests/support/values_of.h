#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace lectern {

/// The elements of any tensor, views included, in row-major order.
inline std::vector<double> values_of(const Tensor& x) {
  const Tensor dense = x.to(DType::f64).contiguous();
  const auto values = dense.data<double>();
  return {values.begin(), values.end()};
}

/// 0, 1, 2, … laid out row-major.
inline Tensor counting(const Shape& shape, DType dtype = DType::f32) {
  Tensor x = Tensor::empty(shape, DType::i64);
  std::int64_t next = 0;
  for (std::int64_t& value : x.mutable_data<std::int64_t>()) value = next++;
  return x.to(dtype);
}

}  // namespace lectern
