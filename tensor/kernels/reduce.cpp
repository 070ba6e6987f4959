#include <cmath>
#include <concepts>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/reduce_pass.h"

namespace lectern::kernels {
namespace {

template <class T>
using Wide = std::conditional_t<std::floating_point<T>, double, std::int64_t>;

// Floating sums as usual; integers wrap around instead of overflowing.
double plus(double a, double b) { return a + b; }
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
double times(double a, double b) { return a * b; }
std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

template <class T, class Y>
struct Sum {
  using Acc = Wide<T>;
  double divisor = 1;
  Acc start() const { return 0; }
  Acc step(Acc a, T x, double, std::int64_t) const { return plus(a, static_cast<Acc>(x)); }
  Acc merge(Acc a, Acc b) const { return plus(a, b); }
  Y finish(Acc a, double) const {
    if constexpr (std::floating_point<Y>) {
      return static_cast<Y>(static_cast<double>(a) / divisor);
    } else {
      return a;
    }
  }
};

template <class T>
struct Product {
  using Acc = Wide<T>;
  Acc start() const { return 1; }
  Acc step(Acc a, T x, double, std::int64_t) const { return times(a, static_cast<Acc>(x)); }
  Acc merge(Acc a, Acc b) const { return times(a, b); }
  T finish(Acc a, double) const { return static_cast<T>(a); }
};

template <class T>
struct MeanSquare {
  using Acc = double;
  double divisor;
  bool root;
  Acc start() const { return 0; }
  Acc step(Acc a, T x, double centre, std::int64_t) const {
    const double d = static_cast<double>(x) - centre;
    return a + d * d;
  }
  Acc merge(Acc a, Acc b) const { return a + b; }
  T finish(Acc a, double) const {
    return static_cast<T>(root ? std::sqrt(a / divisor) : a / divisor);
  }
};

template <class T>
struct LogSumExp {
  using Acc = double;
  Acc start() const { return 0; }
  Acc step(Acc a, T x, double centre, std::int64_t) const {
    return a + std::exp(static_cast<double>(x) - centre);
  }
  Acc merge(Acc a, Acc b) const { return a + b; }
  T finish(Acc a, double centre) const { return static_cast<T>(centre + std::log(a)); }
};

}  // namespace

std::int64_t reduce_scratch_bytes(const ReduceNest& nest) {
  const std::int64_t blocks = blocks_of(nest.count());
  return blocks == 1 ? 0 : blocks * nest.outputs() * 16;
}

template <class T, class Y>
void sum(const ReduceNest& nest, const T* x, Y* y, std::byte* scratch, int threads) {
  reduce(Sum<T, Y>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T, class Y>
void mean(const ReduceNest& nest, const T* x, double divisor, Y* y, std::byte* scratch,
          int threads) {
  reduce(Sum<T, Y>{divisor}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void prod(const ReduceNest& nest, const T* x, T* y, std::byte* scratch, int threads) {
  reduce(Product<T>{}, nest, x, nullptr, y, scratch, threads);
}

template <class T>
void mean_square(const ReduceNest& nest, const T* x, const double* centre, double divisor,
                 bool root, T* y, std::byte* scratch, int threads) {
  reduce(MeanSquare<T>{divisor, root}, nest, x, centre, y, scratch, threads);
}

template <class T>
void log_sum_exp(const ReduceNest& nest, const T* x, const double* centre, T* y, std::byte* scratch,
                 int threads) {
  reduce(LogSumExp<T>{}, nest, x, centre, y, scratch, threads);
}

template <class T, class Y>
void cumsum(const T* x, Y* y, std::int64_t outer, std::int64_t extent, std::int64_t inner,
            int threads) {
  const std::int64_t strips = (inner + kAbreast - 1) / kAbreast;
  parallel_for(outer * strips, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t job = begin; job < end; ++job) {
      const std::int64_t first = job % strips * kAbreast;
      const std::int64_t columns = std::min(kAbreast, inner - first);
      Wide<T> total[kAbreast] = {};
      for (std::int64_t k = 0; k < extent; ++k) {
        const std::int64_t at = (job / strips * extent + k) * inner + first;
        for (std::int64_t c = 0; c < columns; ++c) {
          total[c] = plus(total[c], static_cast<Wide<T>>(x[at + c]));
          y[at + c] = static_cast<Y>(total[c]);
        }
      }
    }
  });
}

// Sums of floating types give their own, all others i64.
template void sum(const ReduceNest&, const float*, float*, std::byte*, int);
template void sum(const ReduceNest&, const double*, double*, std::byte*, int);
template void sum(const ReduceNest&, const std::int64_t*, std::int64_t*, std::byte*, int);
template void sum(const ReduceNest&, const bool*, std::int64_t*, std::byte*, int);
template void mean(const ReduceNest&, const float*, double, float*, std::byte*, int);
template void mean(const ReduceNest&, const float*, double, double*, std::byte*, int);
template void mean(const ReduceNest&, const double*, double, double*, std::byte*, int);
template void prod(const ReduceNest&, const float*, float*, std::byte*, int);
template void prod(const ReduceNest&, const double*, double*, std::byte*, int);
template void prod(const ReduceNest&, const std::int64_t*, std::int64_t*, std::byte*, int);
template void mean_square(const ReduceNest&, const float*, const double*, double, bool, float*,
                          std::byte*, int);
template void mean_square(const ReduceNest&, const double*, const double*, double, bool, double*,
                          std::byte*, int);
template void log_sum_exp(const ReduceNest&, const float*, const double*, float*, std::byte*, int);
template void log_sum_exp(const ReduceNest&, const double*, const double*, double*, std::byte*,
                          int);
template void cumsum(const float*, float*, std::int64_t, std::int64_t, std::int64_t, int);
template void cumsum(const double*, double*, std::int64_t, std::int64_t, std::int64_t, int);
template void cumsum(const std::int64_t*, std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                     int);
template void cumsum(const bool*, std::int64_t*, std::int64_t, std::int64_t, std::int64_t, int);

}  // namespace lectern::kernels
