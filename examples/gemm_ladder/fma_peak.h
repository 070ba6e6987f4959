#pragma once

namespace lectern::gemm_ladder {

/// What the cores can do at most: GFLOP/s of fused multiply-adds of f32 registers that never touch
/// memory, on `threads` threads together. Measured once in a run, as the best of several tries.
double fma_peak(int threads);

}  // namespace lectern::gemm_ladder
