#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace lectern {

/// An n-dimensional array: storage + offset + shape + strides + dtype.
///
/// A regular value; a copy shares the storage. Element [i0, i1, …] is at
/// offset + i0·strides[0] + i1·strides[1] + …, so permuting, slicing and expanding only change
/// these few integers: they are views (tensor/views.h). Ops read their operands through the
/// strides and return new dense tensors unless they say that they return a view.
class Tensor {
 public:
  /// No tensor: has no storage, and no op takes it.
  Tensor() = default;

  // Creation. Scalars take the tensor's dtype.

  /// Dense, elements not set. Throws: ShapeError for too many elements, MemoryError.
  static Tensor empty(const Shape& shape, DType dtype = DType::f32);
  static Tensor zeros(const Shape& shape, DType dtype = DType::f32);
  static Tensor ones(const Shape& shape, DType dtype = DType::f32);
  static Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
  static Tensor scalar(double value, DType dtype = DType::f32);  ///< shape []
  /// Values in row-major order. Throws: ShapeError unless there are shape.numel() of them.
  static Tensor from(std::initializer_list<double> values, const Shape& shape,
                     DType dtype = DType::f32);
  /// As above, bit for bit, with the dtype of T.
  template <Element T>
  static Tensor from(std::span<const T> values, const Shape& shape);
  template <Element T>
  static Tensor from(const std::vector<T>& values, const Shape& shape)
    requires(!std::is_same_v<T, bool>)
  {
    return from(std::span<const T>(values), shape);
  }
  /// Dense, with the shape and dtype of `like`, elements not set.
  static Tensor empty_like(const Tensor& like) { return empty(like.shape(), like.dtype()); }
  static Tensor zeros_like(const Tensor& like) { return zeros(like.shape(), like.dtype()); }
  static Tensor ones_like(const Tensor& like) { return ones(like.shape(), like.dtype()); }

  /// start, start + step, … before stop (after it, if step is negative): ceil((stop − start) /
  /// step) values, each computed by itself, so that no error builds up. May be empty.
  /// Throws: ValueError unless all three are finite and step is not 0, and for i64 unless start and
  ///         step are integers and start and stop within ±2^53.
  static Tensor arange(double start, double stop, double step = 1, DType dtype = DType::f32);
  /// 0, 1, … before stop.
  static Tensor arange(double stop, DType dtype = DType::f32) { return arange(0, stop, 1, dtype); }
  /// `count` values at even distances, the first `start`, the last `stop` (if there are two).
  /// Throws: DTypeError unless floating, ValueError unless count >= 0 and both ends are finite.
  static Tensor linspace(double start, double stop, std::int64_t count, DType dtype = DType::f32);
  /// [n, n] with ones on the diagonal. Throws: ShapeError if n is negative.
  static Tensor eye(std::int64_t n, DType dtype = DType::f32);

  // Properties

  bool defined() const { return static_cast<bool>(storage_); }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  DType dtype() const { return dtype_; }
  int rank() const { return shape_.rank(); }
  std::int64_t numel() const { return shape_.numel(); }
  std::int64_t offset() const { return offset_; }  ///< of the first element, in elements
  const Storage& storage() const { return storage_; }
  /// Whether the elements lie dense in row-major order.
  bool is_contiguous() const;

  // Elements

  /// The only element. Throws: ShapeError unless there is exactly one.
  double item() const;
  /// The elements in row-major order. Throws: DTypeError unless T is the element type, ShapeError
  /// unless is_contiguous().
  template <Element T>
  std::span<const T> data() const;
  /// As data(), for writing: raises the storage's version.
  template <Element T>
  std::span<T> mutable_data();
  /// Address of element [0, 0, …]; the others by the strides. Throws: DTypeError as data().
  template <Element T>
  const T* origin() const;
  /// As origin(), for writing: raises the storage's version.
  template <Element T>
  T* mutable_origin();

  // Copies and views

  /// This tensor if its elements lie dense in row-major order, else a dense copy.
  Tensor contiguous() const;
  Tensor clone() const;  ///< a dense copy, always
  /// Elements converted: floats to i64 are truncated, anything but 0 is true. This tensor if it
  /// has that dtype already.
  Tensor to(DType dtype) const;
  /// A view of the same storage; the caller answers for its staying inside.
  Tensor with_layout(const Shape& shape, const Strides& strides, std::int64_t offset) const;
  /// Writes the elements of `source` (same shape and dtype; may overlap) into this tensor's places.
  void copy_from(const Tensor& source);
  /// Sets every element.
  void fill(double value);

 private:
  void require_element_type(DType asked) const;
  void require_contiguous() const;

  Storage storage_;
  std::int64_t offset_ = 0;
  Shape shape_;
  Strides strides_;
  DType dtype_ = DType::f32;
};

template <Element T>
std::span<const T> Tensor::data() const {
  require_contiguous();
  return {origin<T>(), static_cast<std::size_t>(numel())};
}

template <Element T>
std::span<T> Tensor::mutable_data() {
  require_contiguous();
  return {mutable_origin<T>(), static_cast<std::size_t>(numel())};
}

template <Element T>
const T* Tensor::origin() const {
  require_element_type(dtype_of<T>);
  return reinterpret_cast<const T*>(storage_.data()) + offset_;
}

template <Element T>
T* Tensor::mutable_origin() {
  require_element_type(dtype_of<T>);
  return reinterpret_cast<T*>(storage_.mutable_data()) + offset_;
}

/// Throws DTypeError naming `op` unless both operands have one dtype: there is no promotion.
void require_same_dtype(std::string_view op, const Tensor& a, const Tensor& b);

}  // namespace lectern
