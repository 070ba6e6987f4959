#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

TEST(Arange, CountsBySteps) {
  EXPECT_EQ(values_of(Tensor::arange(4)), (Values{0, 1, 2, 3}));
  EXPECT_EQ(values_of(Tensor::arange(1, 8, 3)), (Values{1, 4, 7}));
  EXPECT_EQ(values_of(Tensor::arange(1, 7, 3)), (Values{1, 4}));
  EXPECT_EQ(values_of(Tensor::arange(3, 0, -1)), (Values{3, 2, 1}));
  EXPECT_EQ(values_of(Tensor::arange(0, 1, 0.25, DType::f64)), (Values{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(Tensor::arange(5, 2).shape(), Shape({0}));
  EXPECT_EQ(Tensor::arange(2.5).shape(), Shape({3}));
}

TEST(Arange, TakesTheDTypeAskedFor) {
  EXPECT_EQ(Tensor::arange(3).dtype(), DType::f32);
  const Tensor x = Tensor::arange(-3, 3, 2, DType::i64);
  EXPECT_EQ(x.dtype(), DType::i64);
  EXPECT_EQ(values_of(x), (Values{-3, -1, 1}));
  EXPECT_EQ(Tensor::arange(3, DType::i64).dtype(), DType::i64);
}

TEST(Arange, NoErrorBuildsUp) {
  const Tensor x = Tensor::arange(0, 1000, 0.1, DType::f64);
  EXPECT_EQ(x.data<double>()[9999], 9999 * 0.1);
}

TEST(Arange, Refuses) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW_TEXT(Tensor::arange(0, 5, 0), ValueError,
                    "arange: step is 0; it must lead from start 0 to stop 5");
  EXPECT_THROW_TEXT(Tensor::arange(0, inf), ValueError,
                    "arange: start is 0, stop is inf, step is 1; all must be finite");
  EXPECT_THROW_TEXT(Tensor::arange(0, 3, 0.5, DType::i64), ValueError,
                    "arange: start is 0, step is 0.5; for i64 both must be integers");
  EXPECT_THROW_TEXT(Tensor::arange(1e18, 1e19, 1e18, DType::i64), ValueError,
                    "arange: start is 1e+18, stop is 1e+19; for i64 neither may be beyond 2^53");
  EXPECT_THROW_TEXT(Tensor::arange(3, DType::boolean), DTypeError,
                    "arange: dtype is bool; it must be f32, f64 or i64");
  EXPECT_THROW_TEXT(Tensor::arange(1e300), ShapeError,
                    "arange: 1e+300 values from 0 to 1e+300 are too many to count");
}

TEST(Linspace, IncludesBothEnds) {
  EXPECT_EQ(values_of(Tensor::linspace(1, 2, 5)), (Values{1, 1.25, 1.5, 1.75, 2}));
  EXPECT_EQ(values_of(Tensor::linspace(2, -2, 3)), (Values{2, 0, -2}));
  EXPECT_EQ(values_of(Tensor::linspace(3, 9, 1)), (Values{3}));
  EXPECT_EQ(Tensor::linspace(3, 9, 0).shape(), Shape({0}));
  EXPECT_EQ(values_of(Tensor::linspace(0, 0.1, 7, DType::f64)).back(), 0.1);
}

TEST(Linspace, Refuses) {
  EXPECT_THROW_TEXT(Tensor::linspace(0, 1, -1), ValueError,
                    "linspace: count is -1; it must be at least 0");
  EXPECT_THROW_TEXT(Tensor::linspace(0, std::nan(""), 2), ValueError,
                    "linspace: start is 0, stop is nan; both must be finite");
  EXPECT_THROW_TEXT(Tensor::linspace(0, 1, 2, DType::i64), DTypeError,
                    "linspace: x is i64; it must be f32 or f64");
}

TEST(Eye, HasOnesOnTheDiagonal) {
  EXPECT_EQ(values_of(Tensor::eye(3)), (Values{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(Tensor::eye(2, DType::boolean).dtype(), DType::boolean);
  EXPECT_EQ(Tensor::eye(0).shape(), Shape({0, 0}));
  EXPECT_THROW_TEXT(Tensor::eye(-1), ShapeError, "shape: axis 0 of [-1, -1] is negative");
}

}  // namespace
}  // namespace lectern
