#include "nn/positions.h"

#include <gtest/gtest.h>

#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::nn {
namespace {

TEST(Cases, Cases_10_3_SinusoidalPositions) {
  const Tensor table = sinusoidal_positions(51, 5);
  const auto expect_row = [&](std::int64_t position, std::initializer_list<double> want) {
    EXPECT_TRUE(all_close(select(table, 0, position), Tensor::from(want, {5})))
        << "position " << position;
  };
  expect_row(0, {0, 1, 0, 1, 0});
  expect_row(1, {0.841470985, 0.540302306, 0.0251162229, 0.999684538, 0.000630957303});
  expect_row(2, {0.909297427, -0.416146837, 0.0502165994, 0.998738351, 0.00126191435});
  expect_row(50, {-0.262374854, 0.964966028, 0.950841877, 0.309676806, 0.0315426344});
  EXPECT_TRUE(all_close(select(sinusoidal_positions(4, 4), 0, 3),
                        Tensor::from({0.141120008, -0.989992497, 0.0299955002, 0.999550034}, {4})));

  const SinusoidalPositions eight(8, 4);
  EXPECT_NO_THROW(eight(Variable(Tensor::zeros({1, 8, 4}))));
  EXPECT_THROW_TEXT(eight(Variable(Tensor::zeros({1, 9, 4}))), ShapeError,
                    "SinusoidalPositions: positions 0..8 are asked for, the table has 8; x is "
                    "[1, 9, 4]");
  EXPECT_THROW_TEXT(eight(Variable(Tensor::zeros({1, 1, 4})), 8), ShapeError,
                    "SinusoidalPositions: positions 8..8 are asked for, the table has 8; x is "
                    "[1, 1, 4]");
}

std::vector<Refusal> refused_by(const std::string& module) {
  return {
      {{{2, 10, 4}}, module + ": positions 0..9 are asked for, the table has 9; x is [2, 10, 4]"},
      {{{2, 7, 5}}, module + ": x is [2, 7, 5]; its last two axes must be positions and width 4"},
      {{{4}}, module + ": x is [4]; its last two axes must be positions and width 4"}};
}

TEST(SinusoidalPositions, KeepsTheLayerContract) {
  expect_layer_contract([](Rng&, DType d) { return SinusoidalPositions(9, 4, d); }, {{2, 7, 4}}, {},
                        {.refuses = refused_by("SinusoidalPositions")});
}

TEST(LearnedPositions, KeepsTheLayerContract) {
  expect_layer_contract([](Rng& rng, DType d) { return LearnedPositions(9, 4, rng, d); },
                        {{2, 9, 4}}, {"weight"}, {.refuses = refused_by("LearnedPositions")});
}

TEST(SinusoidalPositions, RefuseImpossibleTables) {
  EXPECT_THROW_TEXT(sinusoidal_positions(-1, 4), ShapeError,
                    "sinusoidal_positions: length is -1, width is 4; length must be at least 0 and "
                    "width positive");
  EXPECT_THROW_TEXT(sinusoidal_positions(8, 0), ShapeError,
                    "sinusoidal_positions: length is 8, width is 0; length must be at least 0 and "
                    "width positive");
  EXPECT_EQ(sinusoidal_positions(0, 4).shape(), Shape({0, 4}));
  EXPECT_THROW_TEXT(sinusoidal_positions(8, 4, DType::i64), DTypeError,
                    "sinusoidal_positions: dtype is i64; it must be f32 or f64");
}

TEST(LearnedPositions, BeginWithTheirDeviation) {
  Rng rng(1);
  LearnedPositions positions(200, 50, rng);
  EXPECT_NEAR(lectern::std(positions.parameters()[0].value()).item(), 0.02, 0.001);
}

TEST(LearnedPositions, StartWhereTheyAreTold) {
  Rng rng(1);
  LearnedPositions positions(6, 4, rng);
  const Tensor weight = positions.parameters()[0].value();
  const Variable y = positions(Variable(Tensor::zeros({1, 2, 4})), 3);
  EXPECT_TRUE(all_close(select(y.value(), 0, 0), slice(weight, 0, 3, 5)));
  EXPECT_THROW_TEXT(positions(Variable(Tensor::zeros({1, 2, 5}))), ShapeError,
                    "LearnedPositions: x is [1, 2, 5]; its last two axes must be positions and "
                    "width 4");
}

}  // namespace
}  // namespace lectern::nn
