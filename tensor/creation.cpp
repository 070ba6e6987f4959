#include <cmath>

#include "tensor/tensor.h"
#include "tensor/views.h"

namespace lectern {

Tensor Tensor::arange(double start, double stop, double step, DType dtype) {
  require<ValueError>(std::isfinite(start) && std::isfinite(stop) && std::isfinite(step),
                      "arange: start is {}, stop is {}, step is {}; all must be finite", start,
                      stop, step);
  require<ValueError>(step != 0, "arange: step is 0; it must lead from start {} to stop {}", start,
                      stop);
  require<DTypeError>(dtype != DType::boolean, "arange: dtype is bool; it must be f32, f64 or i64");
  require<ValueError>(
      dtype != DType::i64 || (start == std::trunc(start) && step == std::trunc(step)),
      "arange: start is {}, step is {}; for i64 both must be integers", start, step);
  require<ValueError>(
      dtype != DType::i64 || (std::abs(start) <= 0x1p53 && std::abs(stop) <= 0x1p53),
      "arange: start is {}, stop is {}; for i64 neither may be beyond 2^53", start, stop);
  const double count = std::max(std::ceil((stop - start) / step), 0.0);
  require<ShapeError>(count <= 0x1p59, "arange: {} values from {} to {} are too many to count",
                      count, start, stop);
  Tensor x = empty({static_cast<std::int64_t>(count)}, dtype);
  visit(dtype, [&]<class T>() {
    T* values = x.mutable_origin<T>();
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      values[i] = static_cast<T>(start + static_cast<double>(i) * step);
    }
  });
  return x;
}

Tensor Tensor::linspace(double start, double stop, std::int64_t count, DType dtype) {
  require<ValueError>(std::isfinite(start) && std::isfinite(stop),
                      "linspace: start is {}, stop is {}; both must be finite", start, stop);
  require<ValueError>(count >= 0, "linspace: count is {}; it must be at least 0", count);
  return visit_floating("linspace", dtype, [&]<class T>() {
    Tensor x = empty({count}, dtype);
    T* values = x.mutable_origin<T>();
    const double intervals = static_cast<double>(std::max<std::int64_t>(count - 1, 1));
    for (std::int64_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / intervals;  // exact at both ends: 0 and 1
      values[i] = static_cast<T>(start * (1 - share) + stop * share);
    }
    return x;
  });
}

Tensor Tensor::eye(std::int64_t n, DType dtype) {
  Tensor x = zeros({n, n}, dtype);
  diagonal(x).fill(1);
  return x;
}

}  // namespace lectern
