#pragma once

namespace lectern::kernels {

// A portable build for x86-64 holds every kernel three times, each compiled for another generation
// of processors (cmake/KernelVariants.cmake says how). Which one runs is settled once, before
// main() and before any static object of the program is made.

/// The generations, each of which has all that those before it have.
enum class Variant { sse2, avx2, avx512 };

/// The variant to use on a processor that can run all up to `best`: that, unless a lower one is
/// wished for. `wish` is the value of the environment variable LECTERN_ISA, null if it is not set.
/// Throws: std::invalid_argument if `wish` names no variant, or one above `best`.
Variant choose_variant(const char* wish, Variant best);

}  // namespace lectern::kernels
