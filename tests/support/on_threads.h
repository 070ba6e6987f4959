#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "tensor/tensor.h"
#include "tensor/threads.h"

namespace lectern {

/// Spreads the work of every op over the threads, however small it is, until the end of the scope.
class ParallelAlways {
 public:
  ParallelAlways() { set_parallel_threshold(0); }
  ~ParallelAlways() { set_parallel_threshold(before_); }
  ParallelAlways(const ParallelAlways&) = delete;
  ParallelAlways& operator=(const ParallelAlways&) = delete;

 private:
  std::int64_t before_ = parallel_threshold();
};

/// Whether two dense tensors agree in shape, dtype and every bit.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = a.contiguous();
  const Tensor y = b.contiguous();
  return visit(a.dtype(), [&]<class T>() {
    return std::memcmp(x.origin<T>(), y.origin<T>(),
                       static_cast<std::size_t>(a.numel()) * sizeof(T)) == 0;
  });
}

/// Passes if make() returns the same bits with 1, 2, 3 and 4 threads.
template <class Make>
testing::AssertionResult same_bits_for_any_threads(const Make& make) {
  const ParallelAlways spread;
  const auto on = [&make](int threads) {
    const ThreadScope scope(threads);
    return make();
  };
  const Tensor want = on(1);
  for (const int threads : {2, 3, 4}) {
    if (!same_bits(on(threads), want)) {
      return testing::AssertionFailure() << threads << " threads give other bits than one";
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace lectern
