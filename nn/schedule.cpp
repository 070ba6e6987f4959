#include "nn/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/error.h"

namespace lectern::nn {
namespace {

void require_step(std::int64_t step) {
  require<IndexError>(step >= 1, "schedule: step is {}; the first update is step 1", step);
}

/// How much of `steps` has passed at `step`, in [0, 1].
double passed(std::int64_t step, std::int64_t steps) {
  require_step(step);
  require<ValueError>(steps >= 1, "schedule: steps is {}; it must be positive", steps);
  return static_cast<double>(std::min(step - 1, steps)) / static_cast<double>(steps);
}

}  // namespace

double ConstantSchedule::operator()(std::int64_t step) const {
  require_step(step);
  return lr;
}

double LinearSchedule::operator()(std::int64_t step) const {
  return first + (last - first) * passed(step, steps);
}

double StepSchedule::operator()(std::int64_t step) const {
  require_step(step);
  require<ValueError>(every >= 1, "schedule: every is {}; it must be positive", every);
  return lr * std::pow(factor, static_cast<double>((step - 1) / every));
}

double CosineSchedule::operator()(std::int64_t step) const {
  return last + (first - last) * (1 + std::cos(std::numbers::pi * passed(step, steps))) / 2;
}

double NoamSchedule::operator()(std::int64_t step) const {
  require_step(step);
  require<ValueError>(width >= 1 && warmup >= 1,
                      "NoamSchedule: width is {}, warmup is {}; both must be positive", width,
                      warmup);
  const auto s = static_cast<double>(step);
  return factor / std::sqrt(static_cast<double>(width)) *
         std::min(1 / std::sqrt(s), s * std::pow(static_cast<double>(warmup), -1.5));
}

}  // namespace lectern::nn
