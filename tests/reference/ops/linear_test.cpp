#include "autograd/ops/linear.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Linear) {
  expect_cases("linear",
               {
                   {"linear", [](Inputs x, Constants) { return linear(x[0], x[1], x[2]); }},
                   {"linear, no bias", [](Inputs x, Constants) { return linear(x[0], x[1]); }},
               });
}

}  // namespace
}  // namespace lectern
