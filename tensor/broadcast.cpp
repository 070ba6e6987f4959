#include "tensor/broadcast.h"

#include "tensor/reduce.h"

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
  Axes repeated;
  for (int axis = 0; axis < g.rank(); ++axis) {
    if (axis < missing || shape[axis - missing] != g.shape()[axis]) repeated.push_back(axis);
  }
  const Tensor y = sum(g, repeated, /*keepdim=*/true);
  return y.with_layout(shape, row_major(shape), 0);  // what goes away has extent 1
}

}  // namespace lectern
