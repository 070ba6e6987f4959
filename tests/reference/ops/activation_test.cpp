#include "autograd/ops/activation.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Activation) {
  expect_cases("activation",
               {
                   {"relu", [](Inputs x, Constants) { return relu(x[0]); }},
                   {"gelu", [](Inputs x, Constants) { return gelu(x[0]); }},
                   {"gelu, tanh formula",
                    [](Inputs x, Constants) { return gelu(x[0], Gelu::tanh_formula); }},
                   {"silu", [](Inputs x, Constants) { return silu(x[0]); }},
               });
}

}  // namespace
}  // namespace lectern
