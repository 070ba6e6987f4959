#include "autograd/mask.h"

#include <gtest/gtest.h>

#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern {
namespace {

Tensor booleans(std::initializer_list<double> values, const Shape& shape) {
  return Tensor::from(values, shape, DType::boolean);
}
Tensor lengths(std::initializer_list<double> values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())}, DType::i64);
}

TEST(Mask, NothingSetLetsEverythingBeSeen) {
  EXPECT_TRUE(all_close(dense("op", {}, {2, 1, 3, 4}), Tensor::ones({2, 1, 3, 4}, DType::boolean)));
}

TEST(Mask, TheCausalTriangleHangsFromTheLowerRight) {
  EXPECT_TRUE(all_close(dense("op", causal_mask(), {1, 1, 2, 4}),
                        booleans({1, 1, 1, 0, 1, 1, 1, 1}, {1, 1, 2, 4})));
  EXPECT_TRUE(all_close(dense("op", causal_mask(), {1, 1, 3, 2}),
                        booleans({0, 0, 1, 0, 1, 1}, {1, 1, 3, 2})));
  EXPECT_TRUE(all_close(dense("op", causal_mask(), {1, 1, 1, 3}),
                        Tensor::ones({1, 1, 1, 3}, DType::boolean)));
}

TEST(Mask, LengthsHideThePaddingOfEachSample) {
  EXPECT_TRUE(all_close(dense("op", padding_mask(lengths({2, 0, 3})), {3, 1, 1, 3}),
                        booleans({1, 1, 0, 0, 0, 0, 1, 1, 1}, {3, 1, 1, 3})));
  const Tensor every_second = slice(lengths({1, 7, 2, 7}), 0, 0, kEnd, 2);
  EXPECT_TRUE(all_close(dense("op", padding_mask(every_second), {2, 1, 1, 2}),
                        booleans({1, 0, 1, 1}, {2, 1, 1, 2})));
}

TEST(Mask, AllowedBroadcasts) {
  const Tensor query_by_key = booleans({1, 0, 0, 1}, {2, 2});
  EXPECT_TRUE(all_close(dense("op", allow(query_by_key), {2, 3, 2, 2}),
                        expand(query_by_key, {2, 3, 2, 2})));
  const Tensor by_sample = booleans({1, 0, 0, 1}, {2, 1, 1, 2});
  EXPECT_TRUE(
      all_close(dense("op", allow(by_sample), {2, 3, 2, 2}), expand(by_sample, {2, 3, 2, 2})));
  const Tensor columns_first = transpose(booleans({1, 1, 0, 0}, {2, 2}), 0, 1);
  EXPECT_TRUE(all_close(dense("op", allow(columns_first), {1, 1, 2, 2}),
                        booleans({1, 0, 1, 0}, {1, 1, 2, 2})));
}

TEST(Mask, AndKeepsThePartsApart) {
  const Mask mask = causal_mask() & padding_mask(lengths({3, 1})) &
                    allow(booleans({0, 1, 1}, {3})) & padding_mask(lengths({2, 2})) &
                    allow(booleans({1, 1, 1, 0}, {2, 1, 2, 1}));
  EXPECT_TRUE(mask.causal);
  EXPECT_TRUE(all_close(mask.key_lengths, lengths({2, 1})));
  EXPECT_EQ(mask.allowed.shape(), Shape({2, 1, 2, 3}));
  EXPECT_TRUE(all_close(dense("op", mask, {2, 1, 2, 3}),
                        booleans({0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, {2, 1, 2, 3})));
  EXPECT_FALSE((Mask{} & Mask{}).causal);
}

TEST(Mask, RefusesWhatDoesNotFit) {
  const ScoreSizes sizes{2, 4, 3, 6};
  EXPECT_THROW_TEXT(validate("attention", allow(Tensor::ones({3, 6})), sizes), DTypeError,
                    "attention: mask is f32; it must be bool, true = may be seen; numbers to add "
                    "to the scores are a bias");
  EXPECT_THROW_TEXT(
      validate("attention", allow(Tensor::ones({2, 5}, DType::boolean)), sizes), ShapeError,
      "attention: mask does not broadcast to the scores: mask is [2, 5], scores are [2, 4, 3, 6]; "
      "axis -1 has 5 and 6");
  EXPECT_THROW_TEXT(
      validate("attention", allow(Tensor::ones({1, 2, 4, 3, 6}, DType::boolean)), sizes),
      ShapeError,
      "attention: mask does not broadcast to the scores: mask is [1, 2, 4, 3, 6], scores are "
      "[2, 4, 3, 6]; its rank 5 is more than 4");
  EXPECT_THROW_TEXT(validate("attention", padding_mask(Tensor::ones({2})), sizes), DTypeError,
                    "attention: key_lengths is f32; it must be i64");
  EXPECT_THROW_TEXT(validate("attention", padding_mask(lengths({1, 2, 3})), sizes), ShapeError,
                    "attention: key_lengths is [3]; it must be [B] = [2]");
  EXPECT_THROW_TEXT(validate("attention", padding_mask(lengths({6, 7})), sizes), IndexError,
                    "attention: key_lengths[1] is 7; it must be within 0..Tk = 6");
  EXPECT_THROW_TEXT(validate("attention", padding_mask(lengths({-1, 6})), sizes), IndexError,
                    "attention: key_lengths[0] is -1; it must be within 0..Tk = 6");
}

TEST(Mask, AndRefusesWhatDoesNotFit) {
  EXPECT_THROW_TEXT(padding_mask(lengths({1, 2})) & padding_mask(lengths({1})), ShapeError,
                    "mask &: key_lengths differ in shape: a has [2], b has [1]");
  EXPECT_THROW_TEXT(
      allow(Tensor::ones({2}, DType::boolean)) & allow(Tensor::ones({3}, DType::boolean)),
      ShapeError, "mask &: shapes do not broadcast: a is [2], b is [3]; axis -1 has 2 and 3");
  EXPECT_THROW_TEXT(allow(Tensor::ones({2}, DType::boolean)) & allow(Tensor::ones({2})), DTypeError,
                    "mask &: mask is f32; it must be bool, true = may be seen; numbers to add to "
                    "the scores are a bias");
  EXPECT_THROW_TEXT(padding_mask(lengths({1})) & padding_mask(Tensor::ones({1})), DTypeError,
                    "mask &: key_lengths is f32; it must be i64");
}

}  // namespace
}  // namespace lectern
