#include "autograd/ops/dropout.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Dropout) {
  constexpr std::uint64_t seed = 7;  // the masks of ops/dropout.py have it too
  Calls calls;
  for (const double p : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    calls[fmt::format("dropout, {}", p)] = [=](Inputs x, Constants) {
      Rng rng(seed);
      return dropout(x[0], p, rng);
    };
  }
  calls["dropout, 0.5, evaluation"] = [](Inputs x, Constants) {
    Rng rng(seed);
    return dropout(x[0], 0.5, rng, /*training=*/false);
  };
  calls["dropout, 0.5, after 5 words"] = [](Inputs x, Constants) {
    Rng rng(seed);
    rng.reserve(5);
    return dropout(x[0], 0.5, rng);
  };
  for (const double p : {0.0, 0.3, 1.0}) {
    calls[fmt::format("add_dropout, {}", p)] = [=](Inputs x, Constants) {
      Rng rng(seed);
      return add_dropout(x[0], x[1], p, rng);
    };
  }
  calls["add_dropout, 0.5, evaluation"] = [](Inputs x, Constants) {
    Rng rng(seed);
    return add_dropout(x[0], x[1], 0.5, rng, /*training=*/false);
  };
  expect_cases("dropout", calls);
}

}  // namespace
}  // namespace lectern
