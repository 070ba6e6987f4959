#include "tensor/join.h"

#include <gtest/gtest.h>

#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

TEST(Concat, JoinsAlongAnAxis) {
  const Tensor a = counting({2, 2});
  const Tensor b = counting({2, 1});
  EXPECT_EQ(values_of(concat({a, b}, 1)), (Values{0, 1, 0, 2, 3, 1}));
  EXPECT_EQ(values_of(concat({a, transpose(b, 0, 1)})), (Values{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(concat({a, a, a}, -1).shape(), Shape({2, 6}));
  EXPECT_EQ(concat({counting({2, 0}), a}, 1).shape(), Shape({2, 2}));
  EXPECT_EQ(concat({counting({2, 0}), counting({2, 0})}, 0).shape(), Shape({4, 0}));
}

TEST(Concat, KeepsEveryDTypeAndCopies) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    EXPECT_EQ(concat({counting({2}, dtype), counting({1}, dtype)}).dtype(), dtype);
  }
  const Tensor a = counting({2});
  EXPECT_FALSE(concat({a}).storage() == a.storage());
}

TEST(Concat, Refuses) {
  const Tensor a = counting({2, 3});
  EXPECT_THROW_TEXT(concat(std::vector<Tensor>{}), ShapeError, "concat: there is no tensor");
  EXPECT_THROW_TEXT(concat({a, a, counting({3, 3})}, 1), ShapeError,
                    "concat: shapes differ: operand 0 is [2, 3], operand 2 is [3, 3]; all axes but "
                    "axis 1 must agree");
  EXPECT_THROW_TEXT(concat({a, counting({2, 3, 1})}, -1), ShapeError,
                    "concat: shapes differ: operand 0 is [2, 3], operand 1 is [2, 3, 1]; all axes "
                    "but axis 1 must agree");
  EXPECT_THROW_TEXT(concat({a, counting({2, 3}, DType::f64)}), DTypeError,
                    "concat: dtypes differ: operand 0 is f32, operand 1 is f64; convert one with "
                    ".to(DType::f32)");
  EXPECT_THROW_TEXT(concat({a}, 2), ShapeError,
                    "concat: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are "
                    "-2..1");
  const Tensor endless = Tensor::zeros({0, kEnd});
  EXPECT_THROW_TEXT(concat({endless, endless}, 1), ShapeError,
                    "concat: 9223372036854775807 and 9223372036854775807 entries are too many to "
                    "count");
}

TEST(Stack, MakesANewAxis) {
  const Tensor a = counting({2, 2});
  const Tensor b = transpose(a, 0, 1);
  EXPECT_EQ(values_of(stack({a, b})), (Values{0, 1, 2, 3, 0, 2, 1, 3}));
  EXPECT_EQ(values_of(stack({a, b}, 1)), (Values{0, 1, 0, 2, 2, 3, 1, 3}));
  EXPECT_EQ(values_of(stack({a, b}, -1)), (Values{0, 0, 1, 2, 2, 1, 3, 3}));
  EXPECT_EQ(stack({Tensor::scalar(1), Tensor::scalar(2)}).shape(), Shape({2}));
  EXPECT_EQ(stack({counting({0, 3}), counting({0, 3})}, 2).shape(), Shape({0, 3, 2}));
}

TEST(Stack, Refuses) {
  const Tensor a = counting({2, 3});
  EXPECT_THROW_TEXT(stack({a, counting({3})}), ShapeError,
                    "stack: shapes differ: operand 0 is [2, 3], operand 1 is [3]; all must agree");
  EXPECT_THROW_TEXT(stack({a}, 3), ShapeError,
                    "stack: axis 3 is out of range for operands of shape [2, 3] (rank 2); valid "
                    "axes are -3..2");
  EXPECT_THROW_TEXT(stack(std::vector<Tensor>{}), ShapeError, "stack: there is no tensor");
}

TEST(Split, EqualPartsAreViews) {
  const Tensor x = counting({2, 6});
  const std::vector<Tensor> parts = split(x, 3, 1);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(values_of(parts[1]), (Values{2, 3, 8, 9}));
  EXPECT_TRUE(parts[2].storage() == x.storage());
  EXPECT_EQ(values_of(concat(parts, 1)), values_of(x));
  EXPECT_EQ(split(counting({0}), 3)[2].shape(), Shape({0}));
}

TEST(Split, PartsOfGivenLengths) {
  const Tensor x = counting({5, 2});
  const std::vector<std::int64_t> lengths{2, 0, 3};
  const std::vector<Tensor> parts = split(x, lengths);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].shape(), Shape({0, 2}));
  EXPECT_EQ(values_of(parts[2]), (Values{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(values_of(concat(parts)), values_of(x));
}

TEST(Split, Refuses) {
  const Tensor x = counting({2, 6});
  EXPECT_THROW_TEXT(split(x, 4, 1), ShapeError,
                    "split: axis 1 does not split into 4 equal parts: x is [2, 6]; 6 is no "
                    "multiple of 4");
  EXPECT_THROW_TEXT(split(x, 0), ValueError, "split: parts is 0; it must be at least 1");
  EXPECT_THROW_TEXT(split(x, std::vector<std::int64_t>{2, 3}, -1), ShapeError,
                    "split: lengths add up to 5, axis -1 has extent 6: x is [2, 6]");
  EXPECT_THROW_TEXT(split(x, std::vector<std::int64_t>{7, -1}, 1), ShapeError,
                    "split: length -1 is negative");
  EXPECT_THROW_TEXT(split(Tensor::scalar(1), 1), ShapeError,
                    "split: axis 0 is out of range for x of shape [] (rank 0)");
}

TEST(Flip, TurnsAnAxisRound) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(values_of(flip(x, 1)), (Values{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values_of(flip(x, 0)), (Values{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(values_of(flip(transpose(x, 0, 1), 0)), (Values{2, 5, 1, 4, 0, 3}));
  EXPECT_EQ(values_of(flip(flip(x, 0), 0)), values_of(x));
  EXPECT_TRUE(flip(x, 0).is_contiguous());
  EXPECT_EQ(flip(counting({0, 3}), 0).shape(), Shape({0, 3}));
  EXPECT_EQ(values_of(flip(expand(counting({3}), {2, 3}), 1)), (Values{2, 1, 0, 2, 1, 0}));
  EXPECT_THROW_TEXT(flip(x, -3), ShapeError,
                    "flip: axis -3 is out of range for x of shape [2, 3] (rank 2); valid axes are "
                    "-2..1");
}

TEST(Pad, SurroundsWithAValue) {
  const Tensor x = counting({2, 2});
  EXPECT_EQ(values_of(pad(x, 1, 1, 2, -1)), (Values{-1, 0, 1, -1, -1, -1, 2, 3, -1, -1}));
  EXPECT_EQ(values_of(pad(transpose(x, 0, 1), 0, 0, 1)), (Values{0, 2, 1, 3, 0, 0}));
  EXPECT_EQ(values_of(pad(counting({0}, DType::i64), 0, 1, 1, 7)), (Values{7, 7}));
  EXPECT_EQ(pad(x, -1, 0, 0).shape(), x.shape());
  EXPECT_THROW_TEXT(pad(x, 0, -1, 2), ValueError,
                    "pad: before is -1, after is 2; neither may be negative (slice cuts off)");
  EXPECT_THROW_TEXT(pad(x, 0, kEnd, 0), ShapeError,
                    "pad: 9223372036854775807 and 2 entries are too many to count");
}

TEST(Join, SameBitsForAnyNumberOfThreads) {
  const Tensor x = counting({7, 5, 3});
  EXPECT_TRUE(same_bits_for_any_threads([&] { return concat({x, flip(x, 1)}, 2); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return stack({x, pad(slice(x, 0, 2), 0, 1, 1)}); }));
}

}  // namespace
}  // namespace lectern
