#include "tensor/threads.h"

#include <atomic>

#include "tensor/error.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace lectern {
namespace {

int offered_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count = offered_threads();
  return count;
}

// Fork and join cost a few microseconds; a core does some 10^4 simple operations in that time.
std::atomic<std::int64_t> threshold = 1 << 15;

}  // namespace

int num_threads() { return thread_count().load(std::memory_order_relaxed); }

void set_num_threads(int threads) {
  require<ValueError>(threads >= 1, "set_num_threads: threads is {}; it must be at least 1",
                      threads);
  thread_count().store(threads, std::memory_order_relaxed);
}

int threads_for(std::int64_t work) {
  return work < threshold.load(std::memory_order_relaxed) ? 1 : num_threads();
}

void set_parallel_threshold(std::int64_t work) { threshold.store(work, std::memory_order_relaxed); }
std::int64_t parallel_threshold() { return threshold.load(std::memory_order_relaxed); }

}  // namespace lectern
