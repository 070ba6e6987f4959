#include "autograd/ops/pointwise.h"

#include <cmath>
#include <functional>
#include <numbers>

#include "tensor/broadcast.h"
#include "tensor/kernels/vector_math.h"
#include "tensor/map.h"
#include "tensor/pointwise.h"

namespace lectern {
namespace {

/// f(g, v), element by element: one pass over memory.
template <class F>
Tensor chain(const Tensor& g, const SavedTensor& v, const F& f, std::int64_t cost = 2) {
  return visit_floating("backward", g.dtype(),
                        [&]<class T>() { return map<T>(g.shape(), g, *v, f, cost); });
}

// Costs in additions, as in tensor/pointwise.cpp.
constexpr std::int64_t kFunctionCost = 24;  // of the standard library's functions
constexpr std::int64_t kVectorCost = 6;     // of functions on registers

}  // namespace

Variable abs(const Variable& x) {
  return record(
      "abs", abs(x.value()), wrt(x, [x = saved(x)](const Tensor& g) {
        return chain(g, x, []<class T>(T gi, T xi) { return xi > 0 ? gi : xi < 0 ? -gi : T{0}; });
      }));
}

Variable exp(const Variable& x) {
  const Tensor y = exp(x.value());
  return record("exp", y, wrt(x, [y = saved(y)](const Tensor& g) {
                  return chain(g, y, [](auto gi, auto yi) { return gi * yi; });
                }));
}

Variable log(const Variable& x) {
  return record("log", log(x.value()), wrt(x, [x = saved(x)](const Tensor& g) {
                  return chain(g, x, [](auto gi, auto xi) { return gi / xi; });
                }));
}

Variable log1p(const Variable& x) {
  return record("log1p", log1p(x.value()), wrt(x, [x = saved(x)](const Tensor& g) {
                  return chain(g, x, [](auto gi, auto xi) { return gi / (1 + xi); });
                }));
}

Variable sqrt(const Variable& x) {
  const Tensor y = sqrt(x.value());
  return record("sqrt", y, wrt(x, [y = saved(y)](const Tensor& g) {
                  return chain(g, y, []<class T>(T gi, T yi) {
                    return gi == 0 ? T{0} : gi / (2 * yi);  // 0 · ∞ would be NaN
                  });
                }));
}

Variable rsqrt(const Variable& x) {
  const Tensor y = rsqrt(x.value());
  return record("rsqrt", y, wrt(x, [y = saved(y)](const Tensor& g) {
                  return chain(g, y,
                               []<class T>(T gi, T yi) { return T{-0.5} * gi * yi * yi * yi; });
                }));
}

Variable sin(const Variable& x) {
  return record("sin", sin(x.value()), wrt(x, [x = saved(x)](const Tensor& g) {
                  return chain(
                      g, x, [](auto gi, auto xi) { return gi * std::cos(xi); }, kFunctionCost);
                }));
}

Variable cos(const Variable& x) {
  return record("cos", cos(x.value()), wrt(x, [x = saved(x)](const Tensor& g) {
                  return chain(
                      g, x, [](auto gi, auto xi) { return -gi * std::sin(xi); }, kFunctionCost);
                }));
}

Variable tanh(const Variable& x) {
  const Tensor y = tanh(x.value());
  return record("tanh", y, wrt(x, [y = saved(y)](const Tensor& g) {
                  return chain(g, y, [](auto gi, auto yi) { return gi * (1 - yi * yi); });
                }));
}

Variable sigmoid(const Variable& x) {
  const Tensor y = sigmoid(x.value());
  return record("sigmoid", y, wrt(x, [y = saved(y)](const Tensor& g) {
                  return chain(g, y, [](auto gi, auto yi) { return gi * yi * (1 - yi); });
                }));
}

Variable erf(const Variable& x) {
  return record("erf", erf(x.value()), wrt(x, [x = saved(x)](const Tensor& g) {
                  return visit_floating("erf", g.dtype(), [&]<class T>() {
                    const auto dx = [](kernels::Vector<T> gi, kernels::Vector<T> xi) {
                      constexpr T two_by_root_pi = 2 * std::numbers::inv_sqrtpi_v<T>;
                      return gi * two_by_root_pi * kernels::vexp(-xi * xi);
                    };
                    return map_registers<T>(g, *x, dx, kVectorCost);
                  });
                }));
}

namespace {

/// What of gi goes to x where it meets `other`: all if it comes before, half at a tie.
template <class T, class Before>
T part_of_winner(T gi, T x, T other, const Before& before) {
  const T at_tie = x == other ? gi / 2 : T{0};
  return before(x, other) ? gi : at_tie;
}

template <class Before>
Tensor to_winner(const Tensor& g, const Tensor& x, const Tensor& other, const Before& before) {
  return visit_floating("backward", g.dtype(), [&]<class T>() {
    const auto part = [&before](T gi, T xi, T oi) { return part_of_winner(gi, xi, oi, before); };
    return map<T>(g.shape(), g, x, other, part, /*cost=*/2);
  });
}

template <class Before>
Variable record_winner(std::string_view op, Tensor y, const Variable& a, const Variable& b,
                       const Before& before) {
  return record(op, std::move(y),
                wrt(a, [a = saved(a), b = saved(b), s = a.shape(), before](
                           const Tensor& g) { return sum_to(to_winner(g, *a, *b, before), s); }),
                wrt(b, [a = saved(a), b = saved(b), s = b.shape(), before](const Tensor& g) {
                  return sum_to(to_winner(g, *b, *a, before), s);
                }));
}

template <class Before>
Variable record_winner(std::string_view op, Tensor y, const Variable& a, double b,
                       const Before& before) {
  return record(op, std::move(y), wrt(a, [a = saved(a), b, before](const Tensor& g) {
                  return chain(g, a, [b, before]<class T>(T gi, T ai) {
                    return part_of_winner(gi, ai, static_cast<T>(b), before);
                  });
                }));
}

}  // namespace

Variable minimum(const Variable& a, const Variable& b) {
  return record_winner("minimum", minimum(a.value(), b.value()), a, b, std::less());
}

Variable minimum(const Variable& a, double b) {
  return record_winner("minimum", minimum(a.value(), b), a, b, std::less());
}

Variable maximum(const Variable& a, const Variable& b) {
  return record_winner("maximum", maximum(a.value(), b.value()), a, b, std::greater());
}

Variable maximum(const Variable& a, double b) {
  return record_winner("maximum", maximum(a.value(), b), a, b, std::greater());
}

Variable clamp(const Variable& x, double low, double high) {
  return record("clamp", clamp(x.value(), low, high),
                wrt(x, [x = saved(x), low, high](const Tensor& g) {
                  return chain(g, x, [low, high]<class T>(T gi, T xi) {
                    const bool inside = (xi >= static_cast<T>(low)) & (xi <= static_cast<T>(high));
                    return inside ? gi : T{0};  // without a branch: vector code
                  });
                }));
}

Variable where(const Tensor& condition, const Variable& a, const Variable& b) {
  return record("where", where(condition, a.value(), b.value()),
                wrt(a, [c = saved(condition),
                        s = a.shape()](const Tensor& g) { return sum_to(where(*c, g, 0), s); }),
                wrt(b, [c = saved(condition), s = b.shape()](const Tensor& g) {
                  return sum_to(where(*c, 0, g), s);
                }));
}

Variable where(const Tensor& condition, const Variable& a, double b) {
  return record("where", where(condition, a.value(), b),
                wrt(a, [c = saved(condition), s = a.shape()](const Tensor& g) {
                  return sum_to(where(*c, g, 0), s);
                }));
}

Variable where(const Tensor& condition, double a, const Variable& b) {
  return record("where", where(condition, a, b.value()),
                wrt(b, [c = saved(condition), s = b.shape()](const Tensor& g) {
                  return sum_to(where(*c, 0, g), s);
                }));
}

}  // namespace lectern
