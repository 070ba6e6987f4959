#include "tensor/kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/vector_math.h"
#include "tensor/kernels/wide.h"

namespace lectern::kernels {

// The probabilities are never stored: forward keeps one number per row, log_sum_exp, and backward
// makes p_j = exp(x_j - log_sum_exp) again. A row of V logits is read twice forward (the maximum,
// then the sum) and once backward.
//
// With s_j = x_j - max x and Z = sum_j exp(s_j), the loss of a row is
//   log Z - (1-ε) s_target - ε/V sum_j s_j,
// in which nothing large cancels. Sums run in double.

namespace {

template <class T>
constexpr double element_work = sizeof(T) == 4 ? 0.3 : 8;  // nanoseconds on one core

template <class T>
constexpr T lowest = -std::numeric_limits<T>::infinity();

template <class T>
T largest(const T* x, std::int64_t n) {
  Vector<T> top = broadcast(lowest<T>);
  each_register<T>(n, [&](std::int64_t at, std::int64_t count) {
    const Vector<T> value = load(x + at, count, lowest<T>);
    top = value > top ? value : top;
  });
  return largest_lane<T>(top);
}

bool is_ignored(const CrossEntropyTargets& targets, std::int64_t row) {
  return targets.ignore.has_value() && targets.ids[row] == *targets.ignore;
}

template <class T>
T row_loss(const T* x, std::int64_t target, double smoothing, std::int64_t classes,
           double& log_sum_exp) {
  // 1. The largest logit.
  const T top = largest(x, classes);
  // 2. Z, and the sum of s where smoothing asks for it.
  LaneSums<T> exponentials, shifted;
  each_register<T>(classes, [&](std::int64_t at, std::int64_t count) {
    exponentials.add(vexp(load(x + at, count, lowest<T>) - top));
    if (smoothing != 0) shifted.add(load(x + at, count, top) - top);
  });
  // 3. The loss.
  const double log_z = std::log(exponentials.total());
  log_sum_exp = static_cast<double>(top) + log_z;
  const double s_target = static_cast<double>(x[target]) - static_cast<double>(top);
  double loss = log_z - (1 - smoothing) * s_target;
  if (smoothing != 0) loss -= smoothing / static_cast<double>(classes) * shifted.total();
  return static_cast<T>(loss);
}

template <class T>
void row_vjp(const T* x, std::int64_t target, double smoothing, double log_sum_exp, T scale, T* dx,
             std::int64_t classes) {
  // 1. log_sum_exp in two parts, of which the first is a T: x - first is then (nearly) exact.
  const T first = static_cast<T>(log_sum_exp);
  const T second = static_cast<T>(log_sum_exp - static_cast<double>(first));
  const T spread = static_cast<T>(smoothing / static_cast<double>(classes));
  const T target_logit = x[target];  // dx may be x
  // 2. p - ε/V, and the target's share.
  each_register<T>(classes, [&](std::int64_t at, std::int64_t count) {
    const Vector<T> p = vexp((load(x + at, count, lowest<T>) - first) - second);
    store(dx + at, (p - spread) * scale, count);
  });
  const double p = std::exp(static_cast<double>(target_logit) - log_sum_exp);
  const double share = (1 - smoothing) + smoothing / static_cast<double>(classes);
  dx[target] = static_cast<T>((p - share) * static_cast<double>(scale));
}

}  // namespace

template <std::floating_point T>
void cross_entropy(const T* logits, const CrossEntropyTargets& targets, T* loss,
                   double* log_sum_exp, std::int64_t rows, std::int64_t classes, int threads) {
  const double work = static_cast<double>(rows) * static_cast<double>(classes) * element_work<T>;
  parallel_for(rows, team_size(work, threads), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      if (is_ignored(targets, row)) {
        loss[row] = 0;
        log_sum_exp[row] = 0;
        continue;
      }
      loss[row] = row_loss(logits + row * classes, targets.ids[row], targets.smoothing, classes,
                           log_sum_exp[row]);
    }
  });
}

template <std::floating_point T>
void cross_entropy_vjp(const T* logits, const CrossEntropyTargets& targets,
                       const double* log_sum_exp, const T* row_scale, std::int64_t row_scale_stride,
                       T* dlogits, std::int64_t rows, std::int64_t classes, int threads) {
  const double work = static_cast<double>(rows) * static_cast<double>(classes) * element_work<T>;
  parallel_for(rows, team_size(work, threads), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      T* const dx = dlogits + row * classes;
      if (is_ignored(targets, row)) {
        std::fill_n(dx, classes, T{0});
        continue;
      }
      row_vjp(logits + row * classes, targets.ids[row], targets.smoothing, log_sum_exp[row],
              row_scale[row * row_scale_stride], dx, classes);
    }
  });
}

template void cross_entropy(const float*, const CrossEntropyTargets&, float*, double*, std::int64_t,
                            std::int64_t, int);
template void cross_entropy(const double*, const CrossEntropyTargets&, double*, double*,
                            std::int64_t, std::int64_t, int);
template void cross_entropy_vjp(const float*, const CrossEntropyTargets&, const double*,
                                const float*, std::int64_t, float*, std::int64_t, std::int64_t,
                                int);
template void cross_entropy_vjp(const double*, const CrossEntropyTargets&, const double*,
                                const double*, std::int64_t, double*, std::int64_t, std::int64_t,
                                int);

}  // namespace lectern::kernels
