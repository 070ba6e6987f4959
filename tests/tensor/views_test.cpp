#include "tensor/views.h"

#include <gtest/gtest.h>

#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

bool shares(const Tensor& a, const Tensor& b) { return a.storage() == b.storage(); }

TEST(Reshape, ReadsInRowMajorOrderAndIsAViewWhereStridesAllow) {
  const Tensor x = counting({2, 6});
  const Tensor y = reshape(x, {3, 4});
  EXPECT_EQ(y.shape(), Shape({3, 4}));
  EXPECT_EQ(y.strides(), Strides({4, 1}));
  EXPECT_TRUE(shares(x, y));
  EXPECT_EQ(values_of(y), values_of(x));
}

TEST(Reshape, InfersOneExtent) {
  const Tensor x = counting({2, 6});
  EXPECT_EQ(reshape(x, {-1}).shape(), Shape({12}));
  EXPECT_EQ(reshape(x, {3, -1}).shape(), Shape({3, 4}));
  EXPECT_EQ(reshape(x, {2, -1, 3}).shape(), Shape({2, 2, 3}));
  EXPECT_EQ(reshape(x, {12, -1}).shape(), Shape({12, 1}));
  EXPECT_EQ(reshape(counting({0, 3}), {-1, 3}).shape(), Shape({0, 3}));
  EXPECT_EQ(reshape(counting({0, 3}), {5, -1}).shape(), Shape({5, 0}));
  EXPECT_EQ(reshape(Tensor::scalar(7), {-1}).shape(), Shape({1}));
  EXPECT_EQ(reshape(x, counting({4, 3}).shape()).shape(), Shape({4, 3}));
}

TEST(Reshape, ScalarsAndOnes) {
  EXPECT_EQ(reshape(counting({1, 1}), {}).shape(), Shape({}));
  EXPECT_EQ(reshape(Tensor::scalar(7), {1, 1, 1}).item(), 7.0);
  EXPECT_EQ(reshape(counting({2, 3}), {1, 2, 1, 3, 1}).strides()[1], 3);
}

TEST(Reshape, SplitsAndJoinsAxesOfViewsWithoutACopy) {
  const Tensor x = counting({4, 6});
  const Tensor split = reshape(transpose(x, 0, 1), {2, 3, 4});  // of [6, 4]
  EXPECT_TRUE(shares(x, split));
  EXPECT_EQ(split.strides(), Strides({3, 1, 6}));
  EXPECT_EQ(values_of(split), values_of(transpose(x, 0, 1)));
  const Tensor joined = reshape(slice(counting({2, 3, 4}), 2, 0, 2), {6, 2});
  EXPECT_EQ(joined.strides(), Strides({4, 1}));
  EXPECT_EQ(values_of(joined), (Values{0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21}));
  const Tensor repeated = reshape(expand(Tensor::scalar(3), {4, 6}), {8, 3});
  EXPECT_EQ(repeated.strides(), Strides({0, 0}));
  const Tensor every_second = reshape(slice(counting({12}), 0, 0, kEnd, 2), {2, 3});
  EXPECT_EQ(every_second.strides(), Strides({6, 2}));
}

TEST(Reshape, CopiesWhereNoStridesFit) {
  const Tensor x = counting({2, 3});
  const Tensor y = reshape(transpose(x, 0, 1), {6});
  EXPECT_FALSE(shares(x, y));
  EXPECT_EQ(values_of(y), (Values{0, 3, 1, 4, 2, 5}));
}

// The rule "a view whenever there are strides for it", against the definition: the element at
// position i in row-major order stays at position i.
TEST(Reshape, AgreesWithADenseCopyForEveryShapeOfManyViews) {
  const Tensor x = counting({2, 1, 6, 2});
  const std::vector<Tensor> views{x,
                                  permute(x, {3, 2, 1, 0}),
                                  permute(x, {2, 0, 3, 1}),
                                  slice(x, 2, 1, 5),
                                  slice(x, 2, 0, kEnd, 3),
                                  select(x, 3, 1),
                                  expand(slice(x, 3, 1), {3, 2, 1, 6, 2}),
                                  transpose(slice(x, 2, 2), 0, 2)};
  for (const Tensor& view : views) {
    const std::int64_t n = view.numel();
    for (std::int64_t a = 1; a <= n; ++a) {
      for (std::int64_t b = 1; n % a == 0 && b <= n / a; ++b) {
        if (n / a % b != 0) continue;
        EXPECT_EQ(values_of(reshape(view, {a, b, -1})), values_of(view))
            << to_string(view.shape()) << " as " << a << ", " << b;
      }
    }
  }
}

TEST(Reshape, RefusesWithTheNumbers) {
  const Tensor x = counting({2, 3});
  EXPECT_THROW_TEXT(
      reshape(x, {4, 2}), ShapeError,
      "reshape: numbers of elements differ: x is [2, 3], shape is [4, 2]; 6 is not 8");
  EXPECT_THROW_TEXT(reshape(x, {}), ShapeError,
                    "reshape: numbers of elements differ: x is [2, 3], shape is []; 6 is not 1");
  EXPECT_THROW_TEXT(reshape(x, {-1, -1}), ShapeError,
                    "reshape: shape [-1, -1] has more than one -1: x is [2, 3]");
  EXPECT_THROW_TEXT(reshape(x, {2, -3}), ShapeError,
                    "reshape: axis 1 of shape [2, -3] is negative; only -1 has a meaning, what is "
                    "left over");
  EXPECT_THROW_TEXT(reshape(x, {4, -1}), ShapeError,
                    "reshape: -1 can not be inferred: x is [2, 3], shape is [4, -1]; 6 elements "
                    "are no multiple of 4");
  EXPECT_THROW_TEXT(reshape(counting({0, 3}), {0, -1}), ShapeError,
                    "reshape: -1 can not be inferred: x is [0, 3], shape is [0, -1]; 0 elements "
                    "are no multiple of 0");
}

TEST(Flatten, JoinsARunOfAxes) {
  const Tensor x = counting({2, 3, 4, 5});
  EXPECT_EQ(flatten(x).shape(), Shape({120}));
  EXPECT_EQ(flatten(x, 1, 2).shape(), Shape({2, 12, 5}));
  EXPECT_EQ(flatten(x, -2).shape(), Shape({2, 3, 20}));
  EXPECT_EQ(flatten(x, 1, 1).shape(), x.shape());
  EXPECT_EQ(flatten(Tensor::scalar(3)).shape(), Shape({1}));
  EXPECT_EQ(flatten(counting({0, 3})).shape(), Shape({0}));
  EXPECT_THROW_TEXT(flatten(x, 2, 1), ShapeError,
                    "flatten: start 2 comes after end 1: x is [2, 3, 4, 5]");
  EXPECT_THROW_TEXT(flatten(x, 4), ShapeError,
                    "flatten: axis 4 is out of range for x of shape [2, 3, 4, 5] (rank 4); valid "
                    "axes are -4..3");
}

TEST(Permute, ReordersAxes) {
  const Tensor x = counting({2, 3, 4});
  const Tensor y = permute(x, {2, 0, 1});
  EXPECT_EQ(y.shape(), Shape({4, 2, 3}));
  EXPECT_EQ(y.strides(), Strides({1, 12, 4}));
  EXPECT_TRUE(shares(x, y));
  EXPECT_EQ(permute(x, {-1, 0, -2}).strides(), y.strides());
  EXPECT_EQ(permute(Tensor::scalar(2), {}).item(), 2.0);
  EXPECT_EQ(values_of(permute(y, {1, 2, 0})), values_of(x)) << "the inverse order undoes it";
}

TEST(Permute, RefusesWhatIsNoPermutation) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_THROW_TEXT(permute(x, {1, 0}), ShapeError,
                    "permute: axes [1, 0] name 2 axes, x of shape [2, 3, 4] has 3");
  EXPECT_THROW_TEXT(permute(x, {0, 1, -2}), ShapeError,
                    "permute: axes [0, 1, -2] name axis 1 twice: x is [2, 3, 4]");
  EXPECT_THROW_TEXT(permute(x, {0, 1, 3}), ShapeError,
                    "permute: axis 3 is out of range for x of shape [2, 3, 4] (rank 3); valid axes "
                    "are -3..2");
}

TEST(Transpose, ExchangesTwoAxes) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(transpose(x, 0, -1).shape(), Shape({4, 3, 2}));
  EXPECT_EQ(values_of(transpose(counting({2, 3}), 0, 1)), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values_of(transpose(transpose(x, 0, 2), 0, 2)), values_of(x));
  EXPECT_THROW_TEXT(transpose(x, 0, 3), ShapeError,
                    "transpose: axis 3 is out of range for x of shape [2, 3, 4] (rank 3); valid "
                    "axes are -3..2");
  EXPECT_THROW_TEXT(transpose(Tensor::scalar(1), 0, 0), ShapeError,
                    "transpose: axis 0 is out of range for x of shape [] (rank 0)");
}

TEST(Squeeze, RemovesAxesOfExtentOne) {
  const Tensor x = counting({1, 2, 1, 3});
  EXPECT_EQ(squeeze(x).shape(), Shape({2, 3}));
  EXPECT_EQ(squeeze(x, 0).shape(), Shape({2, 1, 3}));
  EXPECT_EQ(squeeze(x, -2).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(squeeze(counting({1, 1})).shape(), Shape({}));
  EXPECT_EQ(squeeze(counting({1, 0})).shape(), Shape({0}));
  EXPECT_THROW_TEXT(squeeze(x, 1), ShapeError,
                    "squeeze: axis 1 has extent 2: x is [1, 2, 1, 3]; only an axis of extent 1 can "
                    "go");
}

TEST(Unsqueeze, MakesAnAxisOfExtentOne) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(unsqueeze(x, 0).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(unsqueeze(x, 2).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(unsqueeze(x, -1).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(unsqueeze(x, -3).shape(), Shape({1, 2, 3}));
  EXPECT_TRUE(unsqueeze(x, 1).is_contiguous());
  EXPECT_THROW_TEXT(unsqueeze(x, 3), ShapeError,
                    "unsqueeze: axis 3 is out of range for x of shape [2, 3] (rank 2); valid axes "
                    "are -3..2");
  EXPECT_THROW_TEXT(unsqueeze(counting({1, 1, 1, 1, 1, 1, 1, 1}), 0), ShapeError,
                    "shape: rank 9 is more than the largest rank 8");
}

TEST(Slice, MeansWhatItMeansInNumPy) {
  const Tensor x = counting({10});
  const auto cut = [&x](std::int64_t start, std::int64_t stop, std::int64_t step) {
    return values_of(slice(x, 0, start, stop, step));
  };
  EXPECT_EQ(cut(2, 5, 1), (Values{2, 3, 4}));
  EXPECT_EQ(cut(0, kEnd, 3), (Values{0, 3, 6, 9}));
  EXPECT_EQ(cut(1, 9, 3), (Values{1, 4, 7}));
  EXPECT_EQ(cut(1, 8, 3), (Values{1, 4, 7}));
  EXPECT_EQ(cut(1, 7, 3), (Values{1, 4}));
  EXPECT_EQ(cut(-3, kEnd, 1), (Values{7, 8, 9}));
  EXPECT_EQ(cut(-3, -1, 1), (Values{7, 8}));
  EXPECT_EQ(cut(-100, 2, 1), (Values{0, 1}));
  EXPECT_EQ(cut(8, 100, 1), (Values{8, 9}));
  EXPECT_EQ(cut(5, 5, 1), Values{});
  EXPECT_EQ(cut(7, 3, 1), Values{});
  EXPECT_EQ(cut(100, 200, 1), Values{});
  EXPECT_EQ(cut(4, kEnd, kEnd), (Values{4}));
}

TEST(Slice, CutsOneAxisAndLeavesTheOthers) {
  const Tensor x = counting({2, 3, 4});
  const Tensor y = slice(x, 1, 1);
  EXPECT_EQ(y.shape(), Shape({2, 2, 4}));
  EXPECT_EQ(y.offset(), 4);
  EXPECT_TRUE(shares(x, y));
  EXPECT_EQ(values_of(slice(x, -1, 0, kEnd, 2)),
            (Values{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
}

TEST(Slice, Refuses) {
  const Tensor x = counting({2, 3});
  EXPECT_THROW_TEXT(slice(x, 1, 0, 3, 0), ValueError,
                    "slice: step is 0; it must be at least 1 (flip turns an axis)");
  EXPECT_THROW_TEXT(slice(x, 1, 0, 3, -1), ValueError,
                    "slice: step is -1; it must be at least 1 (flip turns an axis)");
  EXPECT_THROW_TEXT(slice(x, 2, 0), ShapeError,
                    "slice: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are "
                    "-2..1");
}

TEST(Select, TakesOneEntryOfAnAxis) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(values_of(select(select(x, 0, 1), 0, 2)), (Values{20, 21, 22, 23}));
  EXPECT_EQ(values_of(select(x, 2, -1)), (Values{3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(select(x, 1, 0).shape(), Shape({2, 4}));
  EXPECT_THROW_TEXT(select(x, -1, 4), IndexError,
                    "select: index 4 is out of range: x is [2, 3, 4]; -4 <= index < 4 on axis -1");
  EXPECT_THROW_TEXT(select(x, 1, -4), IndexError,
                    "select: index -4 is out of range: x is [2, 3, 4]; -3 <= index < 3 on axis 1");
  EXPECT_THROW_TEXT(select(counting({2, 0}), 1, 0), IndexError,
                    "select: index 0 is out of range: x is [2, 0]; 0 <= index < 0 on axis 1");
}

TEST(Expand, RepeatsWithoutACopy) {
  const Tensor x = counting({3, 1});
  const Tensor y = expand(x, {2, 3, 2});
  EXPECT_EQ(y.strides(), Strides({0, 1, 0}));
  EXPECT_TRUE(shares(x, y));
  EXPECT_EQ(values_of(y), (Values{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(expand(counting({1}), {0}).shape(), Shape({0}));
  EXPECT_EQ(values_of(expand(Tensor::scalar(4), {2})), (Values{4, 4}));
}

TEST(Expand, RefusesOtherShapes) {
  EXPECT_THROW_TEXT(expand(counting({2, 3}), {2, 4}), ShapeError,
                    "expand: x does not broadcast to shape: x is [2, 3], shape is [2, 4]; axis -1 "
                    "has 3 and must have 4 or 1");
  EXPECT_THROW_TEXT(expand(counting({2, 3}), {3}), ShapeError,
                    "expand: x does not broadcast to shape: x is [2, 3], shape is [3]; rank 1 is "
                    "less than 2");
  EXPECT_THROW_TEXT(expand(counting({0}), {1}), ShapeError,
                    "expand: x does not broadcast to shape: x is [0], shape is [1]; axis -1 has 0 "
                    "and must have 1 or 1");
}

TEST(Diagonal, RunsOverTwoAxes) {
  const Tensor x = counting({3, 4});
  EXPECT_EQ(values_of(diagonal(x)), (Values{0, 5, 10}));
  EXPECT_EQ(values_of(diagonal(x, 0, 1, 1)), (Values{1, 6, 11}));
  EXPECT_EQ(values_of(diagonal(x, 0, 1, 3)), (Values{3}));
  EXPECT_EQ(values_of(diagonal(x, 0, 1, -2)), (Values{8}));
  EXPECT_EQ(values_of(diagonal(x, 1, 0, 1)), (Values{4, 9})) << "axes exchanged: below";
  for (const std::int64_t outside : {4L, 100L, -3L, -100L}) {
    EXPECT_EQ(diagonal(x, 0, 1, outside).shape(), Shape({0})) << outside;
  }
  const Tensor y = diagonal(counting({3, 3, 2}));
  EXPECT_EQ(y.shape(), Shape({2, 3})) << "the diagonal is the last axis";
  EXPECT_EQ(values_of(y), (Values{0, 8, 16, 1, 9, 17}));
  EXPECT_TRUE(shares(x, diagonal(x)));
  EXPECT_THROW_TEXT(diagonal(x, 1, -1), ShapeError,
                    "diagonal: axes 1 and -1 are the same: x is [3, 4]");
  EXPECT_THROW_TEXT(diagonal(counting({3})), ShapeError,
                    "diagonal: axis 1 is out of range for x of shape [3] (rank 1); valid axes are "
                    "-1..0");
}

TEST(Views, OfViewsFindTheSameElements) {
  Tensor x = counting({4, 5, 6});
  Tensor y = transpose(slice(select(slice(x, 0, 1), 0, -1), 1, 1, kEnd, 2), 0, 1);  // x[3, :, 1::2]
  EXPECT_EQ(y.shape(), Shape({3, 5}));
  EXPECT_EQ(values_of(select(y, 0, 2)), (Values{95, 101, 107, 113, 119}));

  const std::uint64_t before = x.storage().version();
  y.fill(0);
  EXPECT_GT(x.storage().version(), before) << "a write through a view is a write to x";
  double sum = 0;
  for (const double value : values_of(x)) sum += value;
  EXPECT_EQ(sum, 119.0 * 120 / 2 - (91 + 119) / 2 * 15.0);
}

TEST(Views, OfNothingStayInsideTheStorage) {
  const Tensor x = counting({4, 3});
  const Tensor empty = slice(x, 0, 4);
  EXPECT_EQ(empty.offset(), 0);
  EXPECT_EQ(values_of(transpose(empty, 0, 1)), Values{});
  EXPECT_EQ(reshape(empty, {3, 0}).shape(), Shape({3, 0}));
  EXPECT_EQ(diagonal(x, 0, 1, 3).offset(), 0);
  EXPECT_EQ(flatten(slice(transpose(x, 0, 1), 1, 2, 2)).shape(), Shape({0}));
}

TEST(Cases, Cases_2_1_ViewsAreReadThroughTheirStrides) {
  const Tensor r = counting({3, 4});
  const Tensor rt = reshape(transpose(r, 0, 1), {2, 6});
  EXPECT_EQ(rt.shape(), Shape({2, 6}));
  EXPECT_EQ(values_of(rt), (Values{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(values_of(flatten(transpose(slice(slice(r, 0, 1), 1, 1, 3), 0, 1))),
            (Values{5, 9, 6, 10}));
  EXPECT_EQ(values_of(flatten(slice(r, 1, 0, kEnd, 2))), (Values{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(values_of(flatten(permute(counting({2, 2, 3}), {2, 0, 1}))),
            (Values{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
}

TEST(Cases, Cases_2_3_SizesTooLarge) {
  constexpr std::int64_t one = 1;
  const std::vector<Shape> too_large{
      {one << 33, one << 33}, {one << 62, 4}, {3037000500, 3037000500}};
  const Tensor x = counting({1});
  for (const Shape& shape : too_large) {
    const std::string text = "shape: " + to_string(shape) + " has too many elements to count";
    EXPECT_THROW_TEXT(Tensor::zeros(shape), ShapeError, text);
    EXPECT_THROW_TEXT(reshape(x, shape), ShapeError, text);
    EXPECT_THROW_TEXT(expand(x, shape), ShapeError, text);
  }
  EXPECT_THROW_TEXT(Tensor::zeros({2, -1}), ShapeError, "shape: axis 1 of [2, -1] is negative");
  EXPECT_THROW_TEXT(expand(x, {-1}), ShapeError, "shape: axis 0 of [-1] is negative");
  EXPECT_THROW_TEXT(reshape(x, {-2}), ShapeError,
                    "reshape: axis 0 of shape [-2] is negative; only -1 has a meaning, what is "
                    "left over");

  const Shape empty{0, one << 62, one << 62};
  EXPECT_EQ(Tensor::zeros(empty).numel(), 0);
  EXPECT_EQ(reshape(counting({0}), empty).shape(), empty);
  EXPECT_EQ(expand(counting({0, 1, 1}), empty).numel(), 0);
  EXPECT_EQ(values_of(transpose(Tensor::zeros(empty), 0, 2)), Values{});
  EXPECT_EQ(slice(Tensor::zeros(empty), 1, 5, kEnd, 7).numel(), 0);
}

}  // namespace
}  // namespace lectern
