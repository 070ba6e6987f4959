#include "tensor/threads.h"

#include <atomic>
#include <cstdlib>

#include "tensor/error.h"
#include "tensor/kernels/team_size.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <unistd.h>
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

thread_local int scoped_count = 0;  // of the innermost ThreadScope; 0 if none is open

}  // namespace

int num_threads() {
  return scoped_count > 0 ? scoped_count : thread_count().load(std::memory_order_relaxed);
}

void set_num_threads(int threads) {
  require<ValueError>(threads >= 1, "set_num_threads: threads is {}; it must be at least 1",
                      threads);
  if (scoped_count > 0) {
    scoped_count = threads;
  } else {
    thread_count().store(threads, std::memory_order_relaxed);
  }
}

ThreadScope::ThreadScope(int threads) : before_(scoped_count) {
  require<ValueError>(threads >= 1, "ThreadScope: threads is {}; it must be at least 1", threads);
  scoped_count = threads;
}

ThreadScope::~ThreadScope() { scoped_count = before_; }

void let_waiting_threads_sleep([[maybe_unused]] char** argv) {
#if defined(_OPENMP) && defined(__linux__)
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/1);
  ::setenv("GOMP_SPINCOUNT", "30000", /*overwrite=*/0);
  ::execv("/proc/self/exe", argv);  // returns only if it fails: then the program goes on as it is
#endif
}

int threads_for(std::int64_t work) { return team_size(static_cast<double>(work), num_threads()); }

// One threshold for all: the kernels that judge their own work (products, attention) read it too.
void set_parallel_threshold(std::int64_t work) {
  serial_threshold.store(work, std::memory_order_relaxed);
}
std::int64_t parallel_threshold() { return serial_threshold.load(std::memory_order_relaxed); }

}  // namespace lectern
