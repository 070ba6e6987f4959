#include "tensor/build_info.h"

#include <fmt/core.h>

#include <cstdio>

#include "tensor/kernels/instruction_set.h"

namespace lectern {
namespace {

// __clang_version__ ends in a blank.
#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#else
constexpr std::string_view kCompiler = "unknown compiler";
#endif

#if defined(__OPTIMIZE__)
constexpr bool kOptimised = true;
#else
constexpr bool kOptimised = false;
#endif

#if defined(_OPENMP)
constexpr bool kOpenMp = true;
#else
constexpr bool kOpenMp = false;
#endif

}  // namespace

BuildInfo build_info() {
  return {.version = LECTERN_VERSION,
          .compiler = kCompiler,
          .build_type = LECTERN_BUILD_TYPE,
          .simd = kernels::instruction_set(),
          .optimised = kOptimised,
          .openmp = kOpenMp};
}

std::string version_text(std::string_view program) {
  const BuildInfo info = build_info();
  return fmt::format("{} (Lectern {}; {}, {}, {}, {})", program, info.version, info.compiler,
                     info.build_type, info.simd, info.openmp ? "OpenMP" : "no OpenMP");
}

std::string slow_build_warning(const BuildInfo& info) {
  std::string text;
  if (!info.optimised) {
    text += fmt::format(
        "WARNING: built without optimisation (build type \"{}\"): tens of times slower.\n"
        "         Build with: cmake --preset release && cmake --build --preset release\n",
        info.build_type);
  }
  if (!info.openmp) {
    text +=
        "WARNING: built without OpenMP: everything runs on one thread.\n"
        "         docs/troubleshooting.md says how to get it.\n";
  }
  return text;
}

void warn_if_slow() { fmt::print(stderr, "{}", slow_build_warning(build_info())); }

}  // namespace lectern
