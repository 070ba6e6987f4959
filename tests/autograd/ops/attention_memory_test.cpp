#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "autograd/ops/attention.h"
#include "tensor/random.h"
#include "tensor/storage.h"
#include "tensor/threads.h"

namespace lectern {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// The most memory this process has held since `restart_peak`, in bytes; 0 where the system doesn't
/// tell.
std::int64_t peak_resident_bytes() {
  std::ifstream lines("/proc/self/status");
  for (std::string word; lines >> word;) {
    std::int64_t kilobytes = 0;
    if (word == "VmHWM:" && lines >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}
bool restart_peak() {
  return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << 5 << std::flush);
}

struct Peaks {
  std::int64_t extra;    ///< tensor bytes at the highest point, without operands, result, gradients
  std::int64_t tensors;  ///< all tensor bytes then, beyond those live before
  std::int64_t resident;  ///< growth of the process to its highest point; 0 where unknown
};

/// Forward and backward at B · H = 8, D = 64 on `threads`, causal, with dropout.
Peaks peaks_of(std::int64_t length, int threads) {
  const ThreadScope scope(threads);
  Rng rng(1);
  const Shape shape{2, 4, length, 64};
  Variable q(rng.normal(shape), true), k(rng.normal(shape), true), v(rng.normal(shape), true);
  const Tensor g = rng.normal(shape);
  release_cached_memory();  // or the process would have what it needs already
  const bool can_restart = restart_peak();
  const std::int64_t resident = peak_resident_bytes();
  reset_peak_memory();
  const std::int64_t live = memory_stats().live_bytes;
  backward(scaled_dot_product_attention(
               q, k, v, {.mask = causal_mask(), .dropout = 0.1, .rng = &rng, .training = true}),
           g);
  const std::int64_t tensors = memory_stats().peak_bytes - live;
  const std::int64_t result_and_gradients = 4 * shape.numel() * 4;
  return {.extra = tensors - result_and_gradients,
          .tensors = tensors,
          .resident = can_restart ? peak_resident_bytes() - resident : 0};
}

TEST(AttentionMemory, SlowGrowsWithLengthAndNotWithItsSquare) {
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(threads);
    const Peaks at_4096 = peaks_of(4096, threads), at_8192 = peaks_of(8192, threads);
    EXPECT_LE(at_4096.extra, 4 * kMiB * threads);
    EXPECT_LE(static_cast<double>(at_8192.extra), 2.2 * static_cast<double>(at_4096.extra));
    if (at_8192.resident == 0) continue;  // this system doesn't tell
    EXPECT_NEAR(static_cast<double>(at_4096.resident), static_cast<double>(at_4096.tensors),
                8 * kMiB);
    EXPECT_NEAR(static_cast<double>(at_8192.resident), static_cast<double>(at_8192.tensors),
                8 * kMiB);
  }
}

}  // namespace
}  // namespace lectern
