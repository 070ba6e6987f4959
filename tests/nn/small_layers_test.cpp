#include <gtest/gtest.h>

#include "nn/activation.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/feed_forward.h"
#include "nn/init.h"
#include "nn/normalization.h"
#include "nn/sequential.h"
#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::nn {
namespace {

TEST(LayerNorm, KeepsTheLayerContract) {
  expect_layer_contract([](Rng&, DType d) { return LayerNorm(5, 1e-5, d); }, {{2, 3, 5}},
                        {"weight", "bias"});
}

TEST(RMSNorm, KeepsTheLayerContract) {
  expect_layer_contract([](Rng&, DType d) { return RMSNorm(5, 1e-6, d); }, {{2, 3, 5}}, {"weight"});
}

TEST(Dropout, KeepsTheLayerContract) {
  expect_layer_contract([](Rng& rng, DType) { return Dropout(0.3, rng); }, {{2, 3, 5}}, {});
}

TEST(FeedForward, KeepsTheLayerContract) {
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    expect_layer_contract(
        [&](Rng& rng, DType d) {
          return FeedForward(4, 7, rng, {.activation = activation, .dropout = 0.1, .dtype = d});
        },
        {{2, 3, 4}}, {"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias"});
  }
}

TEST(Sequential, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) {
        return Sequential(Linear(3, 4, rng, {.dtype = d}), Tanh(), LayerNorm(4, 1e-5, d), Gelu(),
                          Silu(), Sigmoid(), Linear(4, 2, rng, {.dtype = d}));
      },
      {{2, 3}}, {"0.weight", "0.bias", "2.weight", "2.bias", "6.weight", "6.bias"});
}

TEST(Embedding, KeepsTheLayerContract) {
  const Tensor ids = Tensor::from({0, 3, 1, 3, 3, 2}, {2, 3}, DType::i64);
  expect_layer_contract([](Rng& rng, DType d) { return Embedding(4, 3, rng, {.dtype = d}); }, {},
                        {"weight"}, [&](auto& embedding, const auto&) { return embedding(ids); });
}

TEST(Embedding, StartsAsItsPaddingAndVarianceSay) {
  Rng rng(1);
  const Embedding embedding(2000, 16, rng, {.padding_id = 3});
  const Tensor weight = embedding.weight().value();
  EXPECT_TRUE(all_close(select(weight, 0, 3), Tensor::zeros({16}), 0, 0));
  EXPECT_NEAR(var(weight).item(), 1.0 / 16, 2e-3);
  EXPECT_THROW_TEXT(Embedding(4, 3, rng, {.padding_id = 4}), IndexError,
                    "Embedding: padding id 4 is outside the vocabulary of 4");
  EXPECT_THROW_TEXT(Embedding(0, 3, rng), ShapeError,
                    "Embedding: vocabulary is 0, width is 3; both must be positive");
}

TEST(Dropout, DropsInTrainingAlone) {
  Rng rng(1);
  Dropout dropout(0.5, rng);
  const Variable x(Tensor::ones({1000}));
  const Tensor first = dropout(x).value();
  EXPECT_FALSE(same_bits(first, dropout(x).value()));
  dropout.eval();
  EXPECT_TRUE(same_bits(dropout(x).value(), x.value()));
  dropout.train();
  EXPECT_FALSE(same_bits(dropout(x).value(), x.value()));
  EXPECT_THROW_TEXT(Dropout(1.5, rng), ValueError, "Dropout: p is 1.5; it must be in [0, 1]");
}

TEST(Init, StaysWithinItsBoundsAndVariances) {
  Rng rng(5);
  const Shape shape{300, 200};
  EXPECT_NEAR(var(xavier_uniform(shape, rng)).item(), 2.0 / 500, 1e-4);
  EXPECT_LE(max(xavier_uniform(shape, rng)).item(), std::sqrt(6.0 / 500));
  EXPECT_NEAR(var(xavier_normal(shape, rng)).item(), 2.0 / 500, 1e-4);
  EXPECT_NEAR(var(kaiming_uniform(shape, rng)).item(), 2.0 / 200, 2e-4);
  EXPECT_NEAR(var(kaiming_normal(shape, rng)).item(), 2.0 / 200, 2e-4);
  EXPECT_THROW_TEXT(xavier_uniform({3}, rng), ShapeError,
                    "xavier_uniform: shape is [3]; it must have at least two axes");
}

}  // namespace
}  // namespace lectern::nn
