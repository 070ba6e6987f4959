#include "autograd/ops/activation.h"

#include <cmath>
#include <numbers>

#include "tensor/kernels/vector_math.h"
#include "tensor/map.h"

namespace lectern {
namespace {

using kernels::Vector;
using kernels::vexp, kernels::verf, kernels::vsigmoid, kernels::vtanh;

constexpr std::int64_t kFunctionCost = 8;  // of exp and its like on registers, in additions

template <class T>
constexpr T kSqrtHalf = std::numbers::sqrt2_v<T> / 2;

}  // namespace

Variable relu(const Variable& x) {
  const Tensor y = visit_floating("relu", x.dtype(), [&]<class T>() {
    return map<T>(x.value(), [](T v) { return v <= 0 ? T{0} : v; });  // NaN stays
  });
  return record("relu", y, wrt(x, [y = saved(y)](const Tensor& g) {
                  return visit_floating("relu", g.dtype(), [&]<class T>() {
                    return map<T>(g.shape(), g, *y, [](T gi, T yi) { return yi > 0 ? gi : T{0}; });
                  });
                }));
}

namespace {

// y = x Φ(x)        dx = g (Φ(x) + x φ(x))

template <class T>
Vector<T> normal_distribution(Vector<T> x) {  // Φ
  return T{0.5} + T{0.5} * verf(x * kSqrtHalf<T>);
}

template <class T>
Vector<T> normal_density(Vector<T> x) {  // φ
  constexpr T by_root_two_pi = std::numbers::inv_sqrtpi_v<T> * kSqrtHalf<T>;
  return by_root_two_pi * vexp(T{-0.5} * x * x);
}

Variable gelu_exact(const Variable& x) {
  const Tensor y = visit_floating("gelu", x.dtype(), [&]<class T>() {
    const auto f = [](Vector<T> v) { return v * normal_distribution<T>(v); };
    return map_registers<T>(x.value(), f, kFunctionCost);
  });
  return record("gelu", y, wrt(x, [x = saved(x)](const Tensor& g) {
                  return visit_floating("gelu", g.dtype(), [&]<class T>() {
                    const auto dx = [](Vector<T> gi, Vector<T> v) {
                      return gi * (normal_distribution<T>(v) + v * normal_density<T>(v));
                    };
                    return map_registers<T>(g, *x, dx, 2 * kFunctionCost);
                  });
                }));
}

// y = x/2 (1 + t)        dx = g ((1 + t)/2 + x/2 (1 − t²) u′)
// with t = tanh u, u = √(2/π) (x + c x³), u′ = √(2/π) (1 + 3 c x²), c = 0.044715

template <class T>
constexpr T kRootTwoByPi = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
template <class T>
constexpr T kCubic = static_cast<T>(0.044715);

template <class T>
Vector<T> tanh_of_cubic(Vector<T> x) {  // t
  return vtanh(kRootTwoByPi<T> * (x + kCubic<T> * x * x * x));
}

Variable gelu_tanh(const Variable& x) {
  const Tensor y = visit_floating("gelu", x.dtype(), [&]<class T>() {
    const auto f = [](Vector<T> v) { return T{0.5} * v * (T{1} + tanh_of_cubic<T>(v)); };
    return map_registers<T>(x.value(), f, kFunctionCost);
  });
  return record("gelu", y, wrt(x, [x = saved(x)](const Tensor& g) {
                  return visit_floating("gelu", g.dtype(), [&]<class T>() {
                    const auto dx = [](Vector<T> gi, Vector<T> v) {
                      const Vector<T> t = tanh_of_cubic<T>(v);
                      const Vector<T> du = kRootTwoByPi<T> * (T{1} + 3 * kCubic<T> * v * v);
                      return T{0.5} * gi * (T{1} + t + v * (T{1} - t * t) * du);
                    };
                    return map_registers<T>(g, *x, dx, kFunctionCost);
                  });
                }));
}

}  // namespace

Variable gelu(const Variable& x, Gelu form) {
  return form == Gelu::exact ? gelu_exact(x) : gelu_tanh(x);
}

// y = x σ(x)        dx = g σ (1 + x (1 − σ))
Variable silu(const Variable& x) {
  const Tensor y = visit_floating("silu", x.dtype(), [&]<class T>() {
    return map_registers<T>(
        x.value(), [](Vector<T> v) { return v * vsigmoid(v); }, kFunctionCost);
  });
  return record("silu", y, wrt(x, [x = saved(x)](const Tensor& g) {
                  return visit_floating("silu", g.dtype(), [&]<class T>() {
                    const auto dx = [](Vector<T> gi, Vector<T> v) {
                      const Vector<T> s = vsigmoid(v);
                      return gi * s * (T{1} + v * (T{1} - s));
                    };
                    return map_registers<T>(g, *x, dx, kFunctionCost);
                  });
                }));
}

}  // namespace lectern
