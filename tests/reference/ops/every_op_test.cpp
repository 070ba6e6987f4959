#include <filesystem>
#include <set>

#include "tests/reference/reference.h"
#include "tests/support/declared_functions.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// The ops that have values of a form in whose name `word` occurs.
std::set<std::string> ops_with_values(const std::string& word) {
  std::set<std::string> ops;
  for (const auto& file :
       fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "tests/reference/data/ops")) {
    const Reference reference("ops/" + file.path().stem().string());
    for (const std::string& name : reference.cases()) {
      const std::size_t slash = name.rfind('/');
      if (name.find(word, slash + 1) == std::string::npos) continue;
      ops.insert(name.substr(0, std::min(slash, name.find(", "))));
    }
  }
  return ops;
}

/// Names the ops that lack values of a form, and values of what is no op.
void expect_values_of_every_op(const std::string& word) {
  const std::set<std::string> ops = differentiable_ops(LECTERN_SOURCE_DIR);
  const std::set<std::string> with_values = ops_with_values(word);
  for (const std::string& op : ops) {
    EXPECT_TRUE(with_values.contains(op)) << op << " has no reference values " << word;
  }
  for (const std::string& op : with_values) {
    EXPECT_TRUE(ops.contains(op)) << op << " has reference values but is not declared";
  }
}

TEST(ReferenceOps, EveryDifferentiableOpHasValues) { expect_values_of_every_op(""); }

// Operands of these cases are read through a stride of 0.
TEST(ReferenceOps, EveryDifferentiableOpHasValuesForRepeatedEntries) {
  expect_values_of_every_op("repeated");
}

}  // namespace
}  // namespace lectern
