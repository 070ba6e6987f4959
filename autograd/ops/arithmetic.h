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

/// a to the power of b, element by element; da = g b a^(b−1), db = g a^b log a.
///
/// Where b is 0, da is 0; where a is 0 and b is not negative, db is 0: no NaN at 0⁰.
Variable pow(const Variable& a, const Variable& b);
Variable pow(const Variable& a, double b);

}  // namespace lectern
