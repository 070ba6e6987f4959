#include "autograd/ops/pointwise.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Pointwise) {
  expect_cases(
      "pointwise",
      {
          {"abs", [](Inputs x, Constants) { return abs(x[0]); }},
          {"exp", [](Inputs x, Constants) { return exp(x[0]); }},
          {"log", [](Inputs x, Constants) { return log(x[0]); }},
          {"log1p", [](Inputs x, Constants) { return log1p(x[0]); }},
          {"sqrt", [](Inputs x, Constants) { return sqrt(x[0]); }},
          {"rsqrt", [](Inputs x, Constants) { return rsqrt(x[0]); }},
          {"sin", [](Inputs x, Constants) { return sin(x[0]); }},
          {"cos", [](Inputs x, Constants) { return cos(x[0]); }},
          {"tanh", [](Inputs x, Constants) { return tanh(x[0]); }},
          {"sigmoid", [](Inputs x, Constants) { return sigmoid(x[0]); }},
          {"erf", [](Inputs x, Constants) { return erf(x[0]); }},
          {"minimum", [](Inputs x, Constants) { return minimum(x[0], x[1]); }},
          {"maximum", [](Inputs x, Constants) { return maximum(x[0], x[1]); }},
          {"minimum, 0.25", [](Inputs x, Constants) { return minimum(x[0], 0.25); }},
          {"maximum, 0.25", [](Inputs x, Constants) { return maximum(x[0], 0.25); }},
          {"clamp, -0.5 to 0.7", [](Inputs x, Constants) { return clamp(x[0], -0.5, 0.7); }},
          {"clamp, -0.5 to 1", [](Inputs x, Constants) { return clamp(x[0], -0.5, 1); }},
          {"clamp, at most 0.5", [](Inputs x, Constants) { return clamp(x[0], -INFINITY, 0.5); }},
          {"where", [](Inputs x, Constants n) { return where(n[0], x[0], x[1]); }},
          {"where, x or 1.5", [](Inputs x, Constants n) { return where(n[0], x[0], 1.5); }},
          {"where, 1.5 or x", [](Inputs x, Constants n) { return where(n[0], 1.5, x[0]); }},
      });
}

}  // namespace
}  // namespace lectern
