#include "autograd/ops/losses.h"

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/reduce.h"
#include "tensor/threads.h"

namespace lectern {
namespace {

void check(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  require_floating("cross_entropy", logits.dtype(), "logits");
  require<DTypeError>(targets.dtype() == DType::i64,
                      "cross_entropy: targets is {}; it must be i64, the numbers of the classes",
                      targets.dtype());
  Shape items = logits.shape();
  if (items.rank() > 0) items.erase(items.rank() - 1);
  require<ShapeError>(logits.rank() > 0 && targets.shape() == items,
                      "cross_entropy: shapes do not belong together: logits is {}, targets is {}; "
                      "logits must be targets.shape and one axis of classes more",
                      logits.shape(), targets.shape());
  require<ValueError>(options.label_smoothing >= 0 && options.label_smoothing <= 1,
                      "cross_entropy: label_smoothing is {}; it must be within 0..1",
                      options.label_smoothing);
}

/// Number of targets that are not ignored. Throws IndexError if one of them is no class.
std::int64_t counted(const Tensor& targets, std::int64_t ignore, const Shape& logits) {
  const auto ids = targets.data<std::int64_t>();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == ignore) continue;
    require<IndexError>(
        ids[i] >= 0 && ids[i] < logits[-1],
        "cross_entropy: target {} at position {} is outside the vocabulary: logits is {}", ids[i],
        unravel_index(static_cast<std::int64_t>(i), targets.shape()), logits);
    ++count;
  }
  return count;
}

/// What the backward pass of cross_entropy needs.
struct Items {
  SavedTensor logits;   ///< dense
  SavedTensor targets;  ///< dense
  Tensor log_sum_exp;   ///< f64, one per item
  CrossEntropyOptions options;
  std::int64_t count, classes;

  kernels::CrossEntropyTargets kernel_targets() const {
    return {.ids = targets->origin<std::int64_t>(),
            .ignore = options.ignore_index,
            .smoothing = options.label_smoothing};
  }
};

/// dL/d(logits), given dL/d(loss) of every item or, if it is a scalar, of all of them.
Tensor logits_gradient(const Items& items, const Tensor& of_losses) {
  const Tensor scale = of_losses.contiguous();
  Tensor dx = Tensor::empty_like(*items.logits);
  visit_floating("cross_entropy", dx.dtype(), [&]<class T>() {
    kernels::cross_entropy_vjp(items.logits->origin<T>(), items.kernel_targets(),
                               items.log_sum_exp.origin<double>(), scale.origin<T>(),
                               scale.rank() == 0 ? 0 : 1, dx.mutable_origin<T>(), items.count,
                               items.classes, num_threads());
  });
  return dx;
}

}  // namespace

// loss = (1-ε) (-log p[target]) + ε/V sum_j (-log p_j)
// dlogits_j = g (p_j - (1-ε) [j = target] - ε/V), divided by the number of counted items if
// averaged
Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options) {
  check(logits, targets, options);
  const Tensor ids = targets.contiguous();
  const std::int64_t divisor =
      std::max<std::int64_t>(1, counted(ids, options.ignore_index, logits.shape()));
  const Tensor x = logits.value().contiguous();
  const Items items{.logits = saved(x),
                    .targets = saved(ids),
                    .log_sum_exp = Tensor::empty(ids.shape(), DType::f64),
                    .options = options,
                    .count = ids.numel(),
                    .classes = logits.shape()[-1]};
  Tensor losses = Tensor::empty(ids.shape(), x.dtype());
  visit_floating("cross_entropy", x.dtype(), [&]<class T>() {
    Tensor log_sum_exp = items.log_sum_exp;
    kernels::cross_entropy(x.origin<T>(), items.kernel_targets(), losses.mutable_origin<T>(),
                           log_sum_exp.mutable_origin<double>(), items.count, items.classes,
                           num_threads());
  });
  const double share = options.reduction == Reduction::mean ? 1 / static_cast<double>(divisor) : 1;
  const Tensor loss = options.reduction == Reduction::none ? losses : sum(losses) * share;
  return record("cross_entropy", loss, wrt(logits, [items, share](const Tensor& g) {
                  return logits_gradient(items, g * share);
                }));
}

// loss = (x - t)²        dx = 2 g (x - t)        dt = -dx        (g divided by n if averaged)
Variable mse_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_floating("mse_loss", x.dtype());
  require<DTypeError>(x.dtype() == target.dtype(),
                      "mse_loss: dtypes differ: x is {}, target is {}; convert one with "
                      ".to(DType::{})",
                      x.dtype(), target.dtype(), name(x.dtype()));
  require<ShapeError>(x.shape() == target.shape(),
                      "mse_loss: shapes differ: x is {}, target is {}; nothing broadcasts here",
                      x.shape(), target.shape());
  const Tensor difference = x.value() - target.value();
  const Tensor squares = difference * difference;
  const double n = static_cast<double>(squares.numel());
  const double factor = reduction == Reduction::mean ? 2 / n : 2;
  const auto dx = [d = saved(difference), factor](const Tensor& g) { return *d * (g * factor); };
  const auto dt = [d = saved(difference), factor](const Tensor& g) { return *d * (g * -factor); };
  const Tensor loss = reduction == Reduction::none  ? squares
                      : reduction == Reduction::sum ? sum(squares)
                                                    : mean(squares);
  return record("mse_loss", loss, wrt(x, dx), wrt(target, dt));
}

}  // namespace lectern
