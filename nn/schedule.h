#pragma once

#include <cstdint>

namespace lectern::nn {

// Learning rates by step; `step` is 1 for the first update. Nothing to save: a schedule depends on
// the step alone. Each throws IndexError if step < 1.

/// lr, always.
struct ConstantSchedule {
  double lr;
  double operator()(std::int64_t step) const;
};

/// From `first` at step 1 on a straight line to `last` after `steps` more, then constant.
struct LinearSchedule {
  double first;
  double last;
  std::int64_t steps;
  double operator()(std::int64_t step) const;
};

/// lr · factor^floor((step - 1) / every).
struct StepSchedule {
  double lr;
  std::int64_t every;
  double factor = 0.1;
  double operator()(std::int64_t step) const;
};

/// From `first` at step 1 along half a cosine to `last` after `steps` more, then constant.
///
/// Ref: Loshchilov and Hutter (2017), "SGDR", eq. 5, arXiv:1608.03983.
struct CosineSchedule {
  double first;
  double last;
  std::int64_t steps;
  double operator()(std::int64_t step) const;
};

/// factor · width^-½ · min(step^-½, step · warmup^-1.5): rises in proportion to the step, then
/// falls as its inverse square root.
///
/// Throws: ValueError unless width and warmup are positive.
/// Ref:    Vaswani et al. (2017), section 5.3, eq. 3, arXiv:1706.03762.
struct NoamSchedule {
  std::int64_t width;
  std::int64_t warmup;
  double factor = 1;
  double operator()(std::int64_t step) const;
};

}  // namespace lectern::nn
