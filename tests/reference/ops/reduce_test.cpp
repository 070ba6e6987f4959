#include "autograd/ops/reduce.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

using Reduction = Variable (*)(const Variable& x, const Axes& axes, bool keepdim);

TEST(ReferenceOps, Reduce) {
  const std::map<std::string, Reduction> reductions = {
      {"sum", sum},
      {"mean", mean},
      {"var", [](const Variable& x, const Axes& a, bool keepdim) { return var(x, a, keepdim); }},
      {"var, correction 0",
       [](const Variable& x, const Axes& a, bool keepdim) { return var(x, a, keepdim, 0); }},
      {"std",
       [](const Variable& x, const Axes& a, bool keepdim) { return lectern::std(x, a, keepdim); }},
      {"std, correction 0", [](const Variable& x, const Axes& a,
                               bool keepdim) { return lectern::std(x, a, keepdim, 0); }},
      {"norm", norm},
      {"prod", prod},
      {"max", max},
      {"min", min},
      {"logsumexp", logsumexp},
  };
  const std::map<std::string, Axes> named_axes = {
      {"all", {}}, {"axis 0", 0}, {"axis -1", -1}, {"axes 0 and 2", {0, 2}}};
  Calls calls;
  for (const auto& [name, f] : reductions) {
    for (const auto& [axes_name, axes] : named_axes) {
      for (const bool keepdim : {false, true}) {
        calls[fmt::format("{}, {}{}", name, axes_name, keepdim ? ", keepdim" : "")] =
            [f = f, axes = axes, keepdim](Inputs x, Constants) { return f(x[0], axes, keepdim); };
      }
    }
  }
  for (const int axis : {0, 1, -1}) {
    calls[fmt::format("cumsum, axis {}", axis)] = [=](Inputs x, Constants) {
      return cumsum(x[0], axis);
    };
  }
  expect_cases("reduce", calls);
}

}  // namespace
}  // namespace lectern
