#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tensor/kernels/philox.h"

namespace lectern::kernels {

/// An array [B, H, T, D] whose last axis is dense; strides count elements, 0 repeats.
template <class T>
struct HeadsView {
  T* data;
  std::int64_t batch_stride, head_stride, time_stride;
};

/// Which keys a query may see: all of those named here. Nothing set = every key.
struct AttentionMask {
  /// Query i sees keys j <= i + Tk - Tq: the triangle hangs from the lower right, so that a single
  /// cached query sees every key so far.
  bool causal = false;
  /// Null, or [B]: sample b sees keys j < key_lengths[b].
  const std::int64_t* key_lengths = nullptr;
  /// Null, or a view [B, H, Tq, Tk] where true = keep; a stride of 0 broadcasts.
  const bool* keep = nullptr;
  std::int64_t keep_strides[4] = {0, 0, 0, 0};
};

/// Sizes and numbers of scaled dot-product attention.
struct Attention {
  std::int64_t batch, heads, queries, keys;  ///< B, H, Tq, Tk
  std::int64_t width, value_width;           ///< D of q and k; D of v and the result
  double scale;                              ///< usually 1 / sqrt(D)
  AttentionMask mask = {};
  /// Drops weights; element (b, h, i, j) of the mask has the row-major index in [B, H, Tq, Tk].
  PhiloxDropout dropout = {};
};

/// Bytes of scratch for attention and attention_vjp; does not grow with Tq or Tk.
template <std::floating_point T>
std::int64_t attention_scratch_bytes(const Attention& a, int threads);

/// out_i = sum_j dropout(w_ij) v_j, w_i = softmax over the keys that i may see of scale <q_i, k_j>.
///
/// A query that may see no key gives a zero row. log_sum_exp [B, H, Tq], dense, is saved for the
/// gradient (-inf for such a row); it may be null. Never forms [Tq, Tk]: keys are taken in tiles.
/// Shapes: q [B, H, Tq, width], k [B, H, Tk, width], v [B, H, Tk, value_width],
///         out [B, H, Tq, value_width].
/// Ref:    Vaswani et al. (2017), section 3.2.1, arXiv:1706.03762; Milakov, Gimelshein (2018),
///         "Online normalizer calculation for softmax", arXiv:1805.02867; Dao et al. (2022),
///         "FlashAttention", arXiv:2205.14135.
template <std::floating_point T>
void attention(const Attention& a, HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
               HeadsView<T> out, double* log_sum_exp, std::byte* scratch, int threads);

/// Gradients of attention from its inputs, its result and the saved log_sum_exp.
///
///   dv_j = sum_i dropout(w_ij) g_i        dw_ij = dropout'(<g_i, v_j>)
///   ds_ij = w_ij (dw_ij - <g_i, out_i>)
///   dq_i = scale sum_j ds_ij k_j          dk_j = scale sum_i ds_ij q_i
///
/// All of dq, dk, dv are overwritten (strides must not be 0); none may overlap an input.
template <std::floating_point T>
void attention_vjp(const Attention& a, HeadsView<const T> q, HeadsView<const T> k,
                   HeadsView<const T> v, HeadsView<const T> out, const double* log_sum_exp,
                   HeadsView<const T> g, HeadsView<T> dq, HeadsView<T> dk, HeadsView<T> dv,
                   std::byte* scratch, int threads);

}  // namespace lectern::kernels
