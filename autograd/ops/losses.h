#pragma once

#include <cstdint>

#include "autograd/variable.h"

namespace lectern {

/// What becomes of the losses of the single items.
enum class Reduction {
  none,  ///< they are the result
  sum,   ///< they are added up
  mean,  ///< their sum is divided by the number of items that count
};

struct CrossEntropyOptions {
  /// Items with this target (padding, say) have loss 0 and gradient 0, and do not count.
  std::int64_t ignore_index = -100;
  /// ε in 0..1: share of the target's probability that is spread evenly over all V classes.
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};

/// Surprise at the targets, in nats, where p = softmax(logits) along the last axis; per item
///
///   (1 - ε) (-log p[target]) + ε/V sum_j (-log p[j])
///
/// The logits are not turned into probabilities first, so that no finite logit gives an infinite
/// loss. The mean over no counted item is 0 (PyTorch's is NaN), and every gradient is 0 then: a
/// batch of padding changes nothing.
///
/// A batch too large for memory is cut into micro-batches of any sizes; with the seed 1/n, n being
/// the number of counted items of all of them, their gradients add up to that of the whole mean:
///
///   const Variable loss = cross_entropy(logits, targets, {.reduction = Reduction::sum});
///   backward(loss, Tensor::scalar(1 / n));
///
/// Shapes: logits [..., V]; targets i64 [...], each in 0..V-1 or ignore_index; result [] or, with
///         Reduction::none, as targets.
/// Throws: ShapeError if the shapes do not belong together, IndexError for a target outside the
///         vocabulary, ValueError unless 0 <= ε <= 1, DTypeError unless logits are f32 or f64 and
///         targets i64.
/// Ref:    Szegedy et al. (2016), "Rethinking the Inception architecture for computer vision",
///         section 7, arXiv:1512.00567 (label smoothing).
Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options = {});

/// Squared error (x - target)², by default its mean over all elements (NaN if there are none).
///
/// Shapes: x and target alike; result [] or, with Reduction::none, as x.
/// Throws: ShapeError if the shapes differ (nothing broadcasts here), DTypeError unless both are
///         f32, or both f64.
Variable mse_loss(const Variable& x, const Variable& target, Reduction reduction = Reduction::mean);

}  // namespace lectern
