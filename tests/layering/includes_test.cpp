#include "tests/layering/includes.h"

#include <gtest/gtest.h>

#include <fstream>

namespace lectern {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// A made-up source tree that is removed when the test ends.
class Layering : public testing::Test {
 protected:
  Layering()
      : root_(fs::temp_directory_path() /
              ("lectern_layering_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(root_);
    write("tensor/kernels/gemm.h",
          "#include <omp.h>\n#include <immintrin.h>\n#include <cstdint>\n");
    write("tensor/tensor.h", "#include <fmt/core.h>\n#include \"tensor/kernels/gemm.h\"\n");
    write("autograd/variable.h", "#include \"tensor/tensor.h\"\n");
    write("nn/linear.h", "#include \"autograd/variable.h\"\n#include \"tensor/tensor.h\"\n");
    write("examples/text/vocabulary.h", "#include \"tensor/tensor.h\"\n");
    write("examples/xor.cpp", "#include <CLI/CLI.hpp>\n#include \"nn/linear.h\"\n");
    write("tests/nn/linear_test.cpp", "#include \"nn/linear.h\"\n#include \"tensor/tensor.h\"\n");
  }
  ~Layering() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  Lines violations() const { return include_violations(root_); }

 private:
  fs::path root_;
};

TEST(LayeringOfThisProject, FollowsTheTable) {
  const fs::path root(LECTERN_SOURCE_DIR);
  ASSERT_TRUE(fs::exists(root / "tensor/shape.h"));
  for (const std::string& line : include_violations(root)) ADD_FAILURE() << line;
}

TEST_F(Layering, AGoodTreeHasNoViolations) { EXPECT_EQ(violations(), Lines()); }

TEST_F(Layering, ALayerMayNotIncludeTheOnesAbove) {
  write("tensor/bad.cpp", "#include \"autograd/variable.h\"\n");
  write("autograd/bad.h", "#include <vector>\n\n  #  include  \"nn/linear.h\"\n");
  write("nn/bad.cpp", "#include \"examples/text/vocabulary.h\"\n");
  write("nn/layers/bad.cpp", "#include <tests/nn/linear_test.cpp>\n");
  EXPECT_EQ(violations(),
            Lines({"autograd/bad.h:3: includes nn/linear.h: autograd/ may not include nn/",
                   "nn/bad.cpp:1: includes examples/text/vocabulary.h: nn/ may not include "
                   "examples/text/",
                   "nn/layers/bad.cpp:1: includes tests/nn/linear_test.cpp: nn/ may not include "
                   "tests/",
                   "tensor/bad.cpp:1: includes autograd/variable.h: tensor/ may not include "
                   "autograd/"}));
}

TEST_F(Layering, TextKnowsOnlyTensors) {
  write("examples/text/bad.cpp", "#include \"autograd/variable.h\"\n#include \"nn/linear.h\"\n");
  EXPECT_EQ(violations(), Lines({"examples/text/bad.cpp:1: includes autograd/variable.h: "
                                 "examples/text/ may not include autograd/",
                                 "examples/text/bad.cpp:2: includes nn/linear.h: examples/text/ "
                                 "may not include nn/"}));
}

TEST_F(Layering, KernelsStandOnTheStandardLibraryAlone) {
  write("tensor/kernels/bad.cpp",
        "#include <fmt/core.h>\n#include \"tensor/tensor.h\"\n#include <vector>\n");
  EXPECT_EQ(violations(),
            Lines({"tensor/kernels/bad.cpp:1: includes fmt/core.h: kernels include only kernels, "
                   "the standard library and the compiler's headers",
                   "tensor/kernels/bad.cpp:2: includes tensor/tensor.h: tensor/kernels/ may not "
                   "include tensor/"}));
}

TEST_F(Layering, IncludesAreNamedFromTheRoot) {
  write("nn/bad.cpp", "#include \"linear.h\"\n#include \"../nn/linear.h\"\n");
  EXPECT_EQ(violations(), Lines({"nn/bad.cpp:1: includes linear.h: project headers are named from "
                                 "the project root, others in < >",
                                 "nn/bad.cpp:2: includes ../nn/linear.h: project headers are "
                                 "named from the project root, others in < >"}));
}

TEST_F(Layering, HeadersOfTheLibraryNeedNothingMoreInstalled) {
  write("tensor/bad.h", "#include <nlohmann/json.hpp>\n");
  write("tensor/good.cpp", "#include <nlohmann/json.hpp>\n");
  EXPECT_EQ(violations(), Lines({"tensor/bad.h:1: includes nlohmann/json.hpp: headers of the "
                                 "library include only the standard library and fmt"}));
}

TEST_F(Layering, NoOtherFolderHoldsCode) {
  write("helpers/strings.h", "");
  write("build/release/generated.cpp", "#include \"nn/gone.h\"\n");
  EXPECT_EQ(violations(),
            Lines({"helpers/strings.h: this folder is no layer and may not hold code"}));
}

}  // namespace
}  // namespace lectern
