#include "tensor/sort.h"

#include <bit>

#include "tensor/kernels/sort.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern {
namespace {

/// The first k elements along an axis, in the given order.
Sorted first_along(const Tensor& x, int axis, std::int64_t k, kernels::SortOrder direction) {
  const Tensor turned = transpose(x, axis, -1).contiguous();  // [..., width]
  const std::int64_t width = turned.shape()[-1];
  const std::int64_t rows = width == 0 ? 0 : turned.numel() / width;
  Tensor order = Tensor::empty(turned.shape(), DType::i64);
  const auto comparisons =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(width)));
  visit(x.dtype(), [&]<class T>() {
    kernels::sort_rows(turned.origin<T>(), order.mutable_origin<std::int64_t>(), rows, width, k,
                       direction, threads_for(4 * comparisons * x.numel()));
  });
  const Tensor indices = slice(order, -1, 0, k).contiguous();  // [..., k]
  Tensor values = Tensor::empty(indices.shape(), x.dtype());
  visit(x.dtype(), [&]<class T>() {
    const T* from = turned.origin<T>();
    const std::int64_t* at = indices.origin<std::int64_t>();
    T* to = values.mutable_origin<T>();
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = row * k; i < (row + 1) * k; ++i) to[i] = from[row * width + at[i]];
    }
  });
  return {transpose(values, axis, -1).contiguous(), transpose(indices, axis, -1).contiguous()};
}

}  // namespace

Sorted sort(const Tensor& x, int axis, bool descending) {
  const int at = normalize_axis("sort", axis, x.shape());
  return first_along(x, at, x.shape()[at],
                     descending ? kernels::SortOrder::descending : kernels::SortOrder::ascending);
}

Sorted topk(const Tensor& x, std::int64_t k, int axis, bool largest) {
  const int at = normalize_axis("topk", axis, x.shape());
  require<ValueError>(k >= 0 && k <= x.shape()[at],
                      "topk: k is {}; it must be within 0..{}, the extent of axis {} of x, which "
                      "is {}",
                      k, x.shape()[at], axis, x.shape());
  return first_along(x, at, k,
                     largest ? kernels::SortOrder::descending : kernels::SortOrder::ascending);
}

}  // namespace lectern
