#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern {
namespace {

Variable leaf(std::initializer_list<double> values, const Shape& shape) {
  return Variable(Tensor::from(values, shape, DType::f64), /*requires_grad=*/true);
}

TEST(Engine, SharedSubexpressionsAddUp) {
  const Variable x = leaf({3}, {});
  const Variable y = 4 * x;
  const Variable a = 2 * y;
  const Variable b = y * y;
  const Variable c = a * b + y;
  EXPECT_EQ(c.value().item(), 3468);
  backward(c);
  EXPECT_EQ(x.grad().item(), 3460);
}

TEST(Engine, LongChainsNeedNoStack) {
  const Variable x = leaf({1.5}, {});
  Variable y = x;
  for (int i = 0; i < 300000; ++i) y = -y;
  EXPECT_EQ(y.value().item(), 1.5);
  backward(y);
  EXPECT_EQ(x.grad().item(), 1);
}

TEST(Engine, LongChainsAreDroppedWithoutBackward) {
  const Variable x = leaf({1.5}, {});
  Variable y = x;
  for (int i = 0; i < 300000; ++i) y = -y;
}

}  // namespace
}  // namespace lectern
