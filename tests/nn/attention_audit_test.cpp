#include "nn/attention_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "nn/transformer_layer.h"
#include "tensor/matmul.h"
#include "tests/nn/attention_audit_cases.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"

namespace lectern::nn {
namespace {

/// One function against the declaration that it keeps, or breaks.
void expect_faults(const std::function<Variable(const Variable&)>& f,
                   const AttentionAuditOptions& options, const Faults& want) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const AttentionAudit audit = attention_audit(f, sentences(dtype), options);
    EXPECT_EQ(faults(audit), want) << name(dtype) << '\n' << to_string(audit);
    EXPECT_EQ(audit.passed(), want.empty());
  }
}

TEST(AttentionAudit, TellsWhichPositionReachesWhich) {
  const AttentionAudit audit = attention_audit(
      [](const Variable& x) { return attend(x, causal_mask()); }, sentences(), {.causal = true});
  const Tensor triangle = equal(tril(Tensor::ones({5, 5})), 1);
  EXPECT_TRUE(same_bits(audit.reaches, expand(triangle, {2, 5, 5})));
  EXPECT_TRUE(same_bits(audit.may_reach, expand(triangle, {2, 5, 5})));
  EXPECT_TRUE(same_bits(audit.samples, Tensor::eye(2, DType::boolean)));
  EXPECT_TRUE(audit.passed());
}

TEST(AttentionAudit, FindsThatNoPositionsAreMixed) {
  const auto alone = [](const Variable& x) { return softmax(x, -1) * x; };
  expect_faults(alone, {}, {Fault::mixes_no_positions});
  expect_faults([](const Variable& x) { return attend(x, {}); }, {}, {});
  EXPECT_EQ(sentence(attention_audit(alone, sentences()), Fault::mixes_no_positions),
            "mixes no positions: none of the positions 0..4 reaches another one");
  // Where nothing may be mixed, nothing is missing.
  expect_faults(alone, {.mask = allow(Tensor::eye(5, DType::boolean))}, {});
}

TEST(AttentionAudit, FindsALookAtTheFuture) {
  const auto open = [](const Variable& x) { return attend(x, {}); };
  const auto one_too_far = [](const Variable& x) {
    return attend(x, allow(equal(tril(Tensor::ones({5, 5}), 1), 1)));
  };
  expect_faults([](const Variable& x) { return attend(x, causal_mask()); }, {.causal = true}, {});
  expect_faults(open, {.causal = true}, {Fault::looks_at_future});
  expect_faults(open, {.mask = causal_mask()}, {Fault::looks_at_future});
  expect_faults(one_too_far, {.causal = true}, {Fault::looks_at_future});
  EXPECT_EQ(
      sentence(attention_audit(one_too_far, sentences(), {.causal = true}), Fault::looks_at_future),
      "looks at the future: position 1 of sample 0 reaches position 0 (the first of 8 such "
      "pairs)");
}

TEST(AttentionAudit, FindsASingleLookAtTheFuture) {
  Tensor seen = equal(tril(Tensor::ones({2, 1, 5, 5})), 1);
  Tensor pair = select(select(select(select(seen, 0, 1), 0, 0), 0, 2), 0, 4);
  pair.fill(1);
  const auto one_pair = [&](const Variable& x) { return attend(x, allow(seen)); };
  EXPECT_EQ(
      sentence(attention_audit(one_pair, sentences(), {.causal = true}), Fault::looks_at_future),
      "looks at the future: position 4 of sample 1 reaches position 2");
}

TEST(AttentionAudit, FindsThatPaddingIsSeen) {
  const AttentionAuditOptions padded{.mask = padding_mask(lengths(5, 3))};
  const auto hides_padded_queries = [](const Variable& x) {
    Tensor real = Tensor::ones({2, 5, 1}, DType::boolean);
    Tensor padding = slice(select(real, 0, 1), 0, 3);
    padding.fill(0);
    return where(real, attend(x, {}), 0);
  };
  const auto hides_them_weakly = [](const Variable& x) {
    Tensor real = Tensor::ones({2, 1, 5}, DType::boolean);
    Tensor padding = slice(select(select(real, 0, 1), 0, 0), 0, 3);
    padding.fill(0);
    const Variable scores = matmul(x, transpose(x, 1, 2));
    return matmul(softmax(where(real, scores, scores - 5), -1), x);
  };
  expect_faults([](const Variable& x) { return attend(x, padding_mask(lengths(5, 3))); }, padded,
                {});
  expect_faults([](const Variable& x) { return attend(x, {}); }, padded, {Fault::sees_padding});
  expect_faults([](const Variable& x) { return attend(x, padding_mask(lengths(5, 4))); }, padded,
                {Fault::sees_padding});
  expect_faults(hides_padded_queries, padded, {Fault::sees_padding});
  expect_faults(hides_them_weakly, padded, {Fault::sees_padding});
  EXPECT_EQ(
      sentence(attention_audit(hides_padded_queries, sentences(), padded), Fault::sees_padding),
      "sees padding: position 3 of sample 1, whose key length is 3, reaches position 0 (the "
      "first of 6 such pairs)");
}

TEST(AttentionAudit, FindsThatAMaskIsIgnored) {
  const AttentionAuditOptions banded{.mask = allow(band())};
  expect_faults([](const Variable& x) { return attend(x, allow(band())); }, banded, {});
  expect_faults([](const Variable& x) { return attend(x, {}); }, banded, {Fault::ignores_mask});
  const auto inverted = [](const Variable& x) { return attend(x, allow(logical_not(band()))); };
  expect_faults(inverted, banded, {Fault::ignores_mask});
  EXPECT_EQ(
      sentence(attention_audit(inverted, sentences(), banded), Fault::ignores_mask),
      "ignores the mask: position 2 of sample 0 reaches position 0, from which the mask hides "
      "it (the first of 24 such pairs)");
}

TEST(AttentionAudit, HandsTheMaskToAFunctionThatTakesOne) {
  const auto told = [](const Variable& x, const Mask& mask) { return attend(x, mask); };
  const auto deaf = [](const Variable& x, const Mask&) { return attend(x, allow(band())); };
  for (const Mask& mask : {causal_mask(), padding_mask(lengths(2, 4)), allow(band()), Mask{}}) {
    EXPECT_EQ(faults(attention_audit(told, sentences(), {.mask = mask})), Faults{});
  }
  // It happens to hide the right keys, but not because it was told to.
  const AttentionAudit by_chance = attention_audit(deaf, sentences(), {.mask = allow(band())});
  EXPECT_EQ(faults(by_chance), Faults{Fault::ignores_mask});
  EXPECT_EQ(sentence(by_chance, Fault::ignores_mask),
            "ignores the mask: the result is the same without one");
  EXPECT_EQ(faults(attention_audit(deaf, sentences(), {.mask = causal_mask()})),
            (Faults{Fault::looks_at_future, Fault::ignores_mask}));
  // A mask that hides nothing changes nothing.
  EXPECT_EQ(faults(attention_audit(deaf, sentences(), {.mask = padding_mask(lengths(5, 5))})),
            Faults{});
  EXPECT_EQ(faults(attention_audit(deaf, sentences(), {})), Faults{});
}

TEST(AttentionAudit, FindsThatAMaskOfOneHeadIsIgnored) {
  Tensor by_head = Tensor::ones({1, 2, 5, 5}, DType::boolean);
  Tensor second = select(select(by_head, 0, 0), 0, 1);
  second.copy_from(band());
  Rng rng(1);
  const MultiHeadSelfAttention attention(4, 2, rng, {.dtype = DType::f64});
  const auto told = [&](const Variable& x, const Mask& mask) { return attention(x, mask); };
  const auto deaf = [&](const Variable& x, const Mask&) { return attention(x); };
  EXPECT_EQ(faults(attention_audit(told, sentences(), {.mask = allow(by_head)})), Faults{});
  EXPECT_EQ(faults(attention_audit(deaf, sentences(), {.mask = allow(by_head)})),
            Faults{Fault::ignores_mask});
}

TEST(AttentionAudit, DoesNotTakeAKeyOfNoWeightForAnIgnoredMask) {
  // Without the mask the hidden keys have weights of about exp(-34).
  const auto nearly_masked = [](const Variable& x, const Mask& mask) {
    const Variable scores = where(band(), matmul(x, transpose(x, 1, 2)), -34);
    return matmul(masked_softmax(scores, mask), x);
  };
  const Tensor with = nearly_masked(sentences(), allow(band())).value();
  const Tensor without = nearly_masked(sentences(), {}).value();
  EXPECT_FALSE(same_bits(with, without));
  EXPECT_TRUE(all_close(with, without, 0, 1e-14));
  EXPECT_EQ(faults(attention_audit(nearly_masked, sentences(), {.mask = allow(band())})), Faults{});
}

TEST(AttentionAudit, MeasuresChangesOfAResultThatIsZero) {
  const Variable nothing(Tensor::zeros({2, 5, 4}));
  EXPECT_EQ(faults(attention_audit([](const Variable& x) { return attend(x, {}); }, nothing)),
            Faults{});
  EXPECT_EQ(faults(attention_audit([](const Variable& x) { return attend(x, {}); }, nothing,
                                   {.causal = true})),
            Faults{Fault::looks_at_future});
}

TEST(AttentionAudit, AKeyThatOneHeadSeesMayReach) {
  Tensor by_head = Tensor::zeros({1, 2, 5, 5}, DType::boolean);
  Tensor second = select(select(by_head, 0, 0), 0, 1);
  second.copy_from(band());
  Rng rng(1);
  const MultiHeadSelfAttention attention(4, 2, rng, {.dtype = DType::f64});
  const AttentionAudit audit =
      attention_audit([&](const Variable& x, const Mask& mask) { return attention(x, mask); },
                      sentences(), {.mask = allow(by_head)});
  EXPECT_TRUE(audit.passed()) << to_string(audit);
  EXPECT_TRUE(same_bits(select(audit.reaches, 0, 1), band()));
}

TEST(AttentionAudit, FindsThatASampleDependsOnItsNeighbours) {
  const auto centred = [](const Variable& x) { return attend(x - mean(x, 0, true), {}); };
  const auto second_from_first = [](const Variable& x) {
    const Variable first = slice(x, 0, 0, 1);
    return attend(x, {}) + concat({first - first, first}, 0);
  };
  expect_faults(centred, {}, {Fault::depends_on_batch});
  expect_faults(second_from_first, {}, {Fault::depends_on_batch});
  const AttentionAudit audit = attention_audit(second_from_first, sentences());
  EXPECT_EQ(
      sentence(audit, Fault::depends_on_batch),
      "depends on its batch neighbours: position 0 of sample 0 reaches position 0 of sample 1 "
      "(the first of 5 such pairs)");
  EXPECT_TRUE(same_bits(audit.samples, equal(Tensor::from({1, 0, 1, 1}, {2, 2}), 1)));
}

TEST(AttentionAudit, FindsThatBackwardDisagrees) {
  const auto cut = [](const Variable& x) { return x + attend(x.detach(), {}); };
  const auto cut_off = [](const Variable& x) { return attend(x.detach(), {}); };
  const auto turned_round = [](const Variable& x) {  // the derivative forgets to transpose
    const Tensor weights = tril(Tensor::ones({5, 5}, x.dtype()));
    return record("mix", matmul(weights, x.value()),
                  wrt(x, [weights](const Tensor& g) { return matmul(weights, g); }));
  };
  expect_faults(cut, {}, {Fault::gradient_differs});
  expect_faults(cut_off, {}, {Fault::gradient_differs});
  expect_faults(turned_round, {}, {Fault::gradient_differs});
  EXPECT_EQ(sentence(attention_audit(cut, sentences()), Fault::gradient_differs),
            "gradient differs: position 0 of sample 0 changes with position 1 of sample 0, but "
            "sends no gradient to it (the first of 40 such pairs)");
  EXPECT_EQ(sentence(attention_audit(turned_round, sentences()), Fault::gradient_differs),
            "gradient differs: position 0 of sample 0 does not change with position 1 of sample 0, "
            "but sends a gradient to it (the first of 40 such pairs)");
}

TEST(AttentionAudit, TellsThatSaturatedWeightsSendNoGradient) {
  // The scores are hundreds apart: all weights but one are 0 in f32, and so is their gradient.
  const auto saturated = [](const Variable& x) { return attend(50 * x, {}); };
  const AttentionAudit audit = attention_audit(saturated, sentences(DType::f32));
  EXPECT_EQ(faults(audit), Faults{Fault::gradient_differs}) << to_string(audit);
}

TEST(AttentionAudit, TakesForRoundingWhatItIsTold) {
  // The largest score of the whole batch is taken off all: no influence, but not the same bits.
  const auto stable = [](const Variable& x) {
    const Variable scores = 0.1 * matmul(x, transpose(x, 1, 2));
    const Variable weights = exp(scores - max(scores));
    return matmul(weights / sum(weights, -1, true), x);
  };
  EXPECT_NE(sentence(attention_audit(stable, sentences()), Fault::depends_on_batch), "");
  expect_faults(stable, {.tolerance = 1e-5}, {});
  // What is not much more than the tolerance is still found.
  const auto leaking = [](const Variable& x) {
    return attend(x, causal_mask()) + 1e-4 * attend(x, {});
  };
  expect_faults(leaking, {.causal = true, .tolerance = 1e-5}, {Fault::looks_at_future});
}

TEST(AttentionAudit, FindsALeakThatIsLostInTheSum) {
  // A key has a weight of about exp(-30): 1 + 1e-13 is 1 in f32, but there is a gradient.
  const auto barely_hidden = [](const Variable& x) {
    const Variable scores = matmul(x, transpose(x, 1, 2));
    return matmul(softmax(where(equal(tril(Tensor::ones({5, 5})), 1), scores, -30), -1), x);
  };
  expect_faults(barely_hidden, {.causal = true}, {Fault::looks_at_future});
}

TEST(AttentionAudit, LeavesTheGradientsOfParametersAlone) {
  Rng rng(1);
  MultiHeadSelfAttention attention(4, 2, rng);
  const Variable x = sentences(DType::f32);
  const auto f = [&](const Variable& at) { return attention(at); };
  static_cast<void>(attention_audit(f, x));
  for (const Parameter& parameter : attention.parameters()) EXPECT_FALSE(parameter.has_grad());
  backward(sum(attention(x)));
  std::vector<Tensor> before;
  for (const Parameter& parameter : attention.parameters()) {
    before.push_back(parameter.grad().clone());
  }
  static_cast<void>(attention_audit(f, x));
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(same_bits(attention.parameters()[i].grad(), before[i]));
  }
}

TEST(AttentionAudit, DrawsATableForEachKindOfSample) {
  const AttentionAudit padded = attention_audit(
      [](const Variable& x) { return attend(x, causal_mask() & padding_mask(lengths(5, 2))); },
      sentences(), {.causal = true, .mask = padding_mask(lengths(5, 1))});
  EXPECT_EQ(to_string(padded), R"(sample 0
                 from position
                 0 1 2 3 4
  to position  0 #
               1 # #
               2 # # #
               3 # # # #
               4 # # # # #
sample 1
                 from position
                 0 1 2 3 4
  to position  0 #
               1 # #
               2 # ! #
               3 # !   #
               4 # !     #
# reaches, . does not; where it may not: ! reaches, blank does not
sees padding: position 1 of sample 1, whose key length is 1, reaches position 2 (the first of 3 such pairs)
condemned
)");
  const AttentionAudit one = attention_audit([](const Variable& x) { return softmax(x, -1); },
                                             Variable(Rng(1).normal({1, 2, 3})));
  EXPECT_EQ(to_string(one), R"(sample 0
                 from position
                 0 1
  to position  0 # .
               1 . #
# reaches, . does not; where it may not: ! reaches, blank does not
mixes no positions: none of the positions 0..1 reaches another one
condemned; one sample has no neighbours to depend on
)");
}

}  // namespace
}  // namespace lectern::nn
