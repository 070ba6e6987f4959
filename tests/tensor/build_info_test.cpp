#include "tensor/build_info.h"

#include <gtest/gtest.h>

#include <vector>

namespace lectern {
namespace {

constexpr BuildInfo kGood{.version = "1.2.3",
                          .compiler = "g++ 12",
                          .build_type = "Release",
                          .simd = "AVX2",
                          .optimised = true,
                          .openmp = true};

TEST(BuildInfo, AGoodBuildWarnsOfNothing) { EXPECT_EQ(slow_build_warning(kGood), ""); }

TEST(BuildInfo, WarnsWithoutOptimisation) {
  BuildInfo info = kGood;
  info.optimised = false;
  info.build_type = "Debug";
  EXPECT_EQ(slow_build_warning(info),
            "WARNING: built without optimisation (build type \"Debug\"): tens of times slower.\n"
            "         Build with: cmake --preset release && cmake --build --preset release\n");
}

TEST(BuildInfo, WarnsWithoutOpenMp) {
  BuildInfo info = kGood;
  info.openmp = false;
  EXPECT_EQ(slow_build_warning(info),
            "WARNING: built without OpenMP: everything runs on one thread.\n"
            "         docs/troubleshooting.md says how to get it.\n");
}

TEST(BuildInfo, VersionTextSaysHowItWasBuilt) {
  const std::string text = version_text("translate");
  EXPECT_EQ(text.rfind("translate (Lectern ", 0), 0u) << text;
  for (const std::string_view part :
       {build_info().version, build_info().compiler, build_info().build_type, build_info().simd}) {
    EXPECT_FALSE(part.empty());
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text;
  }
}

[[gnu::noinline]] std::vector<double> ones_then_zeros() { return {1, 1, 0, 0}; }
[[gnu::noinline]] std::vector<std::int64_t> sevens_then_zero() { return {7, 7, 7, 0}; }
[[gnu::noinline]] std::vector<float> pairs_then_zeros() { return {1, 2, 1, 2, 0, 0, 0, 0}; }

TEST(Compiler, KeepsTheZerosAtTheEndOfConstantLists) {  // see cmake/Compiler.cmake
  const auto at = [](const auto& list, std::size_t i) { return static_cast<double>(list[i]); };
  EXPECT_EQ(at(ones_then_zeros(), 1), 1);
  EXPECT_EQ(at(ones_then_zeros(), 2), 0);
  EXPECT_EQ(at(sevens_then_zero(), 3), 0);
  EXPECT_EQ(at(pairs_then_zeros(), 3), 2);
  EXPECT_EQ(at(pairs_then_zeros(), 4), 0);
}

}  // namespace
}  // namespace lectern
