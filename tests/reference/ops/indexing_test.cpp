#include "autograd/ops/indexing.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Indexing) {
  Calls calls;
  for (const int axis : {0, 1, -1}) {
    calls[fmt::format("index_select, axis {}", axis)] = [=](Inputs x, Constants n) {
      return index_select(x[0], axis, n[0]);
    };
    calls[fmt::format("gather, axis {}", axis)] = [=](Inputs x, Constants n) {
      return gather(x[0], axis, n[0]);
    };
    calls[fmt::format("scatter_add, axis {}", axis)] = [=](Inputs x, Constants n) {
      return scatter_add(x[0], axis, n[0], x[1]);
    };
  }
  for (const double value : {0.0, 2.5, double{-INFINITY}}) {
    calls[fmt::format("masked_fill, {}", value)] = [=](Inputs x, Constants n) {
      return masked_fill(x[0], n[0], value);
    };
  }
  for (const int diagonal : {-9, -1, 0, 1, 9}) {
    calls[fmt::format("tril, diagonal {}", diagonal)] = [=](Inputs x, Constants) {
      return tril(x[0], diagonal);
    };
    calls[fmt::format("triu, diagonal {}", diagonal)] = [=](Inputs x, Constants) {
      return triu(x[0], diagonal);
    };
  }
  expect_cases("indexing", calls);
}

}  // namespace
}  // namespace lectern
