#include "nn/clip.h"

#include <algorithm>
#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/map.h"
#include "tensor/reduce.h"

namespace lectern::nn {

double clip_grad_norm(std::span<const Parameter> parameters, double max_norm) {
  require<ValueError>(max_norm > 0, "clip_grad_norm: max_norm is {}; it must be positive",
                      max_norm);
  double squares = 0;
  for (const Parameter& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    const double part = norm(parameter.grad()).item();
    squares += part * part;
  }
  const double total = std::sqrt(squares);
  const double factor = max_norm / (total + 1e-6);
  if (!std::isfinite(total) || factor >= 1) return total;
  for (const Parameter& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    Tensor g = parameter.grad();
    scale_into(g, factor);
  }
  return total;
}

void clip_grad_value(std::span<const Parameter> parameters, double max_value) {
  require<ValueError>(max_value > 0, "clip_grad_value: max_value is {}; it must be positive",
                      max_value);
  for (const Parameter& parameter : parameters) {
    if (!parameter.has_grad()) continue;
    Tensor g = parameter.grad();
    visit_floating("clip_grad_value", g.dtype(), [&]<class T>() {
      const T limit = static_cast<T>(max_value);
      g.copy_from(map<T>(g, [limit](T v) { return std::clamp(v, -limit, limit); }));
    });
  }
}

}  // namespace lectern::nn
