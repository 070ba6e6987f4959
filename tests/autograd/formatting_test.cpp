// fmt/format.h declares an fmt::to_string, which must not come before ours in our formatters; so it
// stands first here.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "autograd/trace.h"
#include "tensor/print.h"

namespace lectern {
namespace {

TEST(Formatting, EveryFormatterWorksBesideAllOfFmt) {
  EXPECT_EQ(fmt::format("{}", Shape{2, 3}), "[2, 3]");
  EXPECT_EQ(fmt::format("{}", Strides{3, 1}), "[3, 1]");
  EXPECT_EQ(fmt::format("{}", DType::f64), "f64");
  EXPECT_EQ(fmt::format("{}", Tensor::ones({2})), "[1., 1.]");
  const Variable x(Tensor::ones({2}), true);
  const Trace traced = trace(sum(x * 2));
  EXPECT_EQ(fmt::format("{}", traced), to_string(traced));

  EXPECT_EQ(fmt::to_string(Shape{2, 3}), "[2, 3]");
  EXPECT_EQ(fmt::to_string(DType::f64), "f64");
  EXPECT_EQ(fmt::to_string(Tensor::ones({2})), "[1., 1.]");
  EXPECT_EQ(fmt::to_string(traced), to_string(traced));
}

}  // namespace
}  // namespace lectern
