#include "autograd/ops/arithmetic.h"

#include <cmath>

#include "tensor/broadcast.h"
#include "tensor/elementwise.h"
#include "tensor/map.h"

namespace lectern {
namespace {

/// f(g, a, b), element by element; a and b broadcast to the shape of g.
template <class F>
Tensor map_with(const Tensor& g, const Tensor& a, const Tensor& b, const F& f,
                std::int64_t cost = 2) {
  return visit_floating("backward", g.dtype(),
                        [&]<class T>() { return map<T>(g.shape(), g, a, b, f, cost); });
}

constexpr auto kByDivisor = [](auto g, auto y, auto b) { return -g * y / b; };
constexpr std::int64_t kPowCost = 48;  // additions

}  // namespace

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
        return sum_to(map_with(g, *y, *b, kByDivisor), s);
      }));
}

Variable operator/(const Variable& a, double b) {
  return record("div", a.value() / b, wrt(a, [b](const Tensor& g) { return g / b; }));
}

Variable operator/(double a, const Variable& b) {
  const Tensor y = a / b.value();
  return record("div", y, wrt(b, [y = saved(y), b = saved(b)](const Tensor& g) {
                  return map_with(g, *y, *b, kByDivisor);
                }));
}

Variable operator-(const Variable& x) {
  return record("neg", -x.value(), wrt(x, [](const Tensor& g) { return -g; }));
}

// y = a^b        da = g b a^(b−1)        db = g a^b log a
Variable pow(const Variable& a, const Variable& b) {
  const auto da = []<class T>(T gi, T ai, T bi) {
    return bi == 0 ? T{0} : gi * bi * std::pow(ai, bi - 1);
  };
  const auto db = []<class T>(T gi, T ai, T bi) {
    return ai == 0 && bi >= 0 ? T{0} : gi * std::pow(ai, bi) * std::log(ai);
  };
  return record(
      "pow", pow(a.value(), b.value()),
      wrt(a, [da, a = saved(a), b = saved(b), s = a.shape()](
                 const Tensor& g) { return sum_to(map_with(g, *a, *b, da, kPowCost), s); }),
      wrt(b, [db, a = saved(a), b = saved(b), s = b.shape()](const Tensor& g) {
        return sum_to(map_with(g, *a, *b, db, kPowCost), s);
      }));
}

Variable pow(const Variable& a, double b) {
  return record("pow", pow(a.value(), b), wrt(a, [a = saved(a), b](const Tensor& g) {
                  if (b == 0) return Tensor::zeros_like(g);
                  if (b == 2) return 2 * g * *a;
                  return g * (b * pow(*a, b - 1));
                }));
}

}  // namespace lectern
