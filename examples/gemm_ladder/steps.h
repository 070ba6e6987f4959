#pragma once

#include <array>
#include <cstdint>

namespace lectern::gemm_ladder {

/// Sizes of a product C = A B: A [m, k], B [k, n], C [m, n], f32, dense in row-major order.
struct Sizes {
  std::int64_t m, n, k;
};

/// Computes C = A B. C is overwritten; it overlaps neither A nor B.
using Multiply = void (*)(const Sizes& sizes, const float* a, const float* b, float* c);

/// One rung of the ladder: the same product, faster than by the rung before it.
struct Step {
  const char* name;
  Multiply multiply;
};

/// From three plain loops up to what a matrix library does. Each function in steps.cpp keeps what
/// the one before it found out and adds one idea.
extern const std::array<Step, 6> kSteps;

}  // namespace lectern::gemm_ladder
