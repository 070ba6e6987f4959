#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "tests/support/at_once.h"

namespace lectern {
namespace {

TEST(Threads, RunPassesAtOnce) {
  at_once(4, [](int i) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      const Variable x(Tensor::scalar(i, DType::f64), /*requires_grad=*/true);
      Variable y = x;
      for (int step = 0; step < 10; ++step) y = y + y;
      backward(y * y);  // (1024 x)²
      EXPECT_EQ(x.grad().item(), 2.0 * 1024 * 1024 * i);
    }
  });
}

/// Graphs grow from one leaf on all threads; only one of them is differentiated.
TEST(Threads, RecordFromOneLeaf) {
  const Variable x(Tensor::from({1, 2}, {2}), /*requires_grad=*/true);
  std::vector<Variable> results(4);
  at_once(4, [&](int i) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      results[static_cast<std::size_t>(i)] = sum(x * x * i);  // what was there before is destroyed
    }
  });
  backward(results[3]);
  EXPECT_EQ(x.grad().data<float>()[1], 12);
}

TEST(Threads, StopRecordingEachForItself) {
  const Variable x(Tensor::scalar(2), /*requires_grad=*/true);
  at_once(4, [&](int i) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      EXPECT_TRUE((x * 2).requires_grad());
      if (i % 2 == 0) continue;
      const NoGrad guard;
      EXPECT_FALSE((x * 2).requires_grad());
    }
  });
}

}  // namespace
}  // namespace lectern
