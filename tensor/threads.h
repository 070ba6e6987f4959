#pragma once

#include <cstdint>

namespace lectern {

// Results never depend on the number of threads: the work is split so that no sum depends on the
// split. Ops on fewer elements than the threshold run on the calling thread alone, since waking
// the others costs more than they would save.

/// Threads an op may use; at the start as many as OpenMP offers (1 without OpenMP).
int num_threads();
/// Throws: ValueError unless threads >= 1.
void set_num_threads(int threads);

/// Threads for an op with this much work, in elementary operations: 1 below the threshold.
int threads_for(std::int64_t work);
/// The least work that is spread over threads; 0 spreads everything, as tests do.
void set_parallel_threshold(std::int64_t work);
std::int64_t parallel_threshold();

/// For the first line of main(): starts the program once more, with OMP_WAIT_POLICY=passive, unless
/// that variable is set; OpenMP reads it only while a program is loaded. Threads that wait for
/// others then sleep instead of spinning. On a quiet machine that costs little; beside other work,
/// spinning threads keep each other from the processor and training becomes many times slower.
/// Does nothing without OpenMP, or on another system than Linux.
void let_waiting_threads_sleep(char** argv);

/// Sets the number of threads until the end of the scope.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(num_threads()) { set_num_threads(threads); }
  ~ThreadScope() { set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace lectern
