#pragma once

#include <optional>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

// Elements found by number, by a mask, or by their place. Results are new dense tensors.
//
// Indices are i64 tensors. They are data, so a negative one does not count from the end: it is an
// IndexError, as is one beyond the axis. Axes may be negative.

/// The entries of an axis that `indices` names, in that order, with repeats.
/// Shapes: x [.., n, ..], indices [k] -> [.., k, ..].
/// Throws: ShapeError unless indices has rank 1, DTypeError unless it is i64, IndexError.
Tensor index_select(const Tensor& x, int axis, const Tensor& indices);

/// One entry of an axis for every place: y[.., j, ..] = x[.., indices[.., j, ..], ..].
/// Shapes: x [a, n, b], indices [a, k, b] on axis 1 -> [a, k, b].
/// Throws: ShapeError unless all axes but `axis` agree, DTypeError unless indices is i64,
/// IndexError.
Tensor gather(const Tensor& x, int axis, const Tensor& indices);

/// x with every element of `source` added at the place its index names, the opposite of gather:
/// y = x; y[.., indices[.., j, ..], ..] += source[.., j, ..]. Sums of f32 are carried in f64, in an
/// order that does not depend on the number of threads.
/// Shapes: x [a, n, b], indices and source [a, k, b] on axis 1 -> [a, n, b].
/// Throws: ShapeError unless shapes fit, DTypeError unless indices is i64 and x and source have one
///         dtype that is not bool, IndexError.
Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& source);

/// Positions of the elements that are not 0 (NaN is not 0), one in each row, in row-major order.
/// Shapes: x of rank r -> i64 [number of them, r].
Tensor nonzero(const Tensor& x);

/// x with `value` wherever mask is true.
/// Shapes: mask broadcasts to x.
/// Throws: DTypeError unless mask is bool, ShapeError, ValueError if x is i64 and value is not.
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

/// 1 at the place of the class, 0 elsewhere.
/// Shapes: ids i64 [..] -> [.., classes].
/// Throws: DTypeError unless ids is i64, IndexError naming the id that is no class, ShapeError.
Tensor one_hot(const Tensor& ids, std::int64_t classes, DType dtype = DType::f32);

/// The lower triangle of each matrix, 0 above: keeps x[.., i, j] where j - i <= diagonal.
/// Shapes: x of rank >= 2, result as x. Throws: ShapeError.
Tensor tril(const Tensor& x, std::int64_t diagonal = 0);
/// The upper triangle of each matrix, 0 below: keeps x[.., i, j] where j - i >= diagonal.
Tensor triu(const Tensor& x, std::int64_t diagonal = 0);

/// The position of element `number`, counted in row-major order from 0.
Shape unravel_index(std::int64_t number, const Shape& shape);

// The two halves of every table look-up, for ops that say in their own words what is wrong.

/// The first index outside 0..extent-1 and its position.
struct Outside {
  std::int64_t index;
  Shape position;
};
std::optional<Outside> first_outside(const Tensor& indices, std::int64_t extent);

/// sum[.., indices[n], ..] += g[.., n, ..], the gradient of index_select, for indices that have
/// been checked; overwrites `sum`, zeros included, unless `accumulate`. Where the index is
/// `ignored`, nothing is added. Each sum is carried in f64 in the order of n.
/// Shapes: sum dense [.., extent, ..], indices [k], g [.., k, ..].
void add_rows(Tensor& sum, int axis, const Tensor& indices, const Tensor& g, bool accumulate,
              std::int64_t ignored = -1);

}  // namespace lectern
