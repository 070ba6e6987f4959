#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

// Reductions over any axes: sum(x), sum(x, -1), sum(x, {0, 2}); none named = all of them. All read
// their operand through its strides, without a copy. `keepdim` keeps each reduced axis with extent
// 1. Sums of f32 are accumulated in double and rounded once, those of f64
// in blocks (tensor/kernels/reduce.h), so that the error does not grow with the length; the bits
// depend neither on the layout of x nor on the number of threads.
//
// All throw ShapeError if an axis is out of range or named twice.

/// `shape` after a reduction over `axes`.
/// Throws: ShapeError naming `op` if an axis is out of range or named twice.
Shape reduced_shape(std::string_view op, const Shape& shape, const Axes& axes, bool keepdim);

/// Number of elements that each result is made of: the product of the reduced extents.
std::int64_t reduced_count(std::string_view op, const Shape& shape, const Axes& axes);

/// y = x_1 + … + x_n, 0 over nothing. i64 and bool give i64.
Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = (x_1 + … + x_n) / n, NaN over nothing. Throws: DTypeError unless f32 or f64.
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = sum_i (x_i - mean x)² / (n - correction), the mean being taken in double in a first pass.
///
/// correction 1 (Bessel's) makes it unbiased for a sample, 0 gives the population's variance. NaN
/// where n <= correction. Throws: DTypeError unless f32 or f64.
Tensor var(const Tensor& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);

/// y = sqrt(var x).
Tensor std(const Tensor& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);

/// y = sqrt(x_1² + … + x_n²), the Euclidean norm. Throws: DTypeError unless f32 or f64.
Tensor norm(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = x_1 · … · x_n, 1 over nothing. bool gives i64.
Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = log(exp x_1 + … + exp x_n), without overflow; -inf over nothing.
/// Throws: DTypeError unless f32 or f64.
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// The largest element, NaN if there is one.
/// Throws: ShapeError if there are no elements to choose from, DTypeError for bool.
Tensor max(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
/// The smallest element, as max().
Tensor min(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// i64 position of the largest element along `axis`, or among all in row-major order: the first one
/// among equals; the first NaN if there is one.
/// Throws: as max().
Tensor argmax(const Tensor& x, std::optional<int> axis = {}, bool keepdim = false);
/// i64 position of the smallest element, as argmax().
Tensor argmin(const Tensor& x, std::optional<int> axis = {}, bool keepdim = false);

/// bool: whether an element is true or, if not bool, not 0; false over nothing.
Tensor any(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
/// bool: whether no element is false or, if not bool, 0; true over nothing.
Tensor all(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y_k = x_0 + … + x_k along `axis`, f32 accumulated in double. bool gives i64.
/// Throws: ShapeError if `axis` is out of range.
Tensor cumsum(const Tensor& x, int axis);

}  // namespace lectern
