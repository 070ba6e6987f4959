#include "autograd/ops/views.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

void add_reshapes(Calls& calls) {
  calls["reshape, 4 by -1"] = [](Inputs x, Constants) { return reshape(x[0], {4, -1}); };
  calls["reshape, 1"] = [](Inputs x, Constants) { return reshape(x[0], {1}); };
  calls["reshape, scalar"] = [](Inputs x, Constants) { return reshape(x[0], {}); };
  calls["reshape, 0 by 7"] = [](Inputs x, Constants) { return reshape(x[0], {0, 7}); };
  calls["flatten"] = [](Inputs x, Constants) { return flatten(x[0]); };
  calls["flatten, 1 to 2"] = [](Inputs x, Constants) { return flatten(x[0], 1, 2); };
  calls["flatten, -2 to -1"] = [](Inputs x, Constants) { return flatten(x[0], -2, -1); };
  calls["squeeze"] = [](Inputs x, Constants) { return squeeze(x[0]); };
  calls["squeeze, axis 1"] = [](Inputs x, Constants) { return squeeze(x[0], 1); };
  calls["squeeze, axis -1"] = [](Inputs x, Constants) { return squeeze(x[0], -1); };
  calls["unsqueeze, axis 1"] = [](Inputs x, Constants) { return unsqueeze(x[0], 1); };
  calls["unsqueeze, axis -1"] = [](Inputs x, Constants) { return unsqueeze(x[0], -1); };
  calls["expand, 2 by 3 by 4"] = [](Inputs x, Constants) { return expand(x[0], {2, 3, 4}); };
  calls["expand, 2 by 0"] = [](Inputs x, Constants) { return expand(x[0], {2, 0}); };
  calls["contiguous"] = [](Inputs x, Constants) { return contiguous(x[0]); };
}

void add_permutations(Calls& calls) {
  calls["permute, 2 0 1"] = [](Inputs x, Constants) { return permute(x[0], {2, 0, 1}); };
  calls["permute, 0 1 2"] = [](Inputs x, Constants) { return permute(x[0], {0, 1, 2}); };
  calls["permute, 1 0"] = [](Inputs x, Constants) { return permute(x[0], {1, 0}); };
  calls["permute, 0 2 1 3"] = [](Inputs x, Constants) { return permute(x[0], {0, 2, 1, 3}); };
  calls["transpose, 0 1"] = [](Inputs x, Constants) { return transpose(x[0], 0, 1); };
  calls["transpose, -1 -2"] = [](Inputs x, Constants) { return transpose(x[0], -1, -2); };
  calls["transpose, 1 1"] = [](Inputs x, Constants) { return transpose(x[0], 1, 1); };
  for (const int axis : {0, 1, -1}) {
    calls[fmt::format("flip, axis {}", axis)] = [=](Inputs x, Constants) {
      return flip(x[0], axis);
    };
  }
}

void add_parts(Calls& calls) {
  calls["slice, axis 0 from 1"] = [](Inputs x, Constants) { return slice(x[0], 0, 1); };
  calls["slice, axis -1 from 1 to 3"] = [](Inputs x, Constants) { return slice(x[0], -1, 1, 3); };
  calls["slice, axis 1 from 0 by 2"] = [](Inputs x, Constants) {
    return slice(x[0], 1, 0, kEnd, 2);
  };
  calls["slice, axis -1 from -3 to -1"] = [](Inputs x, Constants) {
    return slice(x[0], -1, -3, -1);
  };
  calls["slice, axis -1 from 1 by 3"] = [](Inputs x, Constants) {
    return slice(x[0], -1, 1, kEnd, 3);
  };
  calls["slice, axis 0 from 2 to 1"] = [](Inputs x, Constants) { return slice(x[0], 0, 2, 1); };
  calls["select, axis 0 at 1"] = [](Inputs x, Constants) { return select(x[0], 0, 1); };
  calls["select, axis -1 at -1"] = [](Inputs x, Constants) { return select(x[0], -1, -1); };
  for (const int offset : {-4, -1, 0, 1, 4}) {
    calls[fmt::format("diagonal, 0 1 offset {}", offset)] = [=](Inputs x, Constants) {
      return diagonal(x[0], 0, 1, offset);
    };
  }
  calls["diagonal, 2 0 offset 1"] = [](Inputs x, Constants) { return diagonal(x[0], 2, 0, 1); };
  calls["diagonal, -2 -1 offset 0"] = [](Inputs x, Constants) { return diagonal(x[0], -2, -1); };
}

void add_splits(Calls& calls) {
  calls["split, 2 parts, axis 0"] = [](Inputs x, Constants) { return split(x[0], 2); };
  calls["split, 3 parts, axis -2"] = [](Inputs x, Constants) { return split(x[0], 3, -2); };
  calls["split, 1 part, axis 1"] = [](Inputs x, Constants) { return split(x[0], 1, 1); };
  calls["split, 3 and 0 and 1, axis -1"] = [](Inputs x, Constants) {
    return split(x[0], std::vector<std::int64_t>{3, 0, 1}, -1);
  };
  calls["split, 0 and 2, axis 0"] = [](Inputs x, Constants) {
    return split(x[0], std::vector<std::int64_t>{0, 2});
  };
}

void add_joins(Calls& calls) {
  for (const int axis : {0, 1, -1}) {
    calls[fmt::format("concat, axis {}", axis)] = [=](Inputs x, Constants) {
      return concat(x, axis);
    };
    calls[fmt::format("stack, axis {}", axis)] = [=](Inputs x, Constants) {
      return stack(x, axis);
    };
  }
  calls["pad, axis 0 1 before"] = [](Inputs x, Constants) { return pad(x[0], 0, 1, 0); };
  calls["pad, axis 1 1 before 2 after with 2.5"] = [](Inputs x, Constants) {
    return pad(x[0], 1, 1, 2, 2.5);
  };
  calls["pad, axis -1 3 after with -inf"] = [](Inputs x, Constants) {
    return pad(x[0], -1, 0, 3, -INFINITY);
  };
  calls["pad, axis 0 nothing"] = [](Inputs x, Constants) { return pad(x[0], 0, 0, 0); };
}

TEST(ReferenceOps, Views) {
  Calls calls;
  add_reshapes(calls);
  add_permutations(calls);
  add_parts(calls);
  add_splits(calls);
  add_joins(calls);
  expect_cases("views", calls);
}

}  // namespace
}  // namespace lectern
