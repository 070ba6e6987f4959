#include "tensor/threads.h"

#include <gtest/gtest.h>

#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tests/support/at_once.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"

namespace lectern {
namespace {

TEST(Threads, AScopeIsForItsThreadAlone) {
  const int before = num_threads();
  at_once(4, [&](int i) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      EXPECT_EQ(num_threads(), before);
      const ThreadScope outer(10 + i);
      {
        const ThreadScope inner(20 + i);
        EXPECT_EQ(num_threads(), 20 + i);
      }
      EXPECT_EQ(num_threads(), 10 + i);
      set_num_threads(30 + i);  // of the scope
      EXPECT_EQ(num_threads(), 30 + i);
    }
  });
  EXPECT_EQ(num_threads(), before);
  set_num_threads(before + 1);  // of the whole program
  at_once(1, [&](int) { EXPECT_EQ(num_threads(), before + 1); });
  set_num_threads(before);
}

TEST(Threads, RefusesFewerThanOne) {
  const int before = num_threads();
  EXPECT_THROW_TEXT(set_num_threads(0), ValueError,
                    "set_num_threads: threads is 0; it must be at least 1");
  EXPECT_THROW_TEXT(ThreadScope(-1), ValueError,
                    "ThreadScope: threads is -1; it must be at least 1");
  EXPECT_EQ(num_threads(), before);
}

/// Every thread fills tensors of many sizes with a number of its own, finds them as it left them,
/// and leaves some to be freed by another thread.
TEST(Threads, AllocateAtOnce) {
  const MemoryStats before = memory_stats();
  std::vector<std::vector<Tensor>> left(4);
  at_once(4, [&](int i) {
    std::vector<Tensor>& mine = left[static_cast<std::size_t>(i)];
    for (std::int64_t step = 0; step < 500; ++step) {
      mine.push_back(Tensor::full({1 + (step * 37 + i) % 300}, i));
      if (step % 3 == 0) mine.erase(mine.begin());
    }
    for (const Tensor& x : mine) {
      for (const float value : x.data<float>()) ASSERT_EQ(value, static_cast<float>(i));
    }
    if (i == 0) release_cached_memory();
    EXPECT_GE(memory_stats().peak_bytes, before.live_bytes);
  });
  at_once(4, [&](int i) { left[static_cast<std::size_t>((i + 1) % 4)].clear(); });
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

TEST(Threads, PeakBytesAreThoseOfAllTogether) {
  const std::int64_t before = memory_stats().live_bytes;
  reset_peak_memory();
  std::vector<Tensor> held(4);
  at_once(4, [&](int i) { held[static_cast<std::size_t>(i)] = Tensor::zeros({1000}); });
  EXPECT_EQ(memory_stats().live_bytes, before + 4 * 4000);
  EXPECT_EQ(memory_stats().peak_bytes, before + 4 * 4000);
}

/// Handles to one storage are copied and dropped by all threads; its bytes are only read.
TEST(Threads, ReadOneTensor) {
  const ParallelAlways spread;
  Rng rng(7);
  const Tensor a = rng.normal({33, 17}), b = rng.normal({17, 29});
  const Tensor product = matmul(a, b), total = sum(a, {0});
  at_once(4, [&](int i) {
    const ThreadScope team(1 + i % 3);
    for (int repetition = 0; repetition < 20; ++repetition) {
      const Tensor view = a;
      EXPECT_TRUE(same_bits(matmul(view, b), product));
      EXPECT_TRUE(same_bits(sum(view, {0}), total));
      EXPECT_TRUE(same_bits(view + view, a * 2));
    }
  });
}

/// Dropout that is switched off asks its generator for no words: models in evaluation share one.
TEST(Threads, ShareAGeneratorThatDrawsNothing) {
  Rng rng(3);
  const Rng::State before = rng.state();
  at_once(4, [&](int) { EXPECT_EQ(Rng(rng).reserve(0), before.counter); });
  EXPECT_EQ(rng.state(), before);
}

TEST(Threads, DrawFromGeneratorsOfTheirOwn) {
  Rng rng(3);
  std::vector<Tensor> want;
  for (std::uint64_t i = 0; i < 4; ++i) want.push_back(rng.stream(i).normal({1000}));
  at_once(4, [&](int i) {
    Rng mine = rng.stream(static_cast<std::uint64_t>(i));
    EXPECT_TRUE(same_bits(mine.normal({1000}), want[static_cast<std::size_t>(i)]));
  });
}

}  // namespace
}  // namespace lectern
