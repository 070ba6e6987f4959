#include "autograd/ops/einsum.h"

#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

TEST(ReferenceOps, Einsum) {
  const std::string before = "einsum, ";
  const Reference reference("ops/einsum");
  Calls calls;
  for (const std::string& name : reference.cases()) {
    const std::string key = name.substr(0, name.rfind('/'));
    ASSERT_TRUE(key.starts_with(before)) << key;
    calls[key] = [equation = key.substr(before.size())](Inputs x, Constants) {
      return einsum(equation, x);
    };
  }
  expect_cases("einsum", calls);
}

}  // namespace
}  // namespace lectern
