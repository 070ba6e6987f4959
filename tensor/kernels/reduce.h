#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/kernels/loop_nest.h"

namespace lectern::kernels {

// Reductions: every output is one pass over `count` elements, read through their strides.
//
// The elements of one output are numbered in row-major order. Element i belongs to block i / 4096
// and, in it, to lane i mod 16; a lane takes its elements in order, the lanes of a block are merged
// pairwise, the blocks one after the other. This fixes the order of every sum, whatever the
// strides, the loop that runs, and the number of threads: long reductions are spread over threads
// by blocks, many short ones by outputs.
//
// Sums and products of float are accumulated in double; those of double profit from lanes and
// blocks, so that their error grows with count / 65536 instead of count.

/// Elements per block.
inline constexpr std::int64_t kReduceBlock = 4096;

/// An array seen as outputs x elements.
struct ReduceNest {
  LoopNest<1> kept;     ///< where the elements of each output start
  LoopNest<1> reduced;  ///< where they lie from there
  std::int64_t outputs() const { return kept.numel(); }
  std::int64_t count() const { return reduced.numel(); }
};

/// Bytes of scratch for any reduction below; 0 if there is one block.
std::int64_t reduce_scratch_bytes(const ReduceNest& nest);

// y is dense and has outputs() elements; `scratch` holds reduce_scratch_bytes(nest).

/// y = sum of x. Integers and bool are summed as integers; these wrap around.
template <class T, class Y>
void sum(const ReduceNest& nest, const T* x, Y* y, std::byte* scratch, int threads);

/// y = sum of x / divisor.
template <class T, class Y>
void mean(const ReduceNest& nest, const T* x, double divisor, Y* y, std::byte* scratch,
          int threads);

/// y = product of x, 1 over nothing.
template <class T>
void prod(const ReduceNest& nest, const T* x, T* y, std::byte* scratch, int threads);

/// y = sum of (x - centre)² / divisor, or its root; one centre for each output, null for 0.
template <class T>
void mean_square(const ReduceNest& nest, const T* x, const double* centre, double divisor,
                 bool root, T* y, std::byte* scratch, int threads);

/// y = centre + log(sum of exp(x - centre)), one centre for each output.
template <class T>
void log_sum_exp(const ReduceNest& nest, const T* x, const double* centre, T* y, std::byte* scratch,
                 int threads);

/// y = largest x, NaN if there is one. count() >= 1.
template <class T>
void max(const ReduceNest& nest, const T* x, T* y, std::byte* scratch, int threads);
/// y = smallest x, NaN if there is one. count() >= 1.
template <class T>
void min(const ReduceNest& nest, const T* x, T* y, std::byte* scratch, int threads);

/// y = number of the first element that max, or min, gives. count() >= 1.
template <class T>
void argmax(const ReduceNest& nest, const T* x, std::int64_t* y, std::byte* scratch, int threads);
template <class T>
void argmin(const ReduceNest& nest, const T* x, std::int64_t* y, std::byte* scratch, int threads);

/// y = whether any x, or all, are not 0. NaN is not 0.
template <class T>
void any(const ReduceNest& nest, const T* x, bool* y, std::byte* scratch, int threads);
template <class T>
void all(const ReduceNest& nest, const T* x, bool* y, std::byte* scratch, int threads);

/// y_k = x_0 + … + x_k along `extent` of a dense [outer, extent, inner] array.
template <class T, class Y>
void cumsum(const T* x, Y* y, std::int64_t outer, std::int64_t extent, std::int64_t inner,
            int threads);

}  // namespace lectern::kernels
