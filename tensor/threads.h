#pragma once

#include <cstdint>

namespace lectern {

// Results never depend on the number of threads: the work is split so that no sum depends on the
// split. Ops on fewer elements than the threshold run on the calling thread alone, since waking
// the others costs more than they would save; and no op takes more threads than processors are
// free at the moment, since a thread without one would keep the others waiting.

// Several threads of the program may call ops at the same time; each has a team of its own. What
// one of them writes, no other may read or write meanwhile.

/// Threads an op may use; at the start as many as OpenMP offers (1 without OpenMP).
int num_threads();
/// For the whole program; if a ThreadScope is open on this thread, for that scope alone.
/// Throws: ValueError unless threads >= 1.
void set_num_threads(int threads);

/// Threads for an op with this much work, in elementary operations: 1 below the threshold.
int threads_for(std::int64_t work);
/// The least work that is spread over threads; 0 spreads everything over all, as tests do.
void set_parallel_threshold(std::int64_t work);
std::int64_t parallel_threshold();

/// For the first line of main(): starts the program once more, with OMP_WAIT_POLICY=passive and
/// GOMP_SPINCOUNT=30000, unless the first is set; OpenMP reads them only while a program is loaded.
/// Threads that wait for others then spin for some 300 microseconds (with g++'s OpenMP; with
/// clang's not at all) and sleep: longer than from one op of a training step to the next, and short
/// beside the time that a processor stays with one program. On a quiet machine that is as fast as
/// spinning for ever; beside other work, spinning threads keep each other from the processors.
/// Does nothing without OpenMP, or on another system than Linux.
void let_waiting_threads_sleep(char** argv);

/// Sets the number of threads for ops called on this thread, until the end of the scope.
class ThreadScope {
 public:
  /// Throws: ValueError unless threads >= 1.
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace lectern
