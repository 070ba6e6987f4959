#include "tensor/broadcast.h"

#include <array>

#include "tensor/kernels/sum_axes.h"
#include "tensor/nest.h"
#include "tensor/threads.h"

namespace lectern {

Tensor sum_to(const Tensor& g, const Shape& shape) {
  if (g.shape() == shape) return g;
  const int missing = g.rank() - shape.rank();
  bool fits = missing >= 0;
  for (int axis = 0; fits && axis < shape.rank(); ++axis) {
    fits = shape[axis] == 1 || shape[axis] == g.shape()[missing + axis];
  }
  require<ShapeError>(fits, "sum_to: {} does not broadcast to {}, the shape of g", shape,
                      g.shape());
  require_floating("sum_to", g.dtype(), "g");

  Tensor y = Tensor::empty(shape, g.dtype());
  Shape kept_extents, summed_extents;
  Strides y_kept, g_kept, g_summed;
  for (int axis = 0; axis < g.rank(); ++axis) {
    const bool kept = axis >= missing && shape[axis - missing] == g.shape()[axis];
    (kept ? kept_extents : summed_extents).push_back(g.shape()[axis]);
    (kept ? g_kept : g_summed).push_back(g.strides()[axis]);
    if (kept) y_kept.push_back(y.strides()[axis - missing]);
  }
  const auto kept =
      kernels::collapse<2>(kept_extents.rank(), kept_extents.begin(),
                           std::array<const std::int64_t*, 2>{y_kept.begin(), g_kept.begin()});
  const auto summed = kernels::collapse<1>(summed_extents.rank(), summed_extents.begin(),
                                           std::array<const std::int64_t*, 1>{g_summed.begin()});
  visit_floating("sum_to", g.dtype(), [&]<class T>() {
    kernels::sum_axes(kept, summed, g.origin<T>(), y.mutable_origin<T>(), threads_for(g.numel()));
  });
  return y;
}

}  // namespace lectern
