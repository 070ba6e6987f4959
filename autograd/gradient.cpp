#include "autograd/gradient.h"

#include "tensor/elementwise.h"

namespace lectern {
namespace {

/// Whether `x` may be added to in place: dense, the whole of its storage, and held by no one else.
bool is_ours(const Tensor& x) {
  return x.storage().unique() && x.is_contiguous() &&
         x.numel() * size_of(x.dtype()) == x.storage().bytes();
}

/// "; a sum over axis 0 is missing" if dx is what broadcasting an input of `shape` can leave.
std::string missing_sum(const Shape& dx, const Shape& shape) {
  const int added = dx.rank() - shape.rank();
  std::string axes;
  for (int axis = 0; axis < dx.rank(); ++axis) {
    if (axis >= added && shape[axis - added] == dx[axis]) continue;
    if (axis >= added && shape[axis - added] != 1) return "";
    axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
  }
  if (added < 0 || axes.empty()) return "";
  return "; a sum over axis " + axes + " is missing";
}

}  // namespace

void require_gradient_fits(const Tensor& dx, const Shape& shape, DType dtype) {
  if (dx.shape() == shape && dx.dtype() == dtype) return;
  fail<GradError>("backward of {}: gradient is {} {}, but the input it belongs to is {} {}{}",
                  op_in_backward(), dx.dtype(), dx.shape(), dtype, shape,
                  missing_sum(dx.shape(), shape));
}

void Gradient::add(Tensor dx) {
  if (empty()) {
    sum_ = std::move(dx);
    return;
  }
  require_gradient_fits(dx, sum_.shape(), sum_.dtype());
  if (is_ours(sum_)) {
    add_into(sum_, dx);
  } else {
    sum_ = sum_ + dx;
  }
}

Tensor Gradient::take_unshared() {
  if (!is_ours(sum_)) sum_ = sum_.clone();
  return take();
}

Gradient::Target Gradient::target(const Shape& shape, DType dtype) {
  const bool accumulate = !empty();
  if (!accumulate) {
    sum_ = Tensor::empty(shape, dtype);
  } else if (!is_ours(sum_)) {
    sum_ = sum_.clone();
  }
  return {sum_, accumulate};
}

}  // namespace lectern
