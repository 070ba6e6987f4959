#include "tensor/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

TEST(Sort, IsStableAndTellsWhereElementsWere) {
  const Tensor x = Tensor::from({3, 1, 2, 1, 3}, {5});
  EXPECT_EQ(values_of(sort(x).values), (Values{1, 1, 2, 3, 3}));
  EXPECT_EQ(values_of(sort(x).indices), (Values{1, 3, 2, 0, 4}));
  EXPECT_EQ(values_of(sort(x, 0, /*descending=*/true).values), (Values{3, 3, 2, 1, 1}));
  EXPECT_EQ(values_of(sort(x, 0, true).indices), (Values{0, 4, 2, 1, 3}));
  EXPECT_EQ(sort(x).indices.dtype(), DType::i64);
}

TEST(Sort, RunsAlongAnyAxisOfAnyLayout) {
  const Tensor x = Tensor::from({5, 0, 4, 1, 3, 2}, {2, 3});
  EXPECT_EQ(values_of(sort(x, 0).values), (Values{1, 0, 2, 5, 3, 4}));
  EXPECT_EQ(values_of(sort(x, 0).indices), (Values{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(values_of(sort(x, -1).values), (Values{0, 4, 5, 1, 2, 3}));
  EXPECT_EQ(values_of(sort(transpose(x, 0, 1), 0).values), (Values{0, 1, 4, 2, 5, 3}));
  EXPECT_TRUE(sort(x, 0).values.is_contiguous());
}

TEST(Sort, NaNIsGreaterThanAnyNumber) {
  const Tensor x = Tensor::from({kNaN, 2, std::numeric_limits<double>::infinity(), kNaN, -1}, {5});
  EXPECT_EQ(values_of(sort(x).indices), (Values{4, 1, 2, 0, 3}));
  EXPECT_EQ(values_of(sort(x, 0, true).indices), (Values{0, 3, 2, 1, 4}));
  EXPECT_EQ(values_of(topk(x, 1).indices), (Values{0}));
  EXPECT_TRUE(std::isnan(values_of(topk(x, 1).values)[0]));
}

TEST(Sort, TakesEveryDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Sorted sorted = sort(Tensor::from({1, 0, 1, 0}, {4}, dtype));
    EXPECT_EQ(sorted.values.dtype(), dtype);
    EXPECT_EQ(values_of(sorted.values), (Values{0, 0, 1, 1}));
    EXPECT_EQ(values_of(sorted.indices), (Values{1, 3, 0, 2}));
  }
}

TEST(Sort, TakesEmptyTensors) {
  EXPECT_EQ(sort(Tensor::zeros({0})).values.shape(), Shape({0}));
  EXPECT_EQ(sort(Tensor::zeros({2, 0, 3}), 1).indices.shape(), Shape({2, 0, 3}));
  EXPECT_EQ(sort(Tensor::zeros({2, 0, 3}), 2).indices.shape(), Shape({2, 0, 3}));
  EXPECT_EQ(topk(Tensor::zeros({2, 3}), 0).values.shape(), Shape({2, 0}));
}

TEST(Topk, GivesTheFirstOfTheSortedOnes) {
  const Tensor x = Tensor::from({1, 7, 7, 2, 9, 0, 3, 3}, {2, 4});
  EXPECT_EQ(values_of(topk(x, 2).values), (Values{7, 7, 9, 3}));
  EXPECT_EQ(values_of(topk(x, 2).indices), (Values{1, 2, 0, 2}));
  EXPECT_EQ(values_of(topk(x, 2, -1, /*largest=*/false).values), (Values{1, 2, 0, 3}));
  EXPECT_EQ(values_of(topk(x, 1, 0).indices), (Values{1, 0, 0, 1}));
}

// Many equal elements, so that only a stable order agrees.
TEST(Topk, AgreesWithSortForEveryK) {
  const Tensor x = Rng(1).integers({3, 50}, 0, 10);
  for (const bool largest : {false, true}) {
    const Sorted all = sort(x, 1, largest);
    for (std::int64_t k = 0; k <= 50; ++k) {
      const Sorted top = topk(x, k, 1, largest);
      EXPECT_TRUE(same_bits(top.values, slice(all.values, 1, 0, k)));
      EXPECT_TRUE(same_bits(top.indices, slice(all.indices, 1, 0, k)));
    }
  }
}

TEST(Sort, AgreesWithAStableSortOfTheStandardLibrary) {
  const Tensor x = Rng(2).integers({1000}, 0, 100);
  const auto values = x.data<std::int64_t>();
  std::vector<std::int64_t> order(1000);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return values[std::size_t(i)]; });
  EXPECT_TRUE(std::ranges::equal(sort(x).indices.data<std::int64_t>(), order));
}

TEST(Sort, BitsDoNotDependOnTheThreads) {
  const Tensor x = Rng(1).integers({13, 41}, 0, 5);
  EXPECT_TRUE(same_bits_for_any_threads([&] { return sort(x, 0).indices; }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return topk(x, 7).indices; }));
}

TEST(Sort, RefusesWithTheNumbers) {
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THROW_TEXT(
      sort(x, 2), ShapeError,
      "sort: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
  EXPECT_THROW_TEXT(sort(Tensor::scalar(1)), ShapeError,
                    "sort: axis -1 is out of range for x of shape [] (rank 0)");
  EXPECT_THROW_TEXT(
      topk(x, 4), ValueError,
      "topk: k is 4; it must be within 0..3, the extent of axis -1 of x, which is [2, 3]");
  EXPECT_THROW_TEXT(
      topk(x, -1, 0), ValueError,
      "topk: k is -1; it must be within 0..2, the extent of axis 0 of x, which is [2, 3]");
}

}  // namespace
}  // namespace lectern
