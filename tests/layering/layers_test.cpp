#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace lectern {
namespace {

namespace fs = std::filesystem;

std::string texts_of(const fs::path& folder, const std::string& extension) {
  std::ostringstream text;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) text << std::ifstream(entry.path()).rdbuf();
  }
  return text.str();
}

/// Names of the classes that are declared as modules.
std::set<std::string> declared_modules(const std::string& text) {
  const std::regex declaration(R"(class (\w+)(?: final)? : public Module\b)");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end;
       ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

/// Names X of the tests TEST(X, KeepsTheLayerContract) that make an X and hold it to the contract,
/// themselves or through a function that they instantiate for X.
std::set<std::string> modules_under_contract(const std::string& text) {
  const std::string mark = ", KeepsTheLayerContract) {";
  std::set<std::string> names;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t start = text.rfind('(', at) + 1;
    const std::string name = text.substr(start, at - start);
    const std::string body = text.substr(at, text.find("\nTEST(", at) - at);
    const std::size_t call = std::min(body.find("expect_layer_contract("), body.size());
    const bool instantiates = body.find("_contract<" + name + ">") != std::string::npos;
    const std::regex made("\\b" + name + "\\(");
    if (instantiates || std::regex_search(body.substr(call), made)) names.insert(name);
  }
  return names;
}

TEST(Layers, EveryModuleKeepsTheLayerContract) {
  const fs::path root(LECTERN_SOURCE_DIR);
  const std::set<std::string> modules = declared_modules(texts_of(root / "nn", ".h"));
  const std::set<std::string> tested = modules_under_contract(texts_of(root / "tests/nn", ".cpp"));
  EXPECT_GE(modules.size(), 22U);  // the pattern still finds the declarations
  EXPECT_TRUE(modules.contains("Linear") && modules.contains("Sequential"));
  for (const std::string& module : modules) {
    EXPECT_TRUE(tested.contains(module))
        << module << " lacks TEST(" << module << ", KeepsTheLayerContract) in tests/nn";
  }
}

TEST(Layers, AModuleWithoutContractIsFound) {
  EXPECT_EQ(declared_modules("class Gate final : public Module {\nclass Other : public Thing {"),
            std::set<std::string>{"Gate"});
  EXPECT_TRUE(
      modules_under_contract("\nTEST(Gate, KeepsTheLayerContract) {\n  expect_layer_"
                             "contract(make_another(), {}, {});\n}\nTEST(X, Gate) { Gate(1); }")
          .empty());
  EXPECT_EQ(modules_under_contract("\nTEST(Gate, KeepsTheLayerContract) {\n  expect_layer_"
                                   "contract([] { return Gate(1); }, {}, {});\n}"),
            std::set<std::string>{"Gate"});
}

}  // namespace
}  // namespace lectern
