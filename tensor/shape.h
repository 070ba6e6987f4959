#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "tensor/error.h"

namespace lectern {

/// The most axes a tensor can have.
inline constexpr int kMaxRank = 8;

/// Up to kMaxRank integers stored in place: no heap, so shapes can be made in a hot loop.
/// Negative positions count from the end, as everywhere in the library.
template <class Self>
class AxisValues {
 public:
  AxisValues() = default;
  AxisValues(std::initializer_list<std::int64_t> values)
      : AxisValues(std::span<const std::int64_t>(values.begin(), values.size())) {}
  explicit AxisValues(std::span<const std::int64_t> values);

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  std::int64_t operator[](int axis) const { return values_[position(axis)]; }
  std::int64_t& operator[](int axis) { return values_[position(axis)]; }

  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + rank_; }
  std::int64_t* begin() { return values_.data(); }
  std::int64_t* end() { return values_.data() + rank_; }
  std::span<const std::int64_t> span() const { return {begin(), end()}; }

  void push_back(std::int64_t value) { insert(rank_, value); }
  void insert(int position, std::int64_t value);  ///< before `position`, 0..rank
  void erase(int position);                       ///< 0..rank-1

  friend bool operator==(const AxisValues& a, const AxisValues& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::size_t position(int axis) const {
    return static_cast<std::size_t>(axis < 0 ? axis + rank_ : axis);
  }

  std::array<std::int64_t, kMaxRank> values_{};
  int rank_ = 0;
};

/// Extent of each axis; the empty shape is a scalar.
///
/// Throws: ShapeError when made from a negative extent or more than kMaxRank extents.
class Shape : public AxisValues<Shape> {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  /// Product of the extents; 1 for a scalar.
  /// Throws: ShapeError if it is over 2^59 (a zero extent makes any shape fit).
  std::int64_t numel() const;
};

/// Distance, in elements, between neighbours along each axis; 0 on an expanded axis.
class Strides : public AxisValues<Strides> {
 public:
  using AxisValues::AxisValues;
};

/// Axes named by an op, in the order given; negative ones count from the end.
class Axes : public AxisValues<Axes> {
 public:
  using AxisValues::AxisValues;
  Axes() = default;
  Axes(int axis) : AxisValues({axis}) {}  // not explicit: sum(x, -1) is sum(x, {-1})
  Axes(bool) = delete;                    // a flag in the wrong place
};

/// The shape asked of reshape: as a Shape, but one extent may be -1, "what is left over".
class Extents : public AxisValues<Extents> {
 public:
  using AxisValues::AxisValues;
  Extents(const Shape& shape) : AxisValues(shape.span()) {}
};

/// Strides of a dense row-major array; all 0 if it has no elements.
Strides row_major(const Shape& shape);

/// `axis` counted from the front. Throws ShapeError naming `op` if it is outside [-rank, rank).
int normalize_axis(std::string_view op, int axis, const Shape& shape);

/// The shape both operands broadcast to by NumPy's rules.
/// Throws: ShapeError naming `op`, both operands and shapes: an axis must agree, or be 1 on one
///         side.
Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b,
                       std::string_view a_name = "a", std::string_view b_name = "b");

/// "[2, 3]"
template <class Self>
std::string to_string(const AxisValues<Self>& values);

}  // namespace lectern

template <class Values>
  requires std::derived_from<Values, lectern::AxisValues<Values>>
struct fmt::formatter<Values> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(const Values& values, auto& context) const {
    return std::ranges::copy(lectern::to_string(values), context.out()).out;
  }
};
