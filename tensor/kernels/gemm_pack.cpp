#include "tensor/kernels/gemm_pack.h"

#include <algorithm>

namespace lectern::kernels {

template <class T>
void pack_panel(const T* from, std::int64_t across, std::int64_t along, std::int64_t count,
                std::int64_t k, T* to, std::int64_t width) {
  for (std::int64_t p = 0; p < k; ++p) {
    for (std::int64_t i = 0; i < count; ++i) to[p * width + i] = from[i * across + p * along];
    std::fill(to + p * width + count, to + (p + 1) * width, T{0});
  }
}

template void pack_panel(const float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         float*, std::int64_t);
template void pack_panel(const double*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         double*, std::int64_t);

}  // namespace lectern::kernels
