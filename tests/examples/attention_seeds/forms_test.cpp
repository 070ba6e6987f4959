#include <gtest/gtest.h>

#include "autograd/ops/reduce.h"
#include "examples/attention_seeds/einsum_form.h"
#include "examples/attention_seeds/matmul_form.h"
#include "examples/attention_seeds/paper_notation.h"
#include "examples/attention_seeds/shared_head_projections.h"
#include "nn/attention.h"
#include "nn/attention_audit.h"
#include "tensor/join.h"
#include "tests/nn/layer_contract.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::attention_seeds {
namespace {

using nn::attention_audit;
using nn::AttentionAudit;
using nn::AttentionFault;
using nn::expect_layer_contract;
using Inputs = std::vector<Variable>;

Variable normal(const Shape& shape, std::uint64_t seed, DType dtype = DType::f64) {
  return Variable(Rng(seed).normal(shape, dtype));
}

std::vector<std::string> affine(const std::vector<std::string>& modules) {
  std::vector<std::string> names;
  for (const std::string& module : modules) {
    names.push_back(module + ".weight");
    names.push_back(module + ".bias");
  }
  return names;
}

TEST(EinsumForm, KeepsTheLayerContract) {
  const auto make = [](Rng& rng, DType d) { return EinsumForm(6, 2, rng, d); };
  const std::vector<std::string> names = affine({"q_linear", "v_linear", "k_linear", "fc_out"});
  const nn::LayerPromises promises{
      .refuses = {
          {{{2, 3, 7}, {2, 3, 6}, {2, 3, 6}},
           "EinsumForm: query is [2, 3, 7]; it must be [B, T, 6]"},
          {{{2, 3, 6}, {2, 6}, {2, 3, 6}}, "EinsumForm: key is [2, 6]; it must be [B, T, 6]"},
          {{{2, 3, 6}, {2, 3, 6}, {2, 3, 5}},
           "EinsumForm: value is [2, 3, 5]; it must be [B, T, 6]"}}};
  expect_layer_contract(make, {{2, 3, 6}, {2, 3, 6}, {2, 3, 6}}, names, promises,
                        [](auto& f, const Inputs& x) { return f.as_printed(x[0], x[1], x[2]); });
  expect_layer_contract(make, {{2, 3, 6}, {2, 4, 6}, {2, 4, 6}}, names, promises,
                        [](auto& f, const Inputs& x) { return f(x[0], x[1], x[2]); });
}

TEST(SharedHeadProjections, KeepsTheLayerContract) {
  const auto make = [](Rng& rng, DType d) { return SharedHeadProjections(6, 2, rng, d); };
  const std::vector<Shape> shapes{{2, 4, 6}, {2, 4, 6}, {2, 3, 6}};
  const std::vector<std::string> names{"values.weight", "keys.weight", "queries.weight",
                                       "fc_out.weight", "fc_out.bias"};
  const nn::LayerPromises promises{
      .refuses = {{{{2, 4, 7}, {2, 4, 6}, {2, 3, 6}},
                   "SharedHeadProjections: values is [2, 4, 7]; it must be [B, T, 6]"},
                  {{{2, 4, 6}, {4, 6}, {2, 3, 6}},
                   "SharedHeadProjections: keys is [4, 6]; it must be [B, T, 6]"},
                  {{{2, 4, 6}, {2, 4, 6}, {2, 3, 5}},
                   "SharedHeadProjections: query is [2, 3, 5]; it must be [B, T, 6]"}}};
  const Tensor lengths = Tensor::from({4, 2}, {2}, DType::i64);
  const Tensor mask = Tensor::from({1, 1, 1, 1, 1, 1, 0, 0}, {2, 1, 1, 4});
  expect_layer_contract(make, shapes, names, promises, [&](auto& f, const Inputs& x) {
    return f.as_printed(x[0], x[1], x[2], mask);
  });
  expect_layer_contract(make, shapes, names, promises, [&](auto& f, const Inputs& x) {
    return f(x[0], x[1], x[2], padding_mask(lengths));
  });
}

TEST(MatmulForm, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) { return MatmulForm(6, 2, rng, d); }, {{2, 3, 6}},
      affine({"query", "key", "value", "fc_out"}),
      {.refuses = {{{{2, 3, 7}}, "MatmulForm: x is [2, 3, 7]; it must be [B, T, 6]"},
                   {{{3, 6}}, "MatmulForm: x is [3, 6]; it must be [B, T, 6]"}}});
}

TEST(PaperNotation, KeepsTheLayerContract) {
  expect_layer_contract(
      [](Rng& rng, DType d) { return PaperNotation(rng, 6, 2, d); }, {{2, 3, 6}},
      affine({"W_q", "W_k", "W_v", "W_o"}),
      {.refuses = {{{{2, 3, 7}}, "PaperNotation: x is [2, 3, 7]; it must be [B, T, 6]"},
                   {{{3, 6}}, "PaperNotation: x is [3, 6]; it must be [B, T, 6]"}}});
}

TEST(MatmulForm, KeepsTheShapeItWasPublishedWith) {
  Rng rng(1);
  const MatmulForm form(128, 8, rng);
  EXPECT_EQ(form(normal({32, 10, 128}, 1, DType::f32)).shape(), Shape({32, 10, 128}));
}

TEST(PaperNotation, HasThePapersSizeUnlessToldOtherwise) {
  Rng rng(1);
  PaperNotation form(rng);
  EXPECT_EQ(form.parameter_count(), 4 * (512 * 512 + 512));
  EXPECT_EQ(form(normal({2, 3, 512}, 1, DType::f32)).shape(), Shape({2, 3, 512}));
}

// Seed 000: what is wrong with it.

TEST(EinsumForm, AsPrintedAttendsOverTheHeadsOfOnePosition) {
  Rng rng(1);
  const EinsumForm form(6, 2, rng, DType::f64);
  const Variable x = normal({2, 5, 6}, 2);
  const Tensor all = form.as_printed(x, x, x).value();
  for (std::int64_t t = 0; t < 5; ++t) {
    const Variable alone = slice(x, 1, t, t + 1);
    EXPECT_TRUE(all_close(form.as_printed(alone, alone, alone).value(), slice(all, 1, t, t + 1),
                          1e-12, 1e-12))
        << "position " << t;
  }
}

TEST(EinsumForm, AsPrintedRefusesUnequalLengths) {
  Rng rng(1);
  const EinsumForm form(6, 2, rng, DType::f64);
  const Variable five = normal({2, 5, 6}, 2), seven = normal({2, 7, 6}, 3);
  EXPECT_THROW_TEXT(
      form.as_printed(five, seven, seven), ShapeError,
      "einsum: letter 'h' is 5 in operand 0 (axis 2 of [2, 2, 5, 3]) but 7 in operand "
      "1 (axis 2 of [2, 2, 7, 3])\n"
      "    nqhd,nkhd->nhqk\n"
      "      ^    ^");
  EXPECT_EQ(form(five, seven, seven).shape(), Shape({2, 5, 6}));

  // einsum spreads an axis of extent 1, so that a single key passes; a single query fails later.
  const Variable one = normal({2, 1, 6}, 4);
  EXPECT_EQ(form.as_printed(five, one, one).shape(), Shape({2, 5, 6}));
  EXPECT_THROW_TEXT(form.as_printed(one, seven, seven), ShapeError,
                    "Linear: x is [2, 1, 42], weight is [6, 6]; x.shape[-1] must equal in = 6");
}

TEST(EinsumForm, AsMeantIsMultiHeadAttention) {
  Rng rng(1);
  EinsumForm form(6, 2, rng, DType::f64);
  nn::disturb(form);
  nn::MultiHeadAttention attention(6, 2, rng, {.dtype = DType::f64});
  std::vector<Tensor> state;
  for (const NamedTensor& entry : form.state_dict()) state.push_back(entry.value);
  const std::vector<NamedTensor> same{
      {"in_proj_weight", concat({state[0], state[4], state[2]})},  // q, k, v
      {"in_proj_bias", concat({state[1], state[5], state[3]})},
      {"out_proj.weight", state[6]},
      {"out_proj.bias", state[7]}};
  attention.load_state_dict(same);
  const Variable query = normal({2, 5, 6}, 2), key = normal({2, 4, 6}, 3),
                 value = normal({2, 4, 6}, 4);
  EXPECT_TRUE(all_close(form(query, key, value).value(), attention(query, key, value).value(),
                        1e-12, 1e-12));
}

// Seed 002: a query that sees nothing.

TEST(SharedHeadProjections, AQueryThatSeesNothingTakesTheMeanAsPrintedAndZeroAsMeant) {
  Rng rng(1);
  SharedHeadProjections form(6, 2, rng, DType::f64);
  nn::disturb(form);
  const Variable keys = normal({1, 4, 6}, 2), query = normal({1, 3, 6}, 3);
  const Tensor sees_nothing = Tensor::zeros({1, 1, 1, 4});
  const Tensor bias = form.named_parameters().back().value.value();

  // Every key alike is what any query gets from keys that are all the same.
  const Variable means = expand(mean(keys, 1, true), {1, 4, 6});
  EXPECT_TRUE(all_close(form.as_printed(keys, keys, query, sees_nothing).value(),
                        form.as_printed(means, means, query).value(), 1e-12, 1e-12));
  EXPECT_TRUE(all_close(form(keys, keys, query, allow(equal(sees_nothing, 1))).value(),
                        expand(bias, {1, 3, 6}), 0, 0));
}

TEST(SharedHeadProjections, TheTwoWaysToHideAgreeWhereSomethingIsSeen) {
  Rng rng(1);
  const SharedHeadProjections form(6, 2, rng, DType::f64);
  const Variable keys = normal({2, 4, 6}, 2), query = normal({2, 4, 6}, 3);
  const Mask mask = causal_mask() & padding_mask(Tensor::from({4, 2}, {2}, DType::i64));
  EXPECT_TRUE(
      all_close(form.as_printed(keys, keys, query, dense("mask", mask, {2, 1, 4, 4})).value(),
                form(keys, keys, query, mask).value(), 1e-12, 1e-12));
}

// What the audit says of the four.

std::vector<AttentionFault> faults(const AttentionAudit& audit) {
  std::vector<AttentionFault> found;
  for (const auto& violation : audit.violations) found.push_back(violation.fault);
  return found;
}

TEST(AttentionSeeds, TheAuditCondemnsSeed000AsPrintedAndPassesTheOthers) {
  Rng rng(1);
  const EinsumForm einsum_form(16, 4, rng);
  const SharedHeadProjections shared(16, 4, rng);
  const MatmulForm matmul_form(128, 8, rng);
  const PaperNotation paper(rng);
  const auto found = [](const std::function<Variable(const Variable&)>& f, std::int64_t width) {
    return faults(attention_audit(f, normal({2, 5, width}, 7, DType::f32)));
  };
  using Faults = std::vector<AttentionFault>;
  EXPECT_EQ(found([&](const Variable& x) { return einsum_form.as_printed(x, x, x); }, 16),
            Faults{AttentionFault::mixes_no_positions});
  EXPECT_EQ(found([&](const Variable& x) { return einsum_form(x, x, x); }, 16), Faults{});
  EXPECT_EQ(found([&](const Variable& x) { return shared.as_printed(x, x, x); }, 16), Faults{});
  EXPECT_EQ(found([&](const Variable& x) { return matmul_form(x); }, 128), Faults{});
  EXPECT_EQ(found([&](const Variable& x) { return paper(x); }, 512), Faults{});
}

TEST(AttentionSeeds, TheAuditPassesTheMasksOfSeed002UntilASampleSeesNothing) {
  Rng rng(1);
  const SharedHeadProjections form(16, 4, rng);
  const Variable x = normal({2, 5, 16}, 7, DType::f32);
  const auto as_printed = [&](const Variable& at, const Mask& mask) {
    return form.as_printed(at, at, at, dense("mask", mask, {2, 1, 5, 5}));
  };
  const auto as_meant = [&](const Variable& at, const Mask& mask) {
    return form(at, at, at, mask);
  };
  for (const double shorter : {5., 3., 1.}) {
    const Mask mask = causal_mask() & padding_mask(Tensor::from({5, shorter}, {2}, DType::i64));
    EXPECT_TRUE(attention_audit(as_printed, x, {.mask = mask}).passed());
    EXPECT_TRUE(attention_audit(as_meant, x, {.mask = mask}).passed());
  }
  const Mask empty = padding_mask(Tensor::from({5, 0}, {2}, DType::i64));
  EXPECT_EQ(faults(attention_audit(as_printed, x, {.mask = empty})),
            std::vector{AttentionFault::sees_padding});
  EXPECT_TRUE(attention_audit(as_meant, x, {.mask = empty}).passed());
}

TEST(AttentionSeeds, NameWhatDoesNotFit) {
  Rng rng(1);
  EXPECT_THROW_TEXT(EinsumForm(10, 4, rng), ShapeError,
                    "EinsumForm: width 10 is not divisible by heads 4");
  EXPECT_THROW_TEXT(SharedHeadProjections(10, 4, rng), ShapeError,
                    "SharedHeadProjections: width 10 is not divisible by heads 4");
  EXPECT_THROW_TEXT(MatmulForm(10, 0, rng), ShapeError,
                    "MatmulForm: width 10 is not divisible by heads 0");
  EXPECT_THROW_TEXT(PaperNotation(rng, 10, 4), ShapeError,
                    "PaperNotation: width 10 is not divisible by heads 4");
}

}  // namespace
}  // namespace lectern::attention_seeds
