#include "tensor/shape.h"

namespace lectern {

template <class Self>
AxisValues<Self>::AxisValues(std::span<const std::int64_t> values) {
  require<ShapeError>(values.size() <= kMaxRank, "shape: rank {} is more than the largest rank {}",
                      values.size(), kMaxRank);
  std::ranges::copy(values, values_.begin());
  rank_ = static_cast<int>(values.size());
}

template <class Self>
void AxisValues<Self>::insert(int position, std::int64_t value) {
  require<ShapeError>(rank_ < kMaxRank, "shape: rank {} is more than the largest rank {}",
                      rank_ + 1, kMaxRank);
  std::copy_backward(begin() + position, end(), end() + 1);
  values_[static_cast<std::size_t>(position)] = value;
  ++rank_;
}

template <class Self>
void AxisValues<Self>::erase(int position) {
  std::copy(begin() + position + 1, end(), begin() + position);
  --rank_;
}

template <class Self>
std::string to_string(const AxisValues<Self>& values) {
  std::string text = "[";
  for (int axis = 0; axis < values.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(values[axis]);
  }
  return text + "]";
}

template class AxisValues<Shape>;
template class AxisValues<Strides>;
template class AxisValues<Axes>;
template class AxisValues<Extents>;
template std::string to_string(const AxisValues<Shape>&);
template std::string to_string(const AxisValues<Strides>&);
template std::string to_string(const AxisValues<Axes>&);
template std::string to_string(const AxisValues<Extents>&);

Shape::Shape(std::initializer_list<std::int64_t> extents)
    : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) : AxisValues(extents) {
  for (int axis = 0; axis < rank(); ++axis) {
    require<ShapeError>((*this)[axis] >= 0, "shape: axis {} of {} is negative", axis,
                        to_string(*this));
  }
}

std::int64_t Shape::numel() const {
  if (std::ranges::find(*this, 0) != end()) return 0;
  constexpr std::int64_t limit = std::int64_t{1} << 59;  // then bytes fit into 62 bits too
  std::int64_t count = 1;
  for (const std::int64_t extent : *this) {
    require<ShapeError>(extent <= limit / count, "shape: {} has too many elements to count", *this);
    count *= extent;
  }
  return count;
}

Strides row_major(const Shape& shape) {
  Strides strides;
  for (int axis = 0; axis < shape.rank(); ++axis) strides.push_back(0);
  if (shape.numel() == 0) return strides;  // nothing to step over, and products might overflow
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

int normalize_axis(std::string_view op, int axis, const Shape& shape) {
  const int rank = shape.rank();
  require<ShapeError>(rank > 0, "{}: axis {} is out of range for x of shape [] (rank 0)", op, axis);
  require<ShapeError>(
      axis >= -rank && axis < rank,
      "{}: axis {} is out of range for x of shape {} (rank {}); valid axes are {}..{}", op, axis,
      shape, rank, -rank, rank - 1);
  return axis < 0 ? axis + rank : axis;
}

Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b, std::string_view a_name,
                       std::string_view b_name) {
  Shape result = a.rank() >= b.rank() ? a : b;
  const int shared = std::min(a.rank(), b.rank());
  for (int axis = -1; axis >= -shared; --axis) {
    require<ShapeError>(a[axis] == b[axis] || a[axis] == 1 || b[axis] == 1,
                        "{}: shapes do not broadcast: {} is {}, {} is {}; axis {} has {} and {}",
                        op, a_name, a, b_name, b, axis, a[axis], b[axis]);
    result[axis] = a[axis] == 1 ? b[axis] : a[axis];
  }
  return result;
}

}  // namespace lectern
