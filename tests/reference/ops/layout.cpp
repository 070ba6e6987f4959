#include "tests/reference/ops/layout.h"

#include <limits>

#include "tensor/views.h"
#include "tests/support/all_close.h"

namespace lectern {

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::dense:
      return "dense";
    case Layout::columns:
      return "column by column";
    case Layout::parts:
      return "every second element";
    case Layout::repeated:
      return "stride 0";
  }
  return "";
}

namespace {

Tensor by_columns(const Tensor& x) {
  if (x.rank() < 2) return x;
  return transpose(transpose(x, 0, -1).contiguous(), 0, -1);
}

/// What lies between the elements is NaN, or an index no axis has: it must not be read.
Tensor every_second(const Tensor& x) {
  Shape shape = x.shape();
  if (x.rank() == 0) shape = {1};
  Shape larger = shape;
  larger[-1] = 2 * shape[-1] + 1;
  const double gap = is_floating(x.dtype()) ? std::numeric_limits<double>::quiet_NaN() : 1e6;
  const Tensor whole = Tensor::full(larger, gap, x.dtype());
  Tensor part = slice(whole, -1, 1, kEnd, 2);
  part.copy_from(reshape(x, shape));
  return x.rank() == 0 ? select(part, 0, 0) : part;
}

Tensor with_stride_0(Tensor x) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] < 2) continue;
    const Tensor once = expand(slice(x, axis, 0, 1), x.shape());
    if (all_close(x, once, 0, 0)) x = once;
  }
  return x;
}

}  // namespace

Tensor laid_out(const Tensor& x, Layout layout) {
  switch (layout) {
    case Layout::dense:
      return x;
    case Layout::columns:
      return by_columns(x);
    case Layout::parts:
      return every_second(x);
    case Layout::repeated:
      return with_stride_0(x);
  }
  return x;
}

}  // namespace lectern
