#include "tensor/shape.h"

#include <gtest/gtest.h>

#include "tests/support/expect_throw_text.h"

namespace lectern {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape({}).numel(), 1);
  EXPECT_EQ(Shape({2, 3, 4}).numel(), 24);
  EXPECT_EQ(Shape({2, 0, 4}).numel(), 0);
}

TEST(Shape, NegativePositionsCountFromTheEnd) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
}

TEST(Shape, InsertsAndErases) {
  Shape shape{2, 4};
  shape.insert(1, 3);
  EXPECT_EQ(shape, Shape({2, 3, 4}));
  shape.erase(0);
  EXPECT_EQ(shape, Shape({3, 4}));
}

TEST(Shape, RefusesNegativeExtentsAndTooManyAxes) {
  EXPECT_THROW_TEXT(Shape({2, -1}), ShapeError, "shape: axis 1 of [2, -1] is negative");
  EXPECT_THROW_TEXT(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), ShapeError,
                    "shape: rank 9 is more than the largest rank 8");
}

TEST(Shape, RowMajorStrides) {
  EXPECT_EQ(row_major({2, 3, 4}), Strides({12, 4, 1}));
  EXPECT_EQ(row_major({}), Strides());
}

TEST(Shape, BroadcastsByNumPysRules) {
  EXPECT_EQ(broadcast_shapes("add", {0, 1}, {1, 4}), Shape({0, 4}));
  EXPECT_EQ(broadcast_shapes("add", {2, 0}, {2, 1}), Shape({2, 0}));
  EXPECT_EQ(broadcast_shapes("add", {1}, {0}), Shape({0}));
  EXPECT_EQ(broadcast_shapes("add", {}, {2, 3}), Shape({2, 3}));
  EXPECT_EQ(broadcast_shapes("add", {4}, {2, 3, 4}), Shape({2, 3, 4}));
  EXPECT_THROW_TEXT(broadcast_shapes("add", {2, 0}, {2, 3}), ShapeError,
                    "add: shapes do not broadcast: a is [2, 0], b is [2, 3]; axis -1 has 0 and 3");
}

}  // namespace
}  // namespace lectern
