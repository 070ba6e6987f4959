#include "tensor/kernels/philox.h"

#include <algorithm>

namespace lectern::kernels {

template <class T>
void dropout_factors(const PhiloxDropout& dropout, std::int64_t begin, std::int64_t count,
                     T* factors) {
  const std::uint32_t threshold = dropout.threshold();
  const T kept = static_cast<T>(dropout.kept_scale());
  const std::int64_t end = begin + count;
  for (std::int64_t i = begin; i < end;) {
    const PhiloxBlock words = philox_block(
        dropout.key, dropout.first_block + static_cast<std::uint64_t>(i) / words_per_block);
    const std::int64_t word = i % words_per_block;
    const std::int64_t stop = std::min<std::int64_t>(words_per_block, word + end - i);
    for (std::int64_t w = word; w < stop; ++w, ++i) {
      factors[i - begin] = words[static_cast<std::size_t>(w)] >> 8 >= threshold ? kept : T{0};
    }
  }
}

template void dropout_factors(const PhiloxDropout&, std::int64_t, std::int64_t, float*);
template void dropout_factors(const PhiloxDropout&, std::int64_t, std::int64_t, double*);

}  // namespace lectern::kernels
