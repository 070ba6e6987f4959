#include "tests/support/all_close.h"

#include <gtest/gtest.h>

#include <limits>

namespace lectern {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor f64(std::initializer_list<double> values, const Shape& shape) {
  return Tensor::from(values, shape, DType::f64);
}

TEST(AllClose, NamesTheElementThatIsOffTheMost) {
  const Tensor want = f64({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(all_close(want, want, 0, 0));
  const testing::AssertionResult result = all_close(f64({1, 2.5, 9, 4}, {2, 2}), want);
  EXPECT_FALSE(result);
  EXPECT_STREQ(result.message(),
               "2 of 4 elements of shape [2, 2] differ; the worst is at [1, 0]: got 9, want 3");
}

TEST(AllClose, AllowsWhatTheTolerancesSay) {
  EXPECT_TRUE(all_close(f64({1.5}, {1}), f64({1}, {1}), 0, 0.5));
  EXPECT_FALSE(all_close(f64({1.75}, {1}), f64({1}, {1}), 0, 0.5));
  EXPECT_TRUE(all_close(f64({-12}, {1}), f64({-8}, {1}), 0.5, 0));
  EXPECT_FALSE(all_close(f64({-8}, {1}), f64({-16}, {1}), 0.25, 0));
}

TEST(AllClose, RefusesOtherShapesAndDTypes) {
  EXPECT_STREQ(all_close(Tensor::ones({2}), Tensor::ones({2, 1})).message(),
               "got is f32 [2], want is f32 [2, 1]");
  EXPECT_STREQ(all_close(Tensor::ones({2}), f64({1, 1}, {2})).message(),
               "got is f32 [2], want is f64 [2]");
}

TEST(AllClose, InfinityAndNaN) {
  EXPECT_TRUE(all_close(f64({kInf, -kInf}, {2}), f64({kInf, -kInf}, {2})));
  EXPECT_FALSE(all_close(f64({kInf}, {1}), f64({-kInf}, {1})));
  EXPECT_FALSE(all_close(f64({1e300}, {1}), f64({kInf}, {1})));
  EXPECT_FALSE(all_close(f64({kInf}, {1}), f64({1e300}, {1})));
  EXPECT_FALSE(all_close(f64({kNaN}, {1}), f64({kNaN}, {1})));
  EXPECT_TRUE(all_close(f64({kNaN}, {1}), f64({kNaN}, {1}), 0, 0, /*equal_nan=*/true));
  EXPECT_FALSE(all_close(f64({kNaN}, {1}), f64({1}, {1}), 0, 0, /*equal_nan=*/true));
  EXPECT_STREQ(all_close(f64({5, kNaN, 9}, {3}), f64({1, 1, 1}, {3})).message(),
               "3 of 3 elements of shape [3] differ; the worst is at [1]: got nan, want 1");
}

}  // namespace
}  // namespace lectern
