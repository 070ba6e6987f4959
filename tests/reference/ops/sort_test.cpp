#include "autograd/ops/sort.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

Results values_and_indices(const SortedVariable& sorted) {
  return std::vector{sorted.values, Variable(sorted.indices)};
}

TEST(ReferenceOps, Sort) {
  Calls calls;
  for (const int axis : {0, 1, -1}) {
    for (const bool descending : {false, true}) {
      calls[fmt::format("sort, axis {}{}", axis, descending ? ", descending" : "")] =
          [=](Inputs x, Constants) { return values_and_indices(sort(x[0], axis, descending)); };
    }
  }
  for (const auto& [k, axis] : {std::pair{0, -1}, {1, 0}, {1, -1}, {2, 0}, {3, 1}, {3, -1}}) {
    for (const bool largest : {false, true}) {
      calls[fmt::format("topk, {} {}, axis {}", k, largest ? "largest" : "smallest", axis)] =
          [k = k, axis = axis, largest](Inputs x, Constants) {
            return values_and_indices(topk(x[0], k, axis, largest));
          };
    }
  }
  expect_cases("sort", calls);
}

}  // namespace
}  // namespace lectern
