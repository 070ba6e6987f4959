#include "nn/positions.h"

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/views.h"
#include "tensor/views.h"

namespace lectern::nn {
namespace {

void require_room(std::string_view module, std::int64_t start, const Shape& x, const Shape& table) {
  require<ShapeError>(x.rank() >= 2 && x[-1] == table[1],
                      "{}: x is {}; its last two axes must be positions and width {}", module, x,
                      table[1]);
  require<ShapeError>(start >= 0 && start + x[-2] <= table[0],
                      "{}: positions {}..{} are asked for, the table has {}; x is {}", module,
                      start, start + x[-2] - 1, table[0], x);
}

}  // namespace

Tensor sinusoidal_positions(std::int64_t length, std::int64_t width, DType dtype) {
  require_floating("sinusoidal_positions", dtype, "dtype");
  require<ShapeError>(length >= 0 && width > 0,
                      "sinusoidal_positions: length is {}, width is {}; length must be at least 0 "
                      "and width positive",
                      length, width);
  Tensor table = Tensor::empty({length, width}, DType::f64);
  double* row = table.mutable_origin<double>();
  for (std::int64_t position = 0; position < length; ++position, row += width) {
    for (std::int64_t column = 0; column < width; ++column) {
      const double exponent = static_cast<double>(column - column % 2) / static_cast<double>(width);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      row[column] = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return table.to(dtype);
}

Variable SinusoidalPositions::operator()(const Variable& x, std::int64_t start) const {
  require_room("SinusoidalPositions", start, x.shape(), table_.shape());
  return x + Variable(slice(table_, 0, start, start + x.shape()[-2]));
}

LearnedPositions::LearnedPositions(std::int64_t length, std::int64_t width, Rng& rng, DType dtype)
    : weight_(rng.normal({length, width}, 0, 0.02, dtype), /*requires_grad=*/true) {}

Variable LearnedPositions::operator()(const Variable& x, std::int64_t start) const {
  require_room("LearnedPositions", start, x.shape(), weight_.shape());
  return x + slice(weight_, 0, start, start + x.shape()[-2]);
}

}  // namespace lectern::nn
