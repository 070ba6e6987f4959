#include "tensor/print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tensor/views.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Print, AlignsColumnsWithTheDigitsNeeded) {
  EXPECT_EQ(to_string(Tensor::from({1.5, -2.25, 0, 100}, {2, 2})),
            "[[  1.50,  -2.25],\n"
            " [  0.00, 100.00]]");
  EXPECT_EQ(to_string(Tensor::from({0.1, 0.25}, {2})), "[0.10, 0.25]");
  EXPECT_EQ(to_string(Tensor::from({1.0 / 3, 2}, {2})), "[0.3333, 2.0000]");
}

TEST(Print, WholeFloatsKeepTheirPoint) {
  EXPECT_EQ(to_string(Tensor::from({1, -2, 30}, {3})), "[ 1., -2., 30.]");
  EXPECT_EQ(to_string(Tensor::from({-0.0}, {1})), "[-0.]");
}

TEST(Print, Scalars) {
  EXPECT_EQ(to_string(Tensor::scalar(2.5)), "2.5");
  EXPECT_EQ(to_string(Tensor::scalar(3, DType::i64)), "3");
  EXPECT_EQ(to_string(Tensor::scalar(kNan)), "nan");
}

TEST(Print, IntegersAndBools) {
  EXPECT_EQ(to_string(Tensor::from({1, -20, 300}, {3}, DType::i64)), "[  1, -20, 300]");
  EXPECT_EQ(to_string(Tensor::from({1, 0}, {2}, DType::boolean)), "[ true, false]");
  const std::vector<std::int64_t> exact{9007199254740993};  // 2^53 + 1 is no double
  EXPECT_EQ(to_string(Tensor::from(exact, {1})), "[9007199254740993]");
}

TEST(Print, NanAndInfinity) {
  EXPECT_EQ(to_string(Tensor::from({kNan, 1.5, -kInf, kInf}, {2, 2})),
            "[[ nan,  1.5],\n"
            " [-inf,  inf]]");
  EXPECT_EQ(to_string(Tensor::from({kNan, kNan}, {2})), "[nan, nan]");
}

TEST(Print, ScientificWhereFixedWouldHideOrBloat) {
  EXPECT_EQ(to_string(Tensor::from({1e-5, 1}, {2}, DType::f64)), "[1e-05, 1e+00]");
  EXPECT_EQ(to_string(Tensor::from({1.5e8, -2}, {2}, DType::f64)), "[ 1.5e+08, -2.0e+00]");
  EXPECT_EQ(to_string(Tensor::from({12345678, 0.5}, {2}, DType::f64)), "[12345678.0,        0.5]");
  EXPECT_EQ(to_string(Tensor::from({1e-4, 0}, {2}, DType::f64)), "[0.0001, 0.0000]");
  EXPECT_EQ(to_string(Tensor::from({1.23456789e-7}, {1}, DType::f64)), "[1.2346e-07]");
  EXPECT_EQ(to_string(Tensor::from({1e300, kInf, kNan}, {3}, DType::f64)),
            "[1e+300,    inf,    nan]");
}

TEST(Print, PrecisionIsAnOption) {
  const Tensor x = Tensor::from({1.0 / 3, 0.5}, {2}, DType::f64);
  EXPECT_EQ(to_string(x, {.precision = 2}), "[0.33, 0.50]");
  EXPECT_EQ(to_string(x, {.precision = 0}), "[0., 0.]");
  EXPECT_EQ(to_string(x, {.precision = 10}), "[0.3333333333, 0.5000000000]");
  EXPECT_EQ(fmt::format("{:.2}", x), "[0.33, 0.50]");
}

TEST(Print, MatricesOfHigherRankHaveEmptyLinesBetween) {
  EXPECT_EQ(to_string(counting({2, 1, 2, 2}, DType::i64)),
            "[[[[0, 1],\n"
            "   [2, 3]]],\n"
            "\n"
            "\n"
            " [[[4, 5],\n"
            "   [6, 7]]]]");
  EXPECT_EQ(to_string(counting({2, 2, 2}, DType::i64)),
            "[[[0, 1],\n"
            "  [2, 3]],\n"
            "\n"
            " [[4, 5],\n"
            "  [6, 7]]]");
}

TEST(Print, EmptyTensorsSayWhatTheyAre) {
  EXPECT_EQ(to_string(Tensor::zeros({0})), "[] f32 [0]");
  EXPECT_EQ(to_string(Tensor::zeros({2, 0, 3}, DType::i64)), "[] i64 [2, 0, 3]");
  EXPECT_EQ(to_string(Tensor()), "undefined tensor");
}

TEST(Print, LargeTensorsShowTheirEdges) {
  EXPECT_EQ(to_string(counting({1001}, DType::i64)),
            "[   0,    1,    2, …,  998,  999, 1000]\n"
            "i64 [1001]");
  EXPECT_EQ(to_string(counting({100, 100}, DType::f64)),
            "[[   0.,    1.,    2., …,   97.,   98.,   99.],\n"
            " [ 100.,  101.,  102., …,  197.,  198.,  199.],\n"
            " [ 200.,  201.,  202., …,  297.,  298.,  299.],\n"
            " …,\n"
            " [9700., 9701., 9702., …, 9797., 9798., 9799.],\n"
            " [9800., 9801., 9802., …, 9897., 9898., 9899.],\n"
            " [9900., 9901., 9902., …, 9997., 9998., 9999.]]\n"
            "f64 [100, 100]");
  EXPECT_EQ(to_string(counting({3, 500}, DType::i64), {.edge = 1}),
            "[[   0, …,  499],\n"
            " …,\n"
            " [1000, …, 1499]]\n"
            "i64 [3, 500]");
  EXPECT_EQ(to_string(counting({9, 2, 2}, DType::i64), {.threshold = 10, .edge = 1}),
            "[[[ 0,  1],\n"
            "  [ 2,  3]],\n"
            "\n"
            " …,\n"
            "\n"
            " [[32, 33],\n"
            "  [34, 35]]]\n"
            "i64 [9, 2, 2]");
}

TEST(Print, LongRowsAreWrapped) {
  EXPECT_EQ(to_string(counting({2, 7}, DType::i64), {.line_width = 20}),
            "[[ 0,  1,  2,  3,\n"
            "   4,  5,  6],\n"
            " [ 7,  8,  9, 10,\n"
            "  11, 12, 13]]");
}

TEST(Print, ReadsViews) {
  EXPECT_EQ(to_string(transpose(counting({2, 3}, DType::i64), 0, 1)),
            "[[0, 3],\n"
            " [1, 4],\n"
            " [2, 5]]");
  EXPECT_EQ(to_string(expand(Tensor::scalar(1), {3})), "[1., 1., 1.]");
}

TEST(Print, StreamsAndFormats) {
  std::ostringstream out;
  out << counting({2});
  EXPECT_EQ(out.str(), "[0., 1.]");
  EXPECT_EQ(fmt::format("x = {}", counting({2})), "x = [0., 1.]");
}

}  // namespace
}  // namespace lectern
