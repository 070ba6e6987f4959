#include "autograd/ops/matmul.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Matmul) {
  expect_cases("matmul", {{"matmul", [](Inputs x, Constants) { return matmul(x[0], x[1]); }}});
}

}  // namespace
}  // namespace lectern
