#pragma once

#include <optional>

#include "autograd/mask.h"
#include "autograd/variable.h"
#include "tensor/random.h"

namespace lectern {

/// What an attention does besides the products.
struct AttentionOptions {
  Mask mask = {};                    ///< which keys each query may see: true = may be seen
  Variable bias = {};                ///< added to the scores; broadcasts to [B, H, Tq, Tk]
  std::optional<double> scale = {};  ///< of <q, k>; 1 / sqrt(D) if not given
  double dropout = 0;                ///< probability with which a weight is dropped in training
  Rng* rng = nullptr;                ///< draws the dropout; needed if anything is to be dropped
  bool training = false;             ///< whether weights are dropped
};

/// Attention: each query takes the mean of the values, weighted by how well it agrees with the
/// keys: y_i = sum_j w_ij v_j, w_i = softmax over j of (scale <q_i, k_j> + bias_ij).
///
/// A weight whose key may not be seen is exactly 0; a query that may see no key gives zeros, and
/// zero gradients. Unless there is a bias this is one fused op whose memory grows with Tq and Tk,
/// not with their product, forward and backward; it drops the same weights as
/// attention_with_weights does from the same generator. Views of any strides are read in place if
/// their last axis is dense. The result lies in memory as [B, Tq, H, D], so that laying the heads
/// side by side is a view.
/// Shapes: q [B, H, Tq, D], k [B, H, Tk, D], v [B, H, Tk, Dv] -> [B, H, Tq, Dv].
/// Throws: ShapeError if the shapes do not fit, DTypeError unless all are f32 or all f64, the
///         errors of validate() for the mask, ValueError unless 0 <= dropout <= 1.
/// Ref:    Vaswani et al. (2017), "Attention is all you need", section 3.2.1, arXiv:1706.03762;
///         Dao et al. (2022), "FlashAttention", arXiv:2205.14135.
Variable scaled_dot_product_attention(const Variable& q, const Variable& k, const Variable& v,
                                      const AttentionOptions& options = {});

/// What attention gives when the weights are wanted too.
struct Attended {
  Variable output;   ///< [B, H, Tq, Dv]
  Variable weights;  ///< [B, H, Tq, Tk], before dropout: rows sum to 1, or are 0 if nothing is seen
};

/// As scaled_dot_product_attention, composed of plain ops: matmul, masked_softmax, dropout, matmul.
/// It forms the weights, so its memory grows with Tq · Tk.
///
/// Shapes, throws: as scaled_dot_product_attention.
Attended attention_with_weights(const Variable& q, const Variable& k, const Variable& v,
                                const AttentionOptions& options = {});

}  // namespace lectern
