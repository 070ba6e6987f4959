#include "autograd/ops/arithmetic.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Arithmetic) {
  Calls calls = {
      {"operator+", [](Inputs x, Constants) { return x[0] + x[1]; }},
      {"operator-", [](Inputs x, Constants) { return x[0] - x[1]; }},
      {"operator*", [](Inputs x, Constants) { return x[0] * x[1]; }},
      {"operator/", [](Inputs x, Constants) { return x[0] / x[1]; }},
      {"operator+, x + 2.5", [](Inputs x, Constants) { return x[0] + 2.5; }},
      {"operator+, 2.5 + x", [](Inputs x, Constants) { return 2.5 + x[0]; }},
      {"operator-, x - 2.5", [](Inputs x, Constants) { return x[0] - 2.5; }},
      {"operator-, 2.5 - x", [](Inputs x, Constants) { return 2.5 - x[0]; }},
      {"operator*, x * 2.5", [](Inputs x, Constants) { return x[0] * 2.5; }},
      {"operator*, 2.5 * x", [](Inputs x, Constants) { return 2.5 * x[0]; }},
      {"operator/, x / 2.5", [](Inputs x, Constants) { return x[0] / 2.5; }},
      {"operator/, 2.5 / x", [](Inputs x, Constants) { return 2.5 / x[0]; }},
      {"operator-, -x", [](Inputs x, Constants) { return -x[0]; }},
      {"pow", [](Inputs x, Constants) { return pow(x[0], x[1]); }},
  };
  for (const double exponent : {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 2.5}) {
    calls[fmt::format("pow, {}", exponent)] = [=](Inputs x, Constants) {
      return pow(x[0], exponent);
    };
  }
  expect_cases("arithmetic", calls);
}

}  // namespace
}  // namespace lectern
