#include "nn/linear.h"

#include <gtest/gtest.h>

#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::nn {
namespace {

TEST(Linear, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) { return Linear(3, 19, rng, {.dtype = d}); }, {{2, 7, 3}},
      {"weight", "bias"},
      {.refuses = {
           {{{2, 4}}, "Linear: x is [2, 4], weight is [19, 3]; x.shape[-1] must equal in = 3"},
           {{{}}, "Linear: x is [], weight is [19, 3]; x.shape[-1] must equal in = 3"}}});
  expect_layer_contract(
      [](Rng& rng, DType d) { return Linear(3, 5, rng, {.bias = false, .dtype = d}); }, {{4, 3}},
      {"weight"},
      {.refuses = {
           {{{3, 4}}, "Linear: x is [3, 4], weight is [5, 3]; x.shape[-1] must equal in = 3"}}});
}

TEST(Linear, ValuesByHand) {
  const Parameter weight(Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3}), /*requires_grad=*/true);
  const Parameter bias(Tensor::from({10, 20}, {2}), /*requires_grad=*/true);
  const Linear linear(weight, bias);
  const Variable y = linear(Variable(Tensor::from({1, 0, -1}, {1, 3})));
  EXPECT_TRUE(all_close(y.value(), Tensor::from({8, 18}, {1, 2})));
}

TEST(Linear, StartsWithinItsBound) {
  Rng rng(3);
  const Linear linear(16, 64, rng);
  float largest = 0;
  for (const float w : linear.weight().value().data<float>()) {
    largest = std::max(largest, std::abs(w));
  }
  EXPECT_LE(largest, 0.25F);
  EXPECT_GT(largest, 0.2F);
  for (const float b : linear.bias().value().data<float>()) EXPECT_EQ(b, 0.0F);
}

TEST(Linear, NamesWhatDoesNotFit) {
  Rng rng(1);
  const Linear linear(3, 5, rng);
  EXPECT_THROW_TEXT(linear(Variable(Tensor::zeros({2, 4}))), ShapeError,
                    "Linear: x is [2, 4], weight is [5, 3]; x.shape[-1] must equal in = 3");
  EXPECT_THROW_TEXT(Linear(0, 5, rng), ShapeError,
                    "Linear: in is 0, out is 5; both must be positive");
  EXPECT_THROW_TEXT(Linear(5, 0, rng), ShapeError,
                    "Linear: in is 5, out is 0; both must be positive");
}

}  // namespace
}  // namespace lectern::nn
