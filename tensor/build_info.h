#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// How this copy of the library was compiled.
struct BuildInfo {
  std::string_view version;     ///< "0.1.0"
  std::string_view compiler;    ///< "g++ 12.2.0"
  std::string_view build_type;  ///< CMake's: "Release", "Debug", …
  std::string_view simd;        ///< widest vector instructions in use: "AVX2", "NEON", …
  bool optimised;               ///< false with -O0: tens of times slower
  bool openmp;                  ///< false: everything runs on one thread
};

/// The facts about the library that is linked into this program.
BuildInfo build_info();

/// The answer to `--version`: program, version and how it was built, on one line.
std::string version_text(std::string_view program);

/// What to tell the user of a build that is slow for a reason he can remove; empty for a good one.
std::string slow_build_warning(const BuildInfo& info);

/// Prints slow_build_warning() of this build on stderr; every program calls it first.
void warn_if_slow();

}  // namespace lectern
