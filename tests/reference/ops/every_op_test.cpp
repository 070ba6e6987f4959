#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "tests/reference/ops/layout.h"
#include "tests/reference/reference.h"
#include "tests/support/declared_functions.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot(LECTERN_SOURCE_DIR);

/// The ops that have a case one of whose inputs is as asked for.
std::set<std::string> ops_with(const std::function<bool(const Tensor& x)>& asked) {
  std::set<std::string> ops;
  for (const auto& file : fs::directory_iterator(kRoot / "tests/reference/data/ops")) {
    const Reference reference("ops/" + file.path().stem().string());
    for (const std::string& name : reference.cases()) {
      if (std::ranges::any_of(reference.inputs(name, "x", DType::f32), asked)) {
        ops.insert(name.substr(0, std::min(name.rfind('/'), name.find(", "))));
      }
    }
  }
  return ops;
}

void expect_every_op_in(const std::set<std::string>& ops, std::string_view values) {
  for (const std::string& op : differentiable_ops(kRoot)) {
    EXPECT_TRUE(ops.contains(op)) << op << " has no " << values << " in tests/reference/data/ops";
  }
}

TEST(ReferenceOps, EveryDifferentiableOpHasValues) {
  const std::set<std::string> with_values = ops_with([](const Tensor&) { return true; });
  expect_every_op_in(with_values, "values");
  const std::set<std::string> declared = differentiable_ops(kRoot);
  for (const std::string& op : with_values) {
    EXPECT_TRUE(declared.contains(op)) << op << " has values but is not declared";
  }
}

TEST(ReferenceOps, EveryDifferentiableOpHasValuesForEmptyInputs) {
  expect_every_op_in(ops_with([](const Tensor& x) { return x.numel() == 0; }),
                     "values for empty inputs");
}

TEST(ReferenceOps, EveryDifferentiableOpHasValuesForInputsOfSizeOne) {
  expect_every_op_in(ops_with([](const Tensor& x) { return x.rank() > 0 && x.numel() == 1; }),
                     "values for inputs of size 1");
}

TEST(ReferenceOps, EveryDifferentiableOpHasValuesForInputsWithStrideZero) {
  const auto repeats = [](const Tensor& x) {
    return x.numel() > 1 && std::ranges::count(laid_out(x, Layout::repeated).strides(), 0) > 0;
  };
  expect_every_op_in(ops_with(repeats), "values for inputs that repeat their entries");
}

}  // namespace
}  // namespace lectern
