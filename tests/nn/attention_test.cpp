#include "nn/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/trace.h"
#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern::nn {
namespace {

const std::vector<std::string> kNames{"in_proj_weight", "in_proj_bias", "out_proj.weight",
                                      "out_proj.bias"};

Variable normal(const Shape& shape, std::uint64_t seed) {
  return Variable(Rng(seed).normal(shape));
}

TEST(MultiHeadSelfAttention, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) { return MultiHeadSelfAttention(6, 2, rng, {.dtype = d}); },
      {{2, 3, 6}}, kNames,
      {.refuses = {{{{2, 5, 7}}, "MultiHeadAttention: x is [2, 5, 7]; it must be [B, T, 6]"},
                   {{{5, 6}}, "MultiHeadAttention: x is [5, 6]; it must be [B, T, 6]"}}});
  expect_layer_contract(
      [](Rng& rng, DType d) {
        return MultiHeadSelfAttention(4, 3, rng, {.dropout = 0.2, .head_width = 5, .dtype = d});
      },
      {{2, 3, 4}}, kNames,
      {.refuses = {{{{2, 3, 5}}, "MultiHeadAttention: x is [2, 3, 5]; it must be [B, T, 4]"}},
       .drops = true},
      [](auto& attention, const std::vector<Variable>& x) {
        return attention(x[0], {.causal = true});
      });
}

TEST(MultiHeadAttention, KeepsTheLayerContract) {
  const auto with_padding = [](auto& attention, const auto& x) {
    return attention(x[0], x[1], x[2], {.key_lengths = Tensor::from({4, 2}, {2}, DType::i64)});
  };
  const std::vector<Refusal> refuses{
      {{{2, 3, 5}, {2, 4, 6}, {2, 4, 6}},
       "MultiHeadAttention: x is [2, 3, 5]; it must be [B, T, 6]"},
      {{{2, 3, 6}, {3, 4, 6}, {2, 4, 6}},
       "scaled_dot_product_attention: q is [2, 2, 3, 3], k is [3, 2, 4, 3]; k must have the same "
       "B = 2, H = 2 and D = 3"},
      {{{2, 3, 6}, {2, 4, 6}, {2, 5, 6}},
       "scaled_dot_product_attention: k is [2, 2, 4, 3], v is [2, 2, 5, 3]; v must have the same "
       "B = 2, H = 2 and Tk = 4"},
      {{{1, 3, 6}, {1, 4, 6}, {1, 4, 6}},
       "scaled_dot_product_attention: key_lengths is [2]; it must be [B] = [1]"}};
  for (const double dropout : {0.0, 0.3}) {
    expect_layer_contract(
        [&](Rng& rng, DType d) {
          return MultiHeadAttention(6, 2, rng, {.dropout = dropout, .dtype = d});
        },
        {{2, 3, 6}, {2, 4, 6}, {2, 4, 6}}, kNames, {.refuses = refuses, .drops = dropout > 0},
        with_padding);
  }
}

TEST(MultiHeadAttention, EqualInputsShareOneProduct) {
  Rng rng(1);
  const MultiHeadAttention attention(8, 2, rng);
  const Variable x = normal({2, 5, 8}, 2);
  const Variable copy(x.value().clone());
  const Tensor apart = attention(x, copy, Variable(x.value().clone())).value();
  EXPECT_TRUE(all_close(attention(x, x, x).value(), apart));
  EXPECT_TRUE(all_close(attention(x, copy, copy).value(), apart));
}

// Equal are those of one place in the graph; the same numbers elsewhere get gradients of their own.
TEST(MultiHeadAttention, EqualInputsAreThoseOfOnePlaceInTheGraph) {
  Rng rng(1);
  const MultiHeadAttention attention(8, 2, rng);
  Variable x(Rng(2).normal({2, 5, 8}), /*requires_grad=*/true);
  const Variable same_numbers = x.detach();
  const auto products = [&](const Variable& query, const Variable& key, const Variable& value) {
    const Trace pass = trace(sum(attention(query, key, value)));
    return std::ranges::count(pass.steps, "linear", &TraceStep::name);
  };
  EXPECT_EQ(products(x, x, x), 2);  // one in, one out
  const Tensor of_all = x.grad();
  x.zero_grad();
  EXPECT_EQ(products(x, same_numbers, same_numbers), 3);
  EXPECT_FALSE(all_close(x.grad(), of_all));
  EXPECT_EQ(products(same_numbers, same_numbers, x), 4);
  EXPECT_EQ(products(x, same_numbers, x), 4);
}

TEST(MultiHeadAttention, WithWeightsGivesTheSameOutput) {
  Rng rng(1);
  const MultiHeadAttention attention(8, 2, rng);
  const Variable x = normal({2, 5, 8}, 2), memory = normal({2, 3, 8}, 3);
  const Mask mask{.key_lengths = Tensor::from({3, 0}, {2}, DType::i64)};
  const auto [output, weights] = attention.with_weights(x, memory, memory, mask);
  EXPECT_TRUE(all_close(output.value(), attention(x, memory, memory, mask).value()));
  EXPECT_EQ(weights.shape(), Shape({2, 2, 5, 3}));
  const Tensor rows = sum(weights.value(), -1);
  EXPECT_TRUE(all_close(select(rows, 0, 0), Tensor::ones({2, 5})));
  EXPECT_TRUE(all_close(select(rows, 0, 1), Tensor::zeros({2, 5}), 0, 0));
}

TEST(MultiHeadAttention, ASampleThatSeesNothingGivesTheOutputBias) {
  Rng rng(1);
  MultiHeadAttention attention(4, 2, rng);
  disturb(attention);
  const Tensor bias = attention.named_parameters()[3].value.value();
  const Variable x = normal({1, 2, 4}, 2);
  const Variable y = attention(x, x, x, {.key_lengths = Tensor::from({0}, {1}, DType::i64)});
  EXPECT_TRUE(all_close(y.value(), expand(bias, {1, 2, 4}), 0, 0));
}

// Sample 0 sees nothing; no gradient is NaN, nor does sample 1 or the weights notice.
TEST(Cases, Cases_3_2_ASampleThatSeesNothingDoesNoHarm) {
  Rng rng(1);
  MultiHeadAttention attention(4, 2, rng);
  const auto gradients = [&](const Tensor& x, const Mask& mask, double first) {
    attention.zero_grad();
    const Variable leaf(x.clone(), true);
    Tensor g = Tensor::ones(x.shape());
    if (x.shape()[0] == 2) slice(g, 0, 0, 1).fill(first);
    backward(attention(leaf, leaf, leaf, mask), g);
    std::vector<Tensor> all{slice(leaf.grad(), 0, x.shape()[0] - 1)};  // of the last sample
    for (const Parameter& parameter : attention.parameters()) all.push_back(parameter.grad());
    return all;
  };
  const Tensor x = Rng(2).normal({2, 3, 4});
  const Mask mask{.key_lengths = Tensor::from({0, 3}, {2}, DType::i64)};
  const std::vector<Tensor> both = gradients(x, mask, 0);
  const std::vector<Tensor> alone = gradients(slice(x, 0, 1), {}, 0);
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_TRUE(all_close(both[i], alone[i])) << "gradient " << i;
  }
  for (const Tensor& gradient : gradients(x, mask, 1)) {
    for (const double value : values_of(gradient)) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Cases, Cases_3_4_ModulesRefuseNumbersAsAMask) {
  Rng rng(1);
  const MultiHeadAttention attention(8, 2, rng);
  const Variable x = normal({2, 3, 8}, 2);
  for (const bool weights : {false, true}) {
    const auto attend = [&](const Tensor& allowed) {
      const Mask mask{.allowed = allowed};
      return weights ? attention.with_weights(x, x, x, mask).output : attention(x, x, x, mask);
    };
    EXPECT_THROW_TEXT(attend(Tensor::ones({3, 3})), DTypeError,
                      "scaled_dot_product_attention: mask is f32; it must be bool, true = may be "
                      "seen; numbers to add to the scores are a bias");
    EXPECT_THROW_TEXT(attend(Tensor::ones({2, 4}, DType::boolean)), ShapeError,
                      "scaled_dot_product_attention: mask does not broadcast to the scores: mask "
                      "is [2, 4], scores are [2, 2, 3, 3]; axis -1 has 4 and 3");
    EXPECT_EQ(attend(Tensor::ones({3, 3}, DType::boolean)).shape(), x.shape());
  }
}

TEST(Cases, Cases_3_3_DecodingTokenByToken) {
  Rng rng(1);
  const MultiHeadSelfAttention attention(8, 2, rng);
  const Variable x = normal({3, 6, 8}, 2);
  const Tensor whole = attention(x, {.causal = true}).value();
  const NoGrad guard;
  KeyValueCache cache = attention.make_cache(3, 6);
  for (std::int64_t t = 0; t < 6; ++t) {
    const Tensor row = attention(slice(x, 1, t, t + 1), cache).value();
    EXPECT_TRUE(all_close(row, slice(whole, 1, t, t + 1))) << "position " << t;
  }
  KeyValueCache several = attention.make_cache(3, 6);  // new positions see each other causally
  for (const auto& [begin, end] : {std::pair{0, 3}, {3, 4}, {4, 6}}) {
    EXPECT_TRUE(
        all_close(attention(slice(x, 1, begin, end), several).value(), slice(whole, 1, begin, end)))
        << "positions from " << begin;
  }
}

TEST(KeyValueCache, SelectsSamplesAndKnowsItsRoom) {
  const NoGrad guard;
  KeyValueCache cache(2, 1, 2, 1);
  cache.append(Tensor::from({1, 2}, {2, 1, 1, 1}), Tensor::from({3, 4}, {2, 1, 1, 1}));
  cache.select(Tensor::from({1}, {1}, DType::i64));
  const auto [keys, values] =
      cache.append(Tensor::from({5}, {1, 1, 1, 1}), Tensor::from({6}, {1, 1, 1, 1}));
  EXPECT_TRUE(all_close(keys, Tensor::from({2, 5}, {1, 1, 2, 1})));
  EXPECT_TRUE(all_close(values, Tensor::from({4, 6}, {1, 1, 2, 1})));
  EXPECT_THROW_TEXT(cache.append(Tensor::zeros({1, 1, 1, 1}), Tensor::zeros({1, 1, 1, 1})),
                    ShapeError, "KeyValueCache: 2 positions and 1 new ones do not fit into 2");
  EXPECT_THROW_TEXT(
      cache.append(Tensor::zeros({2, 1, 1, 1}), Tensor::zeros({2, 1, 1, 1})), ShapeError,
      "KeyValueCache: keys is [2, 1, 1, 1], values is [2, 1, 1, 1]; both must be [1, 1, T, 1]");
  KeyValueCache wide(2, 3, 5, 4);
  EXPECT_THROW_TEXT(wide.append(Tensor::zeros({2, 3, 1, 4}), Tensor::zeros({2, 3, 2, 4})),
                    ShapeError,
                    "KeyValueCache: keys is [2, 3, 1, 4], values is [2, 3, 2, 4]; both must be "
                    "[2, 3, T, 4]");
}

TEST(KeyValueCache, RefusesToRecord) {
  KeyValueCache cache(1, 1, 2, 1);
  EXPECT_THROW_TEXT(cache.append(Tensor::zeros({1, 1, 1, 1}), Tensor::zeros({1, 1, 1, 1})),
                    GradError, "KeyValueCache: append while recording; decode under NoGrad");
}

TEST(MultiHeadAttention, NamesWhatDoesNotFit) {
  Rng rng(1);
  EXPECT_THROW_TEXT(MultiHeadAttention(300, 8, rng), ShapeError,
                    "MultiHeadAttention: width 300 is not divisible by heads 8");
  EXPECT_THROW_TEXT(MultiHeadAttention(0, 2, rng), ShapeError,
                    "MultiHeadAttention: width is 0, heads is 2, head width is 0; width and heads "
                    "must be positive");
  EXPECT_THROW_TEXT(MultiHeadAttention(8, 0, rng), ShapeError,
                    "MultiHeadAttention: width is 8, heads is 0, head width is 0; width and heads "
                    "must be positive");
  EXPECT_THROW_TEXT(MultiHeadAttention(8, 2, rng, {.dropout = 1.5}), ValueError,
                    "MultiHeadAttention: dropout is 1.5; it must be in [0, 1]");
  EXPECT_EQ(rng.state().counter, 0U);  // nothing was drawn for what was not made
  const MultiHeadSelfAttention attention(8, 2, rng);
  EXPECT_THROW_TEXT(attention(normal({2, 5, 7}, 1)), ShapeError,
                    "MultiHeadAttention: x is [2, 5, 7]; it must be [B, T, 8]");
}

}  // namespace
}  // namespace lectern::nn
