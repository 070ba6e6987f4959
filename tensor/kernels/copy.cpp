#include "tensor/kernels/copy.h"

#include <cstdint>

namespace lectern::kernels {

template <class From, class To>
void copy(const LoopNest<2>& nest, const From* from, To* to, int threads) {
  const std::int64_t to_step = nest.step(0);
  const std::int64_t from_step = nest.step(1);
  walk_all(nest, threads, [&](const auto& offsets, std::int64_t count) {
    To* y = to + offsets[0];
    const From* x = from + offsets[1];
    if (to_step == 1 && from_step == 1) {
      for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<To>(x[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) y[i * to_step] = static_cast<To>(x[i * from_step]);
    }
  });
}

template <class To>
void fill(const LoopNest<1>& nest, To value, To* to, int threads) {
  const std::int64_t step = nest.step(0);
  walk_all(nest, threads, [&](const auto& offsets, std::int64_t count) {
    To* y = to + offsets[0];
    for (std::int64_t i = 0; i < count; ++i) y[i * step] = value;
  });
}

template void copy(const LoopNest<2>&, const float*, float*, int);
template void copy(const LoopNest<2>&, const float*, double*, int);
template void copy(const LoopNest<2>&, const float*, std::int64_t*, int);
template void copy(const LoopNest<2>&, const float*, bool*, int);
template void copy(const LoopNest<2>&, const double*, float*, int);
template void copy(const LoopNest<2>&, const double*, double*, int);
template void copy(const LoopNest<2>&, const double*, std::int64_t*, int);
template void copy(const LoopNest<2>&, const double*, bool*, int);
template void copy(const LoopNest<2>&, const std::int64_t*, float*, int);
template void copy(const LoopNest<2>&, const std::int64_t*, double*, int);
template void copy(const LoopNest<2>&, const std::int64_t*, std::int64_t*, int);
template void copy(const LoopNest<2>&, const std::int64_t*, bool*, int);
template void copy(const LoopNest<2>&, const bool*, float*, int);
template void copy(const LoopNest<2>&, const bool*, double*, int);
template void copy(const LoopNest<2>&, const bool*, std::int64_t*, int);
template void copy(const LoopNest<2>&, const bool*, bool*, int);

template void fill(const LoopNest<1>&, float, float*, int);
template void fill(const LoopNest<1>&, double, double*, int);
template void fill(const LoopNest<1>&, std::int64_t, std::int64_t*, int);
template void fill(const LoopNest<1>&, bool, bool*, int);

}  // namespace lectern::kernels
