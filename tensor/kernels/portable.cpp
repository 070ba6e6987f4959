// The start of a portable build: finds out what the processor can do and which kernels to use.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "tensor/kernels/variant.h"

// cmake/JoinKernels.cmake makes one table of entry points for each variant, all in one order,
// and for each entry point a jump to where `lectern_kernels` says.
extern "C" {
extern const void* const lectern_kernels_sse2[];
extern const void* const lectern_kernels_avx2[];
extern const void* const lectern_kernels_avx512[];
[[gnu::visibility("hidden")]] const void* const* lectern_kernels = lectern_kernels_sse2;
}

namespace lectern::kernels {
namespace {

/// Levels x86-64-v3 and x86-64-v4, by the members that no processor has without the others.
Variant best_variant() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return !avx2 ? Variant::sse2 : !avx512 ? Variant::avx2 : Variant::avx512;
}

const void* const* entry_points(Variant variant) {
  switch (variant) {
    case Variant::avx512:
      return lectern_kernels_avx512;
    case Variant::avx2:
      return lectern_kernels_avx2;
    default:
      return lectern_kernels_sse2;
  }
}

// Nobody could catch an exception yet.
[[gnu::constructor(101)]] void choose_kernels() {
  try {
    lectern_kernels = entry_points(choose_variant(std::getenv("LECTERN_ISA"), best_variant()));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(EXIT_FAILURE);
  }
}

}  // namespace
}  // namespace lectern::kernels
