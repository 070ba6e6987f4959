#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tensor/tensor.h"

namespace lectern {

/// "[1, 0, 2]" of the element at place `i` in row-major order.
inline std::string position_text(std::int64_t i, const Shape& shape) {
  Shape position = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    position[axis] = i % shape[axis];
    i /= shape[axis];
  }
  return to_string(position);
}

/// Passes if shapes and dtypes are equal and everywhere |got − want| <= atol + rtol · |want|.
/// Infinities must be equal; NaN equals NaN only with `equal_nan`. A failure names the element
/// that is off the most.
inline testing::AssertionResult all_close(const Tensor& got, const Tensor& want, double rtol = 1e-5,
                                          double atol = 1e-6, bool equal_nan = false) {
  if (got.shape() != want.shape() || got.dtype() != want.dtype()) {
    return testing::AssertionFailure() << fmt::format("got is {} {}, want is {} {}", got.dtype(),
                                                      got.shape(), want.dtype(), want.shape());
  }
  const Tensor got64 = got.to(DType::f64).contiguous();
  const Tensor want64 = want.to(DType::f64).contiguous();
  const auto g = got64.data<double>();
  const auto w = want64.data<double>();
  double worst_excess = 0;
  std::size_t worst = 0, failures = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (g[i] == w[i] || (equal_nan && std::isnan(g[i]) && std::isnan(w[i]))) continue;
    const double excess = std::abs(g[i] - w[i]) / (atol + rtol * std::abs(w[i]));
    if (excess <= 1 && std::isfinite(w[i])) continue;
    const bool worse = failures == 0 || !(excess <= worst_excess);
    if (worse && !std::isnan(worst_excess)) {
      worst = i;
      worst_excess = excess;
    }
    ++failures;
  }
  if (failures == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << fmt::format(
             "{} of {} elements of shape {} differ; the worst is at {}: got {:.9g}, want {:.9g}",
             failures, g.size(), got.shape(),
             position_text(static_cast<std::int64_t>(worst), got.shape()), g[worst], w[worst]);
}

}  // namespace lectern
