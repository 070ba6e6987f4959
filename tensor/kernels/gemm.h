#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lectern::kernels {

/// A matrix somewhere in memory: element (i, j) is at data[i * row_stride + j * col_stride].
///
/// Strides count elements and may be anything, so transposed, permuted and head-split views need
/// no copy; 0 repeats a row or column (operands only).
template <class T>
struct MatrixView {
  T* data;
  std::int64_t row_stride, col_stride;
};

/// One axis over which the product is repeated, with the step of each matrix along it in elements;
/// a step of 0 broadcasts an operand.
struct BatchAxis {
  std::int64_t extent, a_stride, b_stride, c_stride;
};

/// C = A B, optionally + bias, + what C held before and through relu, for every index of the batch
/// axes.
///
/// Shapes: a [m, k], b [k, n], c [m, n], bias [n]; each batch axis repeats all but the bias.
template <std::floating_point T>
struct Gemm {
  std::int64_t m, n, k;
  MatrixView<const T> a, b;
  MatrixView<T> c;          ///< its elements are distinct, and overlap neither a nor b
  const T* bias = nullptr;  ///< added to every row of C, if given; dense
  bool accumulate = false;  ///< adds to what C holds; otherwise that is never read
  bool relu = false;        ///< max(C, 0) of all that, where NaN stays
  /// Every row of C (and the bias) has room up to whole registers, and what lies there beyond
  /// column n may be read and overwritten, which is quicker than to leave it.
  bool whole_registers = false;
  std::span<const BatchAxis> batch = {};  ///< outermost first, any number; none = one product
};

/// Bytes of scratch that `gemm` wants for this product on `threads` threads.
template <std::floating_point T>
std::int64_t gemm_scratch_bytes(const Gemm<T>& product, int threads);

/// Computes the product; k = 0 gives zeros (plus bias, plus C).
///
/// Each element is a sum over k in an order that depends on k alone: not on its place, on m, n,
/// the strides or the number of threads. One row of a product is bit for bit the product of that
/// row.
///
/// `scratch` holds gemm_scratch_bytes(product, threads) bytes, 64-byte aligned (null if that is 0).
template <std::floating_point T>
void gemm(const Gemm<T>& product, std::byte* scratch, int threads);

}  // namespace lectern::kernels
