#include <gtest/gtest.h>

#include <map>
#include <string>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/linear.h"
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
  expect_layer_contract([](Rng&, DType d) { return LayerNorm(19, 1e-5, d); }, {{2, 3, 19}},
                        {"weight", "bias"},
                        {.refuses = {{{{2, 3, 5}},
                                      "layer_norm: widths differ: x is [2, 3, 5], gamma is [19]; "
                                      "gamma must be [x.shape[-1]] = [5]"},
                                     {{{}}, "layer_norm: x is a scalar; it must be [..., E]"}}});
}

TEST(RMSNorm, KeepsTheLayerContract) {
  expect_layer_contract([](Rng&, DType d) { return RMSNorm(5, 1e-6, d); }, {{2, 3, 5}}, {"weight"},
                        {.refuses = {{{{2, 3, 6}},
                                      "rms_norm: widths differ: x is [2, 3, 6], gamma is [5]; "
                                      "gamma must be [x.shape[-1]] = [6]"},
                                     {{{}}, "rms_norm: x is a scalar; it must be [..., E]"}}});
}

TEST(Norms, HaveTheEpsilonsOfPyTorchByDefault) {
  const Variable x(Tensor::from({0.001, -0.002, 0.003, 0}, {4}));  // small, so that ε counts
  EXPECT_TRUE(same_bits(LayerNorm(4)(x).value(), LayerNorm(4, 1e-5)(x).value()));
  EXPECT_TRUE(same_bits(RMSNorm(4)(x).value(), RMSNorm(4, 1e-6)(x).value()));
}

TEST(Dropout, KeepsTheLayerContract) {
  expect_layer_contract([](Rng& rng, DType) { return Dropout(0.3, rng); }, {{2, 3, 5}}, {},
                        {.drops = true});
}

template <class Layer>
void expect_activation_contract() {
  expect_layer_contract([](Rng&, DType) { return Layer(); }, {{3, 2, 11}}, {});
}

TEST(Relu, KeepsTheLayerContract) { expect_activation_contract<Relu>(); }
TEST(Gelu, KeepsTheLayerContract) { expect_activation_contract<Gelu>(); }
TEST(Silu, KeepsTheLayerContract) { expect_activation_contract<Silu>(); }
TEST(Tanh, KeepsTheLayerContract) { expect_activation_contract<Tanh>(); }
TEST(Sigmoid, KeepsTheLayerContract) { expect_activation_contract<Sigmoid>(); }

TEST(Activations, AreTheFunctionsOfTheirNames) {
  const Variable x(Rng(1).normal({3, 11}, DType::f64));
  EXPECT_TRUE(same_bits(Relu()(x).value(), relu(x).value()));
  EXPECT_TRUE(same_bits(Gelu()(x).value(), gelu(x).value()));
  EXPECT_TRUE(same_bits(Silu()(x).value(), silu(x).value()));
  EXPECT_TRUE(same_bits(Tanh()(x).value(), tanh(x).value()));
  EXPECT_TRUE(same_bits(Sigmoid()(x).value(), sigmoid(x).value()));
}

TEST(FeedForward, KeepsTheLayerContract) {
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    for (const double dropout : {0.0, 0.2}) {
      expect_layer_contract(
          [&](Rng& rng, DType d) {
            return FeedForward(4, 7, rng,
                               {.activation = activation, .dropout = dropout, .dtype = d});
          },
          {{2, 3, 4}}, {"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias"},
          {.refuses = {{{{2, 3, 5}},
                        "FeedForward: x is [2, 3, 5]; x.shape[-1] must equal width = 4"}},
           .drops = dropout > 0});
    }
  }
}

// The layer is fused; this is what it computes.
TEST(FeedForward, IsTwoAffineMapsAroundActivationAndDropout) {
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    for (const bool training : {true, false}) {
      Rng rng(1);
      FeedForward layer(4, 7, rng, {.activation = activation, .dropout = 0.3});
      layer.train(training);
      std::map<std::string, Variable> w;
      for (const auto& [name, value] : layer.named_parameters()) w[name] = value;
      const Variable x(rng.normal({5, 4}));
      Rng same(0);
      same.set_state(rng.state());
      const Variable z = linear(x, w["linear1.weight"], w["linear1.bias"]);
      const Variable h =
          dropout(activation == Activation::relu ? relu(z) : gelu(z), 0.3, same, training);
      const Variable want = linear(h, w["linear2.weight"], w["linear2.bias"]);
      EXPECT_TRUE(same_bits(layer(x).value(), want.value()));
      EXPECT_EQ(rng.state(), same.state());
    }
  }
}

TEST(Sequential, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) {
        return Sequential(Linear(3, 4, rng, {.dtype = d}), Tanh(), LayerNorm(4, 1e-5, d), Gelu(),
                          Dropout(0.2, rng), Linear(4, 2, rng, {.dtype = d}));
      },
      {{2, 3}}, {"0.weight", "0.bias", "2.weight", "2.bias", "5.weight", "5.bias"},
      {.refuses = {{{{2, 4}},
                    "Linear: x is [2, 4], weight is [4, 3]; x.shape[-1] must equal in = 3"}},
       .drops = true});
}

TEST(Embedding, KeepsTheLayerContract) {
  const Tensor ids = Tensor::from({0, 3, 1, 3, 3, 2}, {2, 3}, DType::i64);
  expect_layer_contract([](Rng& rng, DType d) { return Embedding(4, 3, rng, {.dtype = d}); }, {},
                        {"weight"}, {},
                        [&](auto& embedding, const auto&) { return embedding(ids); });
}

TEST(Embedding, RefusesWhatIsNoId) {
  Rng rng(1);
  const Embedding embedding(4, 3, rng);
  EXPECT_THROW_TEXT(embedding(Tensor::from({0, 4}, {1, 2}, DType::i64)), IndexError,
                    "embedding: id 4 at position [0, 1] is outside the table: weight is [4, 3]");
  EXPECT_THROW_TEXT(embedding(Tensor::from({-1}, {1}, DType::i64)), IndexError,
                    "embedding: id -1 at position [0] is outside the table: weight is [4, 3]");
  EXPECT_THROW_TEXT(embedding(Tensor::zeros({2})), DTypeError,
                    "embedding: ids is f32; convert it with .to(DType::i64)");
  EXPECT_EQ(embedding(Tensor::from({3}, {1}, DType::i64)).shape(), Shape({1, 3}));
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
  EXPECT_THROW_TEXT(Embedding(4, 0, rng), ShapeError,
                    "Embedding: vocabulary is 4, width is 0; both must be positive");
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
  EXPECT_THROW_TEXT(Dropout(-0.5, rng), ValueError, "Dropout: p is -0.5; it must be in [0, 1]");
  EXPECT_EQ(sum(Dropout(1, rng)(x).value()).item(), 0);
  EXPECT_TRUE(same_bits(Dropout(0, rng)(x).value(), x.value()));
}

TEST(Dropout, AddsWhatItLeavesToAResidual) {
  Rng rng(1), same(1);
  Dropout dropout(0.5, rng);
  const Dropout again(0.5, same);
  const Variable x(Rng(2).normal({1000})), y(Rng(3).normal({1000}));
  EXPECT_TRUE(same_bits(dropout.add(x, y).value(), (x + again(y)).value()));
  dropout.eval();
  EXPECT_TRUE(same_bits(dropout.add(x, y).value(), (x + y).value()));
  EXPECT_EQ(rng.state(), same.state());
}

TEST(SmallLayers, RefuseImpossibleSizes) {
  Rng rng(1);
  EXPECT_THROW_TEXT(FeedForward(4, 0, rng), ShapeError,
                    "FeedForward: width is 4, inner is 0; both must be positive");
  EXPECT_THROW_TEXT(FeedForward(0, 7, rng), ShapeError,
                    "FeedForward: width is 0, inner is 7; both must be positive");
  EXPECT_THROW_TEXT(FeedForward(4, 7, rng, {.dropout = -1}), ValueError,
                    "Dropout: p is -1; it must be in [0, 1]");
  EXPECT_THROW_TEXT(LayerNorm(0), ShapeError, "LayerNorm: width is 0; it must be positive");
  EXPECT_THROW_TEXT(RMSNorm(-2), ShapeError, "RMSNorm: width is -2; it must be positive");
  EXPECT_EQ(rng.state().counter, 0U);  // nothing was drawn for what was not made
}

TEST(Init, StaysWithinItsBoundsAndVariances) {
  Rng rng(5);
  const Shape shape{300, 200};
  EXPECT_NEAR(var(xavier_uniform(shape, rng)).item(), 2.0 / 500, 1e-4);
  EXPECT_LE(max(xavier_uniform(shape, rng)).item(), std::sqrt(6.0 / 500));
  EXPECT_NEAR(var(xavier_normal(shape, rng)).item(), 2.0 / 500, 1e-4);
  EXPECT_NEAR(var(kaiming_uniform(shape, rng)).item(), 2.0 / 200, 2e-4);
  EXPECT_NEAR(var(kaiming_normal(shape, rng)).item(), 2.0 / 200, 2e-4);
  const Shape of_pixels{30, 20, 2, 5};  // fan_in 200, fan_out 300
  EXPECT_NEAR(var(xavier_uniform(of_pixels, rng)).item(), 2.0 / 500, 2e-4);
  EXPECT_THROW_TEXT(xavier_uniform({3}, rng), ShapeError,
                    "xavier_uniform: shape is [3]; it must have at least two axes");
}

}  // namespace
}  // namespace lectern::nn
