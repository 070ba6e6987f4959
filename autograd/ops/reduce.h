#pragma once

#include "autograd/variable.h"

namespace lectern {

// Reductions over any axes, as in tensor/reduce.h: sum(x), sum(x, -1), sum(x, {0, 2}); none named
// = all of them; `keepdim` keeps each reduced axis with extent 1. x_1 … x_n are the elements of one
// result y.
//
// All throw ShapeError if an axis is out of range or named twice, DTypeError unless x is f32 or
// f64.

/// y = x_1 + … + x_n.
Variable sum(const Variable& x, const Axes& axes = {}, bool keepdim = false);

/// y = (x_1 + … + x_n) / n.
Variable mean(const Variable& x, const Axes& axes = {}, bool keepdim = false);

/// y = sum_i (x_i - mean x)² / (n - correction).
Variable var(const Variable& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);

/// y = sqrt(var x). Where y = 0 its gradient is taken as 0.
Variable std(const Variable& x, const Axes& axes = {}, bool keepdim = false, int correction = 1);

/// y = sqrt(x_1² + … + x_n²). Where y = 0 its gradient is taken as 0.
Variable norm(const Variable& x, const Axes& axes = {}, bool keepdim = false);

/// y = x_1 · … · x_n. The gradient is right where elements are 0, too.
Variable prod(const Variable& x, const Axes& axes = {}, bool keepdim = false);

/// The largest element. Where several are largest, each gets an equal share of the gradient.
Variable max(const Variable& x, const Axes& axes = {}, bool keepdim = false);
/// The smallest element, as max().
Variable min(const Variable& x, const Axes& axes = {}, bool keepdim = false);

/// y = log(exp x_1 + … + exp x_n). Where all elements are -inf the gradient is 0.
Variable logsumexp(const Variable& x, const Axes& axes = {}, bool keepdim = false);

/// y_k = x_0 + … + x_k along `axis`.
Variable cumsum(const Variable& x, int axis);

}  // namespace lectern
