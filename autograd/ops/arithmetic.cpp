#include "autograd/ops/arithmetic.h"

#include "tensor/broadcast.h"
#include "tensor/elementwise.h"

namespace lectern {

Variable operator+(const Variable& a, const Variable& b) {
  return record("add", a.value() + b.value(),
                wrt(a, [s = a.shape()](const Tensor& g) { return sum_to(g, s); }),
                wrt(b, [s = b.shape()](const Tensor& g) { return sum_to(g, s); }));
}

Variable operator+(const Variable& a, double b) {
  return record("add", a.value() + b, wrt(a, [](const Tensor& g) { return g; }));
}

Variable operator+(double a, const Variable& b) { return b + a; }

Variable operator-(const Variable& a, const Variable& b) {
  return record("sub", a.value() - b.value(),
                wrt(a, [s = a.shape()](const Tensor& g) { return sum_to(g, s); }),
                wrt(b, [s = b.shape()](const Tensor& g) { return -sum_to(g, s); }));
}

Variable operator-(const Variable& a, double b) {
  return record("sub", a.value() - b, wrt(a, [](const Tensor& g) { return g; }));
}

Variable operator-(double a, const Variable& b) {
  return record("sub", a - b.value(), wrt(b, [](const Tensor& g) { return -g; }));
}

Variable operator*(const Variable& a, const Variable& b) {
  return record(
      "mul", a.value() * b.value(),
      wrt(a, [b = saved(b), s = a.shape()](const Tensor& g) { return sum_to(g * *b, s); }),
      wrt(b, [a = saved(a), s = b.shape()](const Tensor& g) { return sum_to(g * *a, s); }));
}

Variable operator*(const Variable& a, double b) {
  return record("mul", a.value() * b, wrt(a, [b](const Tensor& g) { return g * b; }));
}

Variable operator*(double a, const Variable& b) { return b * a; }

// y = a / b        da = g / b        db = −g a / b² = −g y / b
Variable operator/(const Variable& a, const Variable& b) {
  const Tensor y = a.value() / b.value();
  return record(
      "div", y,
      wrt(a, [b = saved(b), s = a.shape()](const Tensor& g) { return sum_to(g / *b, s); }),
      wrt(b, [y = saved(y), b = saved(b), s = b.shape()](const Tensor& g) {
        return -sum_to(g * *y / *b, s);
      }));
}

Variable operator/(const Variable& a, double b) {
  return record("div", a.value() / b, wrt(a, [b](const Tensor& g) { return g / b; }));
}

Variable operator/(double a, const Variable& b) {
  const Tensor y = a / b.value();
  return record("div", y,
                wrt(b, [y = saved(y), b = saved(b)](const Tensor& g) { return -(g * *y / *b); }));
}

Variable operator-(const Variable& x) {
  return record("neg", -x.value(), wrt(x, [](const Tensor& g) { return -g; }));
}

}  // namespace lectern
