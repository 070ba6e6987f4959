#include "nn/init.h"

#include <cmath>

namespace lectern::nn {
namespace {

struct Fans {
  double in;
  double out;
};

Fans fans(std::string_view op, const Shape& shape) {
  require<ShapeError>(shape.rank() >= 2, "{}: shape is {}; it must have at least two axes", op,
                      shape);
  double receptive = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) receptive *= static_cast<double>(shape[axis]);
  return {static_cast<double>(shape[1]) * receptive, static_cast<double>(shape[0]) * receptive};
}

Tensor uniform_within(double bound, const Shape& shape, Rng& rng, DType dtype) {
  return rng.uniform(shape, -bound, bound, dtype);
}

}  // namespace

Tensor xavier_uniform(const Shape& shape, Rng& rng, DType dtype) {
  const Fans fan = fans("xavier_uniform", shape);
  return uniform_within(std::sqrt(6 / (fan.in + fan.out)), shape, rng, dtype);
}

Tensor xavier_normal(const Shape& shape, Rng& rng, DType dtype) {
  const Fans fan = fans("xavier_normal", shape);
  return rng.normal(shape, 0, std::sqrt(2 / (fan.in + fan.out)), dtype);
}

Tensor kaiming_uniform(const Shape& shape, Rng& rng, DType dtype) {
  return uniform_within(std::sqrt(6 / fans("kaiming_uniform", shape).in), shape, rng, dtype);
}

Tensor kaiming_normal(const Shape& shape, Rng& rng, DType dtype) {
  return rng.normal(shape, 0, std::sqrt(2 / fans("kaiming_normal", shape).in), dtype);
}

}  // namespace lectern::nn
