#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/support/declared_functions.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// All words of the tests under `folder` whose files contain `mark`, and signs between blanks.
std::set<std::string> tested(const fs::path& folder, const std::string& mark) {
  const std::regex word(R"(\w+| [-+*/] |[(, ]-[a-z])");
  std::set<std::string> words;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = text_of(entry.path());
    if (text.find(mark) == std::string::npos) continue;
    for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match) {
      const std::string found = match->str();
      words.insert(found.front() == ' ' && found.size() == 3 ? "operator" + found.substr(1, 1)
                                                             : found);
    }
  }
  return words;
}

const fs::path kRoot(LECTERN_SOURCE_DIR);

TEST(Ops, EveryDifferentiableOpIsNamedWhereGradientsAreChecked) {
  const std::set<std::string> words = tested(kRoot / "tests/autograd/ops", "gradients_match(");
  const std::set<std::string> ops = differentiable_ops(kRoot);
  EXPECT_GT(ops.size(), 50U);  // the pattern still finds the declarations
  EXPECT_TRUE(ops.contains("softmax") && ops.contains("operator*"));
  for (const std::string& op : ops) {
    EXPECT_TRUE(words.contains(op)) << op << " has no gradient check in tests/autograd/ops";
  }
}

TEST(Ops, EveryTensorFunctionIsNamedInATest) {
  const std::set<std::string> words = tested(kRoot / "tests/tensor", "TEST(");
  const std::string types = "(?:Tensor|std::vector<Tensor>|SortedTensor|bool)";
  std::set<std::string> functions = declared_functions(kRoot / "tensor", types);
  EXPECT_GT(functions.size(), 80U);
  EXPECT_TRUE(functions.contains("exp") && functions.contains("operator/"));
  for (const char* part : {"labelled_view", "map_numbers", "map_registers"}) {
    EXPECT_EQ(functions.erase(part), 1U) << part;  // what ops are made of, tested through them
  }
  for (const std::string& function : functions) {
    EXPECT_TRUE(words.contains(function)) << function << " is not named in tests/tensor";
  }
}

}  // namespace
}  // namespace lectern
