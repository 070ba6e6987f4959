#pragma once

#include "autograd/variable.h"

namespace lectern {

// Arithmetic on variables; rules and errors as for tensors (tensor/elementwise.h). Each gradient
// has the shape of its own operand: what broadcasting repeated is added up again.

Variable operator+(const Variable& a, const Variable& b);  ///< a + b; da = g, db = g
Variable operator+(const Variable& a, double b);
Variable operator+(double a, const Variable& b);
Variable operator-(const Variable& a, const Variable& b);  ///< a − b; da = g, db = −g
Variable operator-(const Variable& a, double b);
Variable operator-(double a, const Variable& b);
Variable operator*(const Variable& a, const Variable& b);  ///< a · b; da = g b, db = g a
Variable operator*(const Variable& a, double b);
Variable operator*(double a, const Variable& b);
Variable operator/(const Variable& a, const Variable& b);  ///< a / b; da = g / b, db = −g a / b²
Variable operator/(const Variable& a, double b);
Variable operator/(double a, const Variable& b);
Variable operator-(const Variable& x);  ///< −x; dx = −g

}  // namespace lectern
