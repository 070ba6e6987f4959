#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/ops/reduce.h"
#include "nn/attention_audit.h"
#include "nn/transformer_layer.h"
#include "tests/nn/attention_audit_cases.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern::nn {
namespace {

// What is audited, and what can not be.

Variable same(const Variable& x) { return x; }

TEST(AttentionAudit, NamesAnInputThatCanNotBeAudited) {
  const auto audit = [](const Tensor& x) { return attention_audit(same, Variable(x)); };
  EXPECT_THROW_TEXT(audit(Tensor::zeros({5, 4})), ShapeError,
                    "attention_audit: x is [5, 4]; it must be [B, T, E]");
  EXPECT_THROW_TEXT(audit(Tensor::zeros({2, 1, 4})), ShapeError,
                    "attention_audit: x is [2, 1, 4]; T must be at least 2, as one position has "
                    "nothing to mix with");
  EXPECT_THROW_TEXT(audit(Tensor::zeros({0, 5, 4})), ShapeError,
                    "attention_audit: x is [0, 5, 4]; it must not be empty");
  EXPECT_THROW_TEXT(audit(Tensor::zeros({2, 5, 4}, DType::i64)), DTypeError,
                    "attention_audit: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(audit(Tensor::full({1, 2, 1}, std::nan(""))), ValueError,
                    "attention_audit: x is not finite: at [0, 0, 0] it is nan");
  EXPECT_THROW_TEXT(attention_audit(same, sentences(), {.mask = padding_mask(lengths(5, 6))}),
                    IndexError,
                    "attention_audit: key_lengths[1] is 6; it must be within 0..Tk = 5");
  EXPECT_THROW_TEXT(
      attention_audit(same, sentences(), {.mask = allow(Tensor::ones({5, 4}, DType::boolean))}),
      ShapeError,
      "attention_audit: mask does not broadcast to the scores: mask is [5, 4], scores are "
      "[2, 1, 5, 5]; axis -1 has 4 and 5");
  EXPECT_THROW_TEXT(attention_audit(same, sentences(), {.tolerance = -1}), ValueError,
                    "attention_audit: tolerance is -1; it must be 0 or more");
  const NoGrad guard;
  EXPECT_THROW_TEXT(attention_audit(same, sentences()), GradError,
                    "attention_audit: recording is off, but gradients are looked at; call it "
                    "outside NoGrad");
}

// Attention would overflow, but a shift by one position does not.
TEST(AttentionAudit, ItsOwnChangesDoNotOverflow) {
  const auto next = [](const Variable& x) {
    return concat({slice(x, 1, 1), slice(x, 1, 0, 1)}, 1);
  };
  for (const auto& [dtype, large] :
       {std::pair(DType::f32, 3.4e38), std::pair(DType::f64, 1.7e308)}) {
    const Variable x(Tensor::full({1, 3, 2}, large, dtype));
    const AttentionAudit audit = attention_audit(next, x);
    EXPECT_TRUE(audit.passed()) << to_string(audit);
    EXPECT_EQ(values_of(audit.reaches), std::vector<double>({0, 1, 0, 0, 0, 1, 1, 0, 0}));
  }
}

TEST(AttentionAudit, KeepsItsInputFromAFunctionThatOverwritesIt) {
  const Variable x = sentences();
  const std::vector<double> before = values_of(x.value());
  const auto f = [](const Variable& at) {
    const Variable y = attend(Variable(at.value().clone()), {});
    Tensor value = at.value();
    value.fill(0);
    return y;
  };
  static_cast<void>(attention_audit(f, x));
  EXPECT_EQ(values_of(x.value()), before);
  static_cast<void>(attention_audit([&](const Variable& at, const Mask&) { return f(at); }, x,
                                    {.mask = causal_mask()}));
  EXPECT_EQ(values_of(x.value()), before);

  const Tensor ids = Tensor::from({1, 2, 1}, {1, 3}, DType::i64);
  const auto of_ids = [](const Tensor& at) {
    const Variable y(one_hot(at, 3));
    Tensor value = at;
    value.fill(0);
    return y;
  };
  static_cast<void>(attention_audit(of_ids, ids, 3));
  EXPECT_EQ(values_of(ids), std::vector<double>({1, 2, 1}));
}

TEST(AttentionAudit, NamesAFunctionThatIsEmpty) {
  const std::string text = "attention_audit: f is empty; it must be a function";
  EXPECT_THROW_TEXT(attention_audit(std::function<Variable(const Variable&)>(), sentences()),
                    ValueError, text);
  EXPECT_THROW_TEXT(attention_audit(std::function<Variable(const Variable&, const Mask&)>(),
                                    sentences(), {.mask = causal_mask()}),
                    ValueError, text);
  EXPECT_THROW_TEXT(attention_audit(std::function<Variable(const Tensor&)>(),
                                    Tensor::zeros({1, 3}, DType::i64), 3),
                    ValueError, text);
}

TEST(AttentionAudit, NamesAFunctionThatCanNotBeAudited) {
  EXPECT_THROW_TEXT(
      attention_audit([](const Variable& x) { return slice(x, 1, 1); }, sentences()), ShapeError,
      "attention_audit: f changes the positions: x is [2, 5, 4], f(x) is [2, 4, 4]; f(x) must be "
      "[B, T, any] = [2, 5, any]");
  EXPECT_THROW_TEXT(attention_audit([](const Variable& x) { return sum(x, -1); }, sentences()),
                    ShapeError,
                    "attention_audit: f changes the positions: x is [2, 5, 4], f(x) is [2, 5]; "
                    "f(x) must be [B, T, any] = [2, 5, any]");
  EXPECT_THROW_TEXT(attention_audit([](const Variable& x) { return x / slice(x - x, 1, 2, 3); },
                                    Variable(Tensor::ones({1, 3, 1}))),
                    ValueError, "attention_audit: f(x) is not finite: at [0, 0, 0] it is inf");
  EXPECT_THROW_TEXT(
      attention_audit(
          [](const Variable& x) {
            return record("infinite", x.value(), wrt(x, [](const Tensor& g) {
                            return Tensor::full(g.shape(), std::numeric_limits<double>::infinity());
                          }));
          },
          Variable(Tensor::ones({1, 2, 1}))),
      ValueError, "attention_audit: the gradient of x is not finite: at [0, 0, 0] it is inf");
  int calls = 0;
  EXPECT_THROW_TEXT(
      attention_audit([&](const Variable& x) { return x + 0.25 * calls++; }, sentences()),
      ValueError,
      "attention_audit: f gives two results for the same x, up to 0.25 apart; call eval() on its "
      "module, so that nothing is dropped");
}

TEST(AttentionAudit, AsksForEvaluationModeWhereSomethingIsDropped) {
  Rng rng(1);
  TransformerEncoderLayer layer({.width = 4, .heads = 2, .feed_forward = 6, .dtype = DType::f64},
                                rng);
  const auto f = [&](const Variable& x) { return layer(x); };
  EXPECT_THROW(attention_audit(f, sentences()), ValueError);
  layer.eval();
  EXPECT_TRUE(attention_audit(f, sentences()).passed());
}

TEST(AttentionAudit, NamesIdsThatCanNotBeAudited) {
  const auto audit = [](const Tensor& ids, std::int64_t vocabulary) {
    return attention_audit([](const Tensor& at) { return Variable(one_hot(at, 3)); }, ids,
                           vocabulary);
  };
  EXPECT_EQ(faults(audit(Tensor::from({0, 1, 2}, {1, 3}, DType::i64), 3)),
            Faults{Fault::mixes_no_positions});
  EXPECT_THROW_TEXT(audit(Tensor::zeros({1, 3}), 3), DTypeError,
                    "attention_audit: ids is f32; it must be i64");
  EXPECT_THROW_TEXT(audit(Tensor::zeros({3}, DType::i64), 3), ShapeError,
                    "attention_audit: ids is [3]; it must be [B, T]");
  EXPECT_THROW_TEXT(audit(Tensor::zeros({3, 1}, DType::i64), 3), ShapeError,
                    "attention_audit: ids is [3, 1]; T must be at least 2, as one position has "
                    "nothing to mix with");
  EXPECT_THROW_TEXT(audit(Tensor::zeros({1, 3}, DType::i64), 1), ValueError,
                    "attention_audit: vocabulary is 1; it must be at least 2");
  EXPECT_THROW_TEXT(audit(Tensor::from({0, 1, 3}, {1, 3}, DType::i64), 3), IndexError,
                    "attention_audit: id 3 at position [0, 2] is outside the vocabulary of 3");
  int calls = 0;
  const auto counted = [&](const Tensor& at) {
    ++calls;
    return Variable(one_hot(at, 3));
  };
  EXPECT_THROW_TEXT(
      attention_audit(counted, Tensor::zeros({1, 3}, DType::i64), 3, {.tolerance = -1}), ValueError,
      "attention_audit: tolerance is -1; it must be 0 or more");
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace lectern::nn
