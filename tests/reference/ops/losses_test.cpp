#include "autograd/ops/losses.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Losses) {
  const std::map<std::string, Reduction> reductions = {
      {"none", Reduction::none}, {"sum", Reduction::sum}, {"mean", Reduction::mean}};
  Calls calls;
  for (const auto& [name, reduction] : reductions) {
    for (const double smoothing : {0.0, 0.1, 0.3, 1.0}) {
      for (const int ignored : {-100, -1, 0}) {
        const CrossEntropyOptions options{ignored, smoothing, reduction};
        calls[fmt::format("cross_entropy, {}, smoothing {}, ignoring {}", name, smoothing,
                          ignored)] = [=](Inputs x, Constants n) {
          return cross_entropy(x[0], n[0], options);
        };
      }
    }
    calls[fmt::format("mse_loss, {}", name)] = [r = reduction](Inputs x, Constants) {
      return mse_loss(x[0], x[1], r);
    };
  }
  expect_cases("losses", calls);
}

}  // namespace
}  // namespace lectern
