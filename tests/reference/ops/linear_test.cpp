#include "autograd/ops/linear.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Linear) {
  constexpr std::uint64_t seed = 7;  // the masks of ops/dropout.py have it too
  Calls calls{
      {"linear", [](Inputs x, Constants) { return linear(x[0], x[1], x[2]); }},
      {"linear, no bias", [](Inputs x, Constants) { return linear(x[0], x[1]); }},
      {"linear_relu", [](Inputs x, Constants) { return linear_relu(x[0], x[1], x[2]); }},
      {"linear_relu, no bias", [](Inputs x, Constants) { return linear_relu(x[0], x[1]); }},
      {"linear_relu, evaluation",
       [](Inputs x, Constants) {
         Rng rng(seed);
         return linear_relu(x[0], x[1], x[2], 0.5, rng, /*training=*/false);
       }},
  };
  for (const double p : {0.0, 0.3, 1.0}) {
    calls[fmt::format("linear_relu, dropout {}", p)] = [=](Inputs x, Constants) {
      Rng rng(seed);
      return linear_relu(x[0], x[1], x[2], p, rng);
    };
  }
  expect_cases("linear", calls);
}

}  // namespace
}  // namespace lectern
