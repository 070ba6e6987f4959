#include "autograd/ops/softmax.h"

#include "tests/reference/ops/mask_of.h"
#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Softmax) {
  Calls calls = {
      {"masked_softmax", [](Inputs x, Constants n) { return masked_softmax(x[0], mask_of(n)); }},
      {"masked_softmax, causal",
       [](Inputs x, Constants n) { return masked_softmax(x[0], causal_mask() & mask_of(n)); }},
  };
  for (const int axis : {0, 1, -1}) {
    calls[fmt::format("softmax, axis {}", axis)] = [=](Inputs x, Constants) {
      return softmax(x[0], axis);
    };
    calls[fmt::format("log_softmax, axis {}", axis)] = [=](Inputs x, Constants) {
      return log_softmax(x[0], axis);
    };
  }
  expect_cases("softmax", calls);
}

}  // namespace
}  // namespace lectern
