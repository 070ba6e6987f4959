#include "autograd/ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops/linear.h"
#include "autograd/ops/reduce.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Form = std::function<Variable(const Variable&, const Variable&, const Variable&,
                                    const AttentionOptions&)>;

Variable fused(const Variable& q, const Variable& k, const Variable& v,
               const AttentionOptions& options) {
  return scaled_dot_product_attention(q, k, v, options);
}
Variable composed(const Variable& q, const Variable& k, const Variable& v,
                  const AttentionOptions& options) {
  return attention_with_weights(q, k, v, options).output;
}

Tensor normal(const Shape& shape, std::uint64_t seed, DType dtype = DType::f64) {
  return Rng(seed).normal(shape, dtype);
}
Tensor booleans(std::initializer_list<double> values, const Shape& shape) {
  return Tensor::from(values, shape, DType::boolean);
}
Tensor lengths(std::initializer_list<double> values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())}, DType::i64);
}

TEST(Cases, Cases_3_2_AQueryThatMaySeeNoKey) {
  // The case as sample 0; sample 1 sees everything. Projections by the identity, to see that their
  // gradients stay finite.
  const Tensor q0 = Tensor::from({1, 0, 0, 1, 1, 1}, {1, 1, 3, 2});
  const Tensor k0 = Tensor::from({1, 2, 0, 1, -1, 1}, {1, 1, 3, 2});
  const Tensor v0 = Tensor::from({1, 0, 2, 1, 0, 3}, {1, 1, 3, 2});
  const auto twice = [](const Tensor& x) { return expand(x, {2, 1, 3, 2}).clone(); };
  const Mask mask =
      allow(booleans({1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 1, 3, 3}));
  for (const Form& form : {Form(fused), Form(composed)}) {
    const Variable q(twice(q0), true), k(twice(k0), true), v(twice(v0), true);
    const Variable wq(Tensor::from({1, 0, 0, 1}, {2, 2}), true);
    const Variable wk(wq.value().clone(), true), wv(wq.value().clone(), true);
    const Variable y = form(linear(q, wq), linear(k, wk), linear(v, wv), {.mask = mask});
    EXPECT_TRUE(all_close(slice(y.value(), 0, 0, 1),
                          Tensor::from({1, 0, 0, 0, 0.892958199, 0.321125404}, {1, 1, 3, 2})));
    EXPECT_EQ(values_of(select(select(select(y.value(), 0, 0), 0, 0), 0, 1)),
              std::vector<double>({0, 0}));
    backward(y, Tensor::ones(y.shape()));
    EXPECT_TRUE(all_close(slice(q.grad(), 0, 0, 1),
                          Tensor::from({0, 0, 0, 0, -0.270351966, -0.135175983}, {1, 1, 3, 2})));
    EXPECT_TRUE(all_close(
        slice(k.grad(), 0, 0, 1),
        Tensor::from({-0.135175983, -0.135175983, 0, 0, 0.135175983, 0.135175983}, {1, 1, 3, 2})));
    EXPECT_TRUE(all_close(
        slice(v.grad(), 0, 0, 1),
        Tensor::from({1.8929582, 1.8929582, 0, 0, 0.107041801, 0.107041801}, {1, 1, 3, 2})));
    for (const Variable& x : {y, q, k, v, wq, wk, wv}) {
      for (const double value : values_of(x.has_grad() ? x.grad() : x.value())) {
        EXPECT_TRUE(std::isfinite(value));
      }
    }
  }
}

TEST(Cases, Cases_3_3_TheCausalTriangleHangsFromTheLowerRight) {
  const Variable q(Tensor::from({1, 0, 0, 1}, {1, 1, 2, 2}));
  const Variable k(Tensor::from({1, 0, 0, 1, 1, 1, -1, 1}, {1, 1, 4, 2}));
  const Variable v(Tensor::from({1, 0, 0, 1, 2, 2, 4, -1}, {1, 1, 4, 2}));
  const Tensor all = Tensor::from(
      {1, 0, 0.330238451, 0.669761549, 1.25523477, 1.25523477, 2.48166008, -0.0111515008},
      {1, 1, 4, 2});
  for (const Form& form : {Form(fused), Form(composed)}) {
    EXPECT_TRUE(all_close(form(q, k, v, {.mask = causal_mask()}).value(),
                          Tensor::from({1.20333628, 1, 1.85884369, 0.572562459}, {1, 1, 2, 2})));
    EXPECT_TRUE(all_close(form(k, k, v, {.mask = causal_mask()}).value(), all));
    for (std::int64_t i = 0; i < 4; ++i) {  // token by token: one query, the keys so far
      const Tensor query = slice(k.value(), 2, i, i + 1), keys = slice(k.value(), 2, 0, i + 1),
                   values = slice(v.value(), 2, 0, i + 1);
      EXPECT_TRUE(all_close(
          form(Variable(query), Variable(keys), Variable(values), {.mask = causal_mask()}).value(),
          slice(all, 2, i, i + 1)));
    }
  }
}

TEST(Cases, Cases_3_4_MeaningOfAMaskAndWhichSampleItBelongsTo) {
  const auto shifted = [](const Shape& shape, double from, double by) {
    return Variable((counting(shape) - from) / by);
  };
  const Variable q = shifted({2, 2, 1, 2}, 3, 2), k = shifted({2, 2, 3, 2}, 11, 6),
                 v = shifted({2, 2, 3, 2}, 0, 1);
  const Tensor want =
      Tensor::from({1.25662048, 2.25662048, 7.84322781, 8.84322781, 12, 13, 18, 19}, {2, 2, 1, 2});
  const Tensor seen = booleans({1, 1, 1, 1, 0, 0}, {2, 1, 1, 3});
  const std::pair<const char*, Mask> masks[] = {
      {"lengths", padding_mask(lengths({3, 1}))},
      {"[B, 1, 1, Tk]", allow(seen)},
      {"[B, 1, Tq, Tk]", allow(expand(seen, {2, 1, 1, 3}).clone())},
      {"[B, H, Tq, Tk]", allow(expand(seen, {2, 2, 1, 3}).clone())},
  };
  for (const Form& form : {Form(fused), Form(composed)}) {
    for (const auto& [name, mask] : masks) {
      EXPECT_TRUE(all_close(form(q, k, v, {.mask = mask}).value(), want)) << name;
    }
    const Tensor by_query = booleans({1, 0, 0}, {1, 3});  // [Tq, Tk]: the same for every sample
    EXPECT_TRUE(all_close(form(q, k, v, {.mask = allow(by_query)}).value(),
                          Tensor::from({0, 1, 6, 7, 12, 13, 18, 19}, {2, 2, 1, 2})));
    for (const std::int64_t sample : {0, 1}) {  // alone, with the hidden keys cut off
      const std::int64_t keys = sample == 0 ? 3 : 1;
      const auto part = [&](const Variable& x, std::int64_t length) {
        return Variable(slice(slice(x.value(), 0, sample, sample + 1), 2, 0, length));
      };
      EXPECT_TRUE(all_close(form(part(q, 1), part(k, keys), part(v, keys), {}).value(),
                            slice(want, 0, sample, sample + 1), 1e-6, 1e-6));
    }
  }
  const Attended attended = attention_with_weights(q, k, v, {.mask = allow(seen)});
  for (const std::int64_t key : {1, 2}) {
    for (const double weight : values_of(select(select(attended.weights.value(), 0, 1), -1, key))) {
      EXPECT_EQ(weight, 0);
    }
  }
  EXPECT_THROW_TEXT(fused(q, k, v, {.mask = allow(Tensor::ones({2, 3}, DType::boolean))}),
                    ShapeError,
                    "scaled_dot_product_attention: mask does not broadcast to the scores: mask is "
                    "[2, 3], scores are [2, 2, 1, 3]; axis -2 has 2 and 1");
  EXPECT_THROW_TEXT(composed(q, k, v, {.mask = allow(Tensor::ones({1, 3}))}), DTypeError,
                    "scaled_dot_product_attention: mask is f32; it must be bool, true = may be "
                    "seen; numbers to add to the scores are a bias");
}

/// q, k, v as views of packed projections: [B, T, 3, H, D] seen as three [B, H, T, D].
std::vector<Tensor> packed_heads(std::int64_t batch, std::int64_t length, std::int64_t heads,
                                 std::int64_t width, DType dtype) {
  const Tensor packed = normal({batch, length, 3, heads, width}, 5, dtype);
  std::vector<Tensor> parts;
  for (const int part : {0, 1, 2}) parts.push_back(transpose(select(packed, 2, part), 1, 2));
  return parts;
}

std::vector<std::pair<const char*, Mask>> every_kind_of_mask(std::int64_t queries,
                                                             std::int64_t keys) {
  Rng rng(9);
  Tensor allowed = rng.bernoulli({2, 1, queries, keys}, 0.6);
  for (std::int64_t j = 0; j < keys; ++j)
    allowed.mutable_data<bool>()[static_cast<std::size_t>(j)] = false;
  return {
      {"none", {}},
      {"causal", causal_mask()},
      {"lengths", padding_mask(Tensor::from({static_cast<double>(keys) - 1, 2}, {2}, DType::i64))},
      {"a sample without keys", padding_mask(lengths({0, 2}))},
      {"allowed, one row empty", allow(allowed)},
      {"by key", allow(rng.bernoulli({keys}, 0.7))},
      {"strided", allow(transpose(rng.bernoulli({2, 3, keys, queries}, 0.6), 2, 3))},
      {"all", causal_mask() & padding_mask(lengths({3, 2})) & allow(allowed)},
  };
}

/// Runs both forms on the same numbers and compares results and gradients.
void expect_forms_agree(const std::vector<Tensor>& qkv, const Mask& mask, double dropout,
                        double tolerance, const std::string& what) {
  std::vector<Tensor> results[2];
  for (const bool is_fused : {true, false}) {
    std::vector<Variable> inputs;
    for (const Tensor& x : qkv) inputs.emplace_back(x, /*requires_grad=*/true);
    Rng rng(11);
    const AttentionOptions options{
        .mask = mask, .scale = 0.4, .dropout = dropout, .rng = &rng, .training = true};
    const Variable y = (is_fused ? fused : composed)(inputs[0], inputs[1], inputs[2], options);
    backward(y, normal(y.shape(), 13, y.dtype()));
    std::vector<Tensor>& into = results[is_fused ? 0 : 1];
    into = {y.value(), inputs[0].grad(), inputs[1].grad(), inputs[2].grad()};
    // Both have drawn as much: what comes next is the same too.
    into.push_back(rng.uniform({2}, DType::f64));
  }
  const char* names[] = {"result", "dq", "dk", "dv", "generator"};
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_TRUE(all_close(results[0][i], results[1][i], tolerance, tolerance))
        << names[i] << ", " << what << ", dropout " << dropout;
  }
}

TEST(Attention, BothFormsAgree) {
  for (const double dropout : {0.0, 0.3, 1.0}) {
    for (const auto& [name, mask] : every_kind_of_mask(5, 5)) {
      expect_forms_agree(packed_heads(2, 5, 3, 4, DType::f64), mask, dropout, 1e-12, name);
    }
    for (const auto& [name, mask] : every_kind_of_mask(3, 7)) {
      expect_forms_agree(
          {normal({2, 3, 3, 4}, 1), normal({2, 3, 7, 4}, 2), normal({2, 3, 7, 6}, 3)}, mask,
          dropout, 1e-12, name);
    }
    for (const auto& [name, mask] : every_kind_of_mask(150, 90)) {  // more than one tile
      expect_forms_agree(
          {normal({2, 3, 150, 16}, 1, DType::f32), normal({2, 3, 90, 16}, 2, DType::f32),
           normal({2, 3, 90, 16}, 3, DType::f32)},
          mask, dropout, 2e-5, name);
    }
  }
}

TEST(Attention, ReadsAnyStrides) {
  // The last axis not dense, expanded over the batch, every second position.
  const Tensor q = transpose(normal({2, 3, 4, 5}, 1), -2, -1);
  const Tensor k = expand(normal({1, 3, 6, 4}, 2), {2, 3, 6, 4}).clone();
  const Tensor v = slice(normal({2, 3, 12, 4}, 3), 2, 0, kEnd, 2);
  expect_forms_agree({q, k, v}, {}, 0.2, 1e-12, "strided");
  const Variable shared(expand(normal({1, 3, 6, 4}, 2), {2, 3, 6, 4}));
  EXPECT_TRUE(all_close(fused(Variable(q), shared, Variable(v), {}).value(),
                        composed(Variable(q), Variable(k), Variable(v), {}).value(), 1e-12, 1e-12));
}

TEST(Attention, EmptyInputs) {
  for (const Form& form : {Form(fused), Form(composed)}) {
    const Variable q(Tensor::ones({2, 3, 4, 5}), true);
    const Variable k(Tensor::ones({2, 3, 0, 5}), true), v(Tensor::ones({2, 3, 0, 6}), true);
    const Variable none_to_see = form(q, k, v, {});
    EXPECT_TRUE(all_close(none_to_see.value(), Tensor::zeros({2, 3, 4, 6})));
    backward(none_to_see, Tensor::ones({2, 3, 4, 6}));
    EXPECT_TRUE(all_close(q.grad(), Tensor::zeros({2, 3, 4, 5})));
    EXPECT_EQ(k.grad().shape(), Shape({2, 3, 0, 5}));

    const Variable no_query(Tensor::ones({2, 3, 0, 5}), true),
        keys(Tensor::ones({2, 3, 4, 5}), true);
    const Variable nothing = form(no_query, keys, keys, {});
    EXPECT_EQ(nothing.shape(), Shape({2, 3, 0, 5}));
    backward(nothing, Tensor::ones({2, 3, 0, 5}));
    EXPECT_TRUE(all_close(keys.grad(), Tensor::zeros({2, 3, 4, 5})));
    const Variable no_sample(Tensor::ones({0, 3, 4, 5}));
    EXPECT_EQ(form(no_sample, no_sample, no_sample, {}).shape(), Shape({0, 3, 4, 5}));
  }
}

TEST(Attention, GradientMatchesDifferences) {
  const std::vector<Tensor> qkv{normal({2, 2, 3, 2}, 1), normal({2, 2, 4, 2}, 2),
                                normal({2, 2, 4, 3}, 3)};
  const Mask masks[] = {{}, causal_mask(), padding_mask(lengths({4, 2})) & causal_mask()};
  for (const Form& form : {Form(fused), Form(composed)}) {
    for (const Mask& mask : masks) {
      for (const double p : {0.0, 0.4}) {
        EXPECT_TRUE(gradients_match(
            [&](auto x) {
              Rng rng(3);  // the same weights are dropped each time
              return form(x[0], x[1], x[2],
                          {.mask = mask, .dropout = p, .rng = &rng, .training = true});
            },
            qkv));
      }
    }
  }
}

TEST(Attention, ABiasIsAddedToTheScoresAndHasAGradient) {
  const std::vector<Tensor> inputs{normal({2, 2, 3, 2}, 1), normal({2, 2, 4, 2}, 2),
                                   normal({2, 2, 4, 3}, 3), normal({2, 1, 4}, 4)};
  EXPECT_TRUE(gradients_match(
      [](auto x) {
        return scaled_dot_product_attention(x[0], x[1], x[2],
                                            {.mask = causal_mask(), .bias = x[3]});
      },
      inputs));
  // A bias of -infinity hides a key as a mask does.
  Tensor bias = Tensor::zeros({4}, DType::f64);
  bias.mutable_data<double>()[3] = -std::numeric_limits<double>::infinity();
  const Variable q(inputs[0]), k(inputs[1]), v(inputs[2]);
  EXPECT_TRUE(all_close(fused(q, k, v, {.bias = Variable(bias)}).value(),
                        fused(q, k, v, {.mask = allow(booleans({1, 1, 1, 0}, {4}))}).value()));
}

TEST(Attention, NothingIsDroppedOutsideTraining) {
  const Variable q(normal({1, 2, 3, 4}, 1));
  Rng rng(1);
  const Rng::State before = rng.state();
  for (const Form& form : {Form(fused), Form(composed)}) {
    const Tensor plain = form(q, q, q, {}).value();
    for (const double p : {0.0, 0.5, 1.0}) {
      EXPECT_TRUE(
          same_bits(form(q, q, q, {.dropout = p, .rng = &rng, .training = false}).value(), plain));
    }
    EXPECT_EQ(rng.state(), before);
    const Tensor dropped = form(q, q, q, {.dropout = 0.5, .rng = &rng, .training = true}).value();
    const Tensor again = form(q, q, q, {.dropout = 0.5, .rng = &rng, .training = true}).value();
    EXPECT_FALSE(same_bits(dropped, plain));
    EXPECT_FALSE(same_bits(dropped, again));
    rng.set_state(before);
  }
}

// The weights that the backward pass makes again, seen through dv where all values are 1. The log
// of their sum is near 5000, where neighbouring floats are 5e-4 apart.
TEST(Attention, BackwardWeightsSumToOneForLargeScores) {
  constexpr std::int64_t queries = 32, keys = 5;
  Tensor q = Tensor::full({1, 1, queries, 2}, 70), k = Tensor::full({1, 1, keys, 2}, 70);
  slice(q, 3, 1, 2).copy_from(normal({1, 1, queries, 1}, 1, DType::f32));
  slice(k, 3, 1, 2).copy_from(normal({1, 1, keys, 1}, 2, DType::f32));
  for (std::int64_t i = 0; i < queries; ++i) {
    const Variable query(slice(q, 2, i, i + 1)), v(Tensor::ones({1, 1, keys, 1}), true);
    backward(sum(fused(query, Variable(k), v, {.scale = 1})));
    EXPECT_NEAR(sum(v.grad()).item(), 1, 2e-6) << "query " << i;
  }
}

TEST(Attention, TheResultLiesSoThatHeadsMergeAsAView) {
  const Variable q(normal({2, 3, 4, 5}, 1));
  const Tensor y = fused(q, q, q, {}).value();
  EXPECT_TRUE(transpose(y, 1, 2).is_contiguous());
}

TEST(Attention, MemoryGrowsWithTheLengthNotWithItsSquare) {
  const auto peak = [](std::int64_t length) {
    const Tensor x = normal({1, 2, length, 8}, 1, DType::f32);
    const Variable q(x, true), k(x, true), v(x, true);
    const Tensor seed = Tensor::ones(x.shape());
    reset_peak_memory();
    const std::int64_t before = memory_stats().live_bytes;
    backward(fused(q, k, v, {.mask = causal_mask()}), seed);
    return memory_stats().peak_bytes - before;
  };
  const std::int64_t scratch = peak(1);
  EXPECT_LT(peak(2048) - scratch, 2.2 * static_cast<double>(peak(1024) - scratch));
  EXPECT_LT(peak(2048), 2 * 2048 * 2048);  // one byte for each weight
}

TEST(Attention, HeadsOfOneProductAreReadInPlace) {
  const Tensor qkv = normal({1, 256, 3 * 2 * 8}, 1);  // [B, T, 3·H·D]
  const auto heads = [&](std::int64_t part) {
    const Tensor own = slice(qkv, -1, part * 16, part * 16 + 16);  // [B, T, H·D]
    return transpose(reshape(own, {1, 256, 2, 8}), 1, 2);          // [B, H, T, D]
  };
  const auto peak = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    reset_peak_memory();
    const std::int64_t before = memory_stats().live_bytes;
    fused(Variable(q), Variable(k), Variable(v), {});
    return memory_stats().peak_bytes - before;
  };
  const Tensor dense = heads(0).contiguous();
  EXPECT_EQ(peak(heads(0), heads(1), heads(2)), peak(dense, dense, dense));
}

TEST(Attention, SameBitsForAnyNumberOfThreads) {
  for (const int wanted : {0, 1, 2, 3}) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const std::vector<Tensor> qkv = packed_heads(2, 75, 3, 10, DType::f32);
      const Variable q(qkv[0], true), k(qkv[1], true), v(qkv[2], true);
      Rng rng(3);
      const Variable y = fused(q, k, v,
                               {.mask = causal_mask() & padding_mask(lengths({75, 40})),
                                .dropout = 0.2,
                                .rng = &rng,
                                .training = true});
      if (wanted == 0) return y.value();
      backward(y, normal(y.shape(), 4, DType::f32));
      return wanted == 1 ? q.grad() : wanted == 2 ? k.grad() : v.grad();
    })) << wanted;
  }
}

TEST(Attention, AMaskWrittenToAfterwardsIsAnError) {
  const Variable q(normal({2, 1, 3, 2}, 1), true);
  Tensor kept = lengths({3, 2});
  const Variable y = fused(q, q, q, {.mask = padding_mask(kept)});
  kept.fill(1);
  EXPECT_THROW_TEXT(backward(y, Tensor::ones(y.shape(), DType::f64)), GradError,
                    "backward of scaled_dot_product_attention: a saved i64 of shape [2] was "
                    "written to after it was used; compute from a clone, or write before the use");
}

TEST(Attention, RefusesWithTheNumbers) {
  const auto ones = [](const Shape& shape) { return Variable(Tensor::ones(shape)); };
  const Variable q = ones({2, 4, 3, 8});
  for (const Form& form : {Form(fused), Form(composed)}) {
    EXPECT_THROW_TEXT(form(ones({2, 3, 8}), q, q, {}), ShapeError,
                      "scaled_dot_product_attention: q is [2, 3, 8], k is [2, 4, 3, 8], v is "
                      "[2, 4, 3, 8]; each must be [B, H, T, D]");
    EXPECT_THROW_TEXT(form(q, ones({2, 4, 5, 6}), ones({2, 4, 5, 8}), {}), ShapeError,
                      "scaled_dot_product_attention: q is [2, 4, 3, 8], k is [2, 4, 5, 6]; k must "
                      "have the same B = 2, H = 4 and D = 8");
    EXPECT_THROW_TEXT(form(q, ones({2, 4, 5, 8}), ones({2, 4, 6, 8}), {}), ShapeError,
                      "scaled_dot_product_attention: k is [2, 4, 5, 8], v is [2, 4, 6, 8]; v must "
                      "have the same B = 2, H = 4 and Tk = 5");
    const Variable ids(Tensor::ones({2, 4, 3, 8}, DType::i64));
    EXPECT_THROW_TEXT(form(ids, ids, ids, {}), DTypeError,
                      "scaled_dot_product_attention: q is i64; it must be f32 or f64");
    EXPECT_THROW_TEXT(form(q, q, Variable(Tensor::ones({2, 4, 3, 8}, DType::f64)), {}), DTypeError,
                      "scaled_dot_product_attention: dtypes differ: q is f32, k is f32, v is f64");
    EXPECT_THROW_TEXT(form(q, q, q, {.mask = padding_mask(lengths({1, 4}))}), IndexError,
                      "scaled_dot_product_attention: key_lengths[1] is 4; it must be within "
                      "0..Tk = 3");
    EXPECT_THROW_TEXT(form(q, q, q, {.dropout = 0.1, .training = true}), ValueError,
                      "scaled_dot_product_attention: dropout is 0.1 in training, but there is no "
                      "rng to draw it from");
    EXPECT_NO_THROW(form(q, q, q, {.dropout = 0.1, .training = false}));  // nothing is dropped
    EXPECT_NO_THROW(form(q, q, q, {.dropout = 0, .training = true}));
    EXPECT_THROW_TEXT(form(q, q, q, {.bias = ones({2, 3, 4})}), ShapeError,
                      "scaled_dot_product_attention: bias does not broadcast to the scores: bias "
                      "is [2, 3, 4], scores are [2, 4, 3, 3]");
    Rng rng(1);
    for (const bool training : {true, false}) {
      for (const double p : {-0.1, 1.1, std::nan("")}) {
        EXPECT_THROW(form(q, q, q, {.dropout = p, .rng = &rng, .training = training}), ValueError);
      }
    }
  }
}

}  // namespace
}  // namespace lectern
