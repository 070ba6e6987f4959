#include "autograd/ops/normalization.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Normalization) {
  expect_cases(
      "normalization",
      {
          {"layer_norm", [](Inputs x, Constants) { return layer_norm(x[0], x[1], x[2]); }},
          {"layer_norm, gamma only",
           [](Inputs x, Constants) { return layer_norm(x[0], x[1], Variable()); }},
          {"layer_norm, beta only",
           [](Inputs x, Constants) { return layer_norm(x[0], Variable(), x[1]); }},
          {"layer_norm, plain", [](Inputs x, Constants) { return layer_norm(x[0]); }},
          {"layer_norm, eps 0.5",
           [](Inputs x, Constants) { return layer_norm(x[0], x[1], x[2], 0.5); }},
          {"layer_norm, plain, eps 0.5", [](Inputs x, Constants) { return layer_norm(x[0], 0.5); }},
          {"rms_norm", [](Inputs x, Constants) { return rms_norm(x[0], x[1]); }},
          {"rms_norm, plain", [](Inputs x, Constants) { return rms_norm(x[0]); }},
          {"rms_norm, eps 0.5", [](Inputs x, Constants) { return rms_norm(x[0], x[1], 0.5); }},
          {"rms_norm, plain, eps 0.5", [](Inputs x, Constants) { return rms_norm(x[0], 0.5); }},
      });
}

}  // namespace
}  // namespace lectern
