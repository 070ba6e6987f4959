#include "autograd/variable.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

Variable leaf(std::initializer_list<double> values, const Shape& shape) {
  return Variable(Tensor::from(values, shape, DType::f64), /*requires_grad=*/true);
}

TEST(Variable, SetGradKeepsItsOwnElements) {
  Variable x = leaf({1, 2}, {2}), y = leaf({1, 2}, {2});
  Tensor given = Tensor::from({5, 6}, {2}, DType::f64);
  x.set_grad(given);
  y.set_grad(given.with_layout({2}, Strides{0}, 1));  // a view that repeats one element
  given.fill(0);
  EXPECT_EQ(values_of(x.grad()), Values({5, 6}));
  EXPECT_EQ(values_of(y.grad()), Values({6, 6}));
  EXPECT_TRUE(y.grad().is_contiguous());
  y.set_grad(x.grad());
  Tensor(y.grad()).fill(7);
  EXPECT_EQ(values_of(x.grad()), Values({5, 6}));
}

TEST(Variable, RefusesWhatDoesNotFit) {
  EXPECT_THROW_TEXT(Variable(Tensor::ones({2}, DType::i64), true), DTypeError,
                    "Variable: value is i64; only f32 and f64 can require a gradient");
  Variable x = leaf({1, 2}, {2});
  EXPECT_THROW_TEXT(x.set_grad(Tensor::ones({3}, DType::f64)), ShapeError,
                    "set_grad: shapes differ: grad is [3], value is [2]");
  EXPECT_THROW_TEXT(x.set_grad(Tensor::ones({2})), DTypeError,
                    "set_grad: dtypes differ: grad is f32, value is f64");
  Variable y = x * 2;
  EXPECT_THROW_TEXT(y.set_grad(Tensor::ones({2}, DType::f64)), GradError,
                    "set_grad: this variable of shape [2] is no leaf that requires a gradient");
  x.set_grad(Tensor::ones({2}, DType::f64));
  backward(sum(y));
  EXPECT_EQ(values_of(x.grad()), Values({3, 3}));
}

}  // namespace
}  // namespace lectern
