#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

namespace lectern::kernels {

/// Which class each row should have, and how it is counted.
struct CrossEntropyTargets {
  const std::int64_t* ids;             ///< one per row, in 0..classes-1 unless ignored
  std::optional<std::int64_t> ignore;  ///< rows with this target have loss 0 and gradient 0
  double smoothing = 0;                ///< ε: probability mass spread over all classes
};

/// Per row, in nats: loss = (1-ε) (-log p[target]) + ε/V sum_j (-log p_j), p = softmax(logits).
///
/// Sums run in double. The logarithm of the softmax's denominator is saved for the gradient.
/// Shapes: logits [rows, classes], dense; loss, log_sum_exp [rows].
template <std::floating_point T>
void cross_entropy(const T* logits, const CrossEntropyTargets& targets, T* loss,
                   double* log_sum_exp, std::int64_t rows, std::int64_t classes, int threads);

/// dlogits_j = scale_row * (p_j - (1-ε) [j = target] - ε/V); exactly 0 in ignored rows, whatever
/// their scale.
///
/// `row_scale` is dL/d(loss) of each row, row_scale_stride apart (0: one value for all).
/// dlogits may be logits.
template <std::floating_point T>
void cross_entropy_vjp(const T* logits, const CrossEntropyTargets& targets,
                       const double* log_sum_exp, const T* row_scale, std::int64_t row_scale_stride,
                       T* dlogits, std::int64_t rows, std::int64_t classes, int threads);

}  // namespace lectern::kernels
