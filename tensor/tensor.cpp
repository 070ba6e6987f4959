#include "tensor/tensor.h"

#include <cstring>

#include "tensor/kernels/copy.h"
#include "tensor/nest.h"
#include "tensor/threads.h"

namespace lectern {

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  Tensor x;
  x.strides_ = row_major(shape);
  x.storage_ = Storage(shape.numel() * size_of(dtype));
  x.shape_ = shape;
  x.dtype_ = dtype;
  return x;
}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor x = empty(shape, dtype);
  std::memset(x.storage_.mutable_data(), 0, static_cast<std::size_t>(x.storage_.bytes()));
  return x;
}

Tensor Tensor::ones(const Shape& shape, DType dtype) { return full(shape, 1, dtype); }

Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Tensor x = empty(shape, dtype);
  x.fill(value);
  return x;
}

Tensor Tensor::scalar(double value, DType dtype) { return full({}, value, dtype); }

Tensor Tensor::from(std::initializer_list<double> values, const Shape& shape, DType dtype) {
  return from(std::span<const double>(values.begin(), values.size()), shape).to(dtype);
}

template <Element T>
Tensor Tensor::from(std::span<const T> values, const Shape& shape) {
  require<ShapeError>(static_cast<std::int64_t>(values.size()) == shape.numel(),
                      "from: {} values do not fill shape {}, which has {} elements", values.size(),
                      shape, shape.numel());
  Tensor x = empty(shape, dtype_of<T>);
  std::ranges::copy(values, x.mutable_origin<T>());
  return x;
}

template Tensor Tensor::from(std::span<const float>, const Shape&);
template Tensor Tensor::from(std::span<const double>, const Shape&);
template Tensor Tensor::from(std::span<const std::int64_t>, const Shape&);
template Tensor Tensor::from(std::span<const bool>, const Shape&);

bool Tensor::is_contiguous() const {
  std::int64_t dense = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] != 1 && strides_[axis] != dense) return shape_.numel() == 0;
    dense *= shape_[axis];
  }
  return true;
}

double Tensor::item() const {
  require<ShapeError>(numel() == 1, "item: x has {} elements, its shape is {}; it must have 1",
                      numel(), shape_);
  return visit(dtype_, [&]<class T>() { return static_cast<double>(*origin<T>()); });
}

void Tensor::require_element_type(DType asked) const {
  require<ValueError>(defined(), "data: x is undefined");
  require<DTypeError>(asked == dtype_, "data: x is {}, read as {}; convert it with .to(DType::{})",
                      dtype_, asked, asked == DType::boolean ? "boolean" : name(asked));
}

void Tensor::require_contiguous() const {
  require<ShapeError>(is_contiguous(),
                      "data: x of shape {} has strides {}; take .contiguous() first", shape_,
                      strides_);
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone() const {
  require<ValueError>(defined(), "clone: x is undefined");
  Tensor copy = empty_like(*this);
  copy.copy_from(*this);
  return copy;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor converted = empty(shape_, dtype);
  const auto nest = nest_over(shape_, converted, *this);
  visit(dtype_, [&]<class From>() {
    visit(dtype, [&]<class To>() {
      kernels::copy(nest, origin<From>(), converted.mutable_origin<To>(), threads_for(numel()));
    });
  });
  return converted;
}

Tensor Tensor::with_layout(const Shape& shape, const Strides& strides, std::int64_t offset) const {
  Tensor view = *this;
  view.shape_ = shape;
  view.strides_ = strides;
  view.offset_ = offset;
  return view;
}

void Tensor::copy_from(const Tensor& source) {
  require<ValueError>(source.defined(), "copy_from: source is undefined");
  require<ValueError>(defined(), "copy_from: this is undefined");
  require<ShapeError>(source.shape() == shape_,
                      "copy_from: shapes differ: source is {}, this is {}", source.shape(), shape_);
  require<DTypeError>(source.dtype() == dtype_,
                      "copy_from: dtypes differ: source is {}, this is {}", source.dtype(), dtype_);
  // An element could be overwritten before it is read.
  const Tensor from = source.storage() == storage_ ? source.clone() : source;
  const auto nest = nest_over(shape_, *this, from);
  visit(dtype_, [&]<class T>() {
    kernels::copy(nest, from.origin<T>(), mutable_origin<T>(), threads_for(numel()));
  });
}

void Tensor::fill(double value) {
  visit(dtype_, [&]<class T>() {
    kernels::fill(nest_over(shape_, *this), static_cast<T>(value), mutable_origin<T>(),
                  threads_for(numel()));
  });
}

void require_same_dtype(std::string_view op, const Tensor& a, const Tensor& b) {
  require<ValueError>(a.defined() && b.defined(), "{}: {} is undefined", op,
                      a.defined() ? "b" : "a");
  require<DTypeError>(a.dtype() == b.dtype(),
                      "{}: dtypes differ: a is {}, b is {}; convert one with .to(DType::{})", op,
                      a.dtype(), b.dtype(),
                      a.dtype() == DType::boolean ? "boolean" : name(a.dtype()));
}

}  // namespace lectern
