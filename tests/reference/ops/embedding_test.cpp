#include "autograd/ops/embedding.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Embedding) {
  expect_cases(
      "embedding",
      {
          {"embedding", [](Inputs x, Constants n) { return embedding(x[0], n[0]); }},
          {"embedding, padding 2", [](Inputs x, Constants n) { return embedding(x[0], n[0], 2); }},
      });
}

}  // namespace
}  // namespace lectern
