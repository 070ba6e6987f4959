#include "autograd/gradient.h"

#include "tensor/elementwise.h"

namespace lectern {
namespace {

/// Whether `x` may be added to in place: dense, the whole of its storage, and held by no one else.
bool is_ours(const Tensor& x) {
  return x.storage().unique() && x.is_contiguous() &&
         x.numel() * size_of(x.dtype()) == x.storage().bytes();
}

}  // namespace

void Gradient::add(Tensor dx) {
  if (empty()) {
    sum_ = std::move(dx);
  } else if (is_ours(sum_)) {
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
