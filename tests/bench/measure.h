#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <set>
#include <string>

#include "examples/gemm_ladder/fma_peak.h"
#include "tensor/error.h"
#include "tensor/storage.h"
#include "tensor/threads.h"

namespace lectern::bench {

using gemm_ladder::fma_peak;

/// What one call of a benchmark's body does, for the columns beside its time.
struct Work {
  int threads = 1;
  double flops = 0;  ///< gives GFLOP/s and %peak, of fma_peak(threads)
  double bytes = 0;  ///< read and written, if memory is the limit; gives GB/s
  double calls = 1;  ///< of the op, if the body repeats it; gives ns/call
};

/// Times `body` on the threads of `work`, after one call that is not counted. Returns the seconds
/// of one call.
///
/// Columns: tensor_B, the most bytes that tensors held during the calls beyond what was live before
/// them; requests, how often the system's allocator was asked during all of them. Rates are plain
/// numbers, worked out here: the library's own rate counters are printed with "/s" behind them.
template <class Body>
double measure(benchmark::State& state, const Work& work, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const ThreadScope threads(work.threads);
  body();
  reset_peak_memory();
  const MemoryStats before = memory_stats();
  const auto start = Clock::now();
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  const std::chrono::duration<double> taken = Clock::now() - start;
  const MemoryStats after = memory_stats();

  const double seconds = taken.count() / static_cast<double>(state.iterations());
  if (work.flops > 0) {
    const double rate = 1e-9 * work.flops / seconds;
    state.counters["GFLOP/s"] = rate;
    state.counters["%peak"] = 100 * rate / fma_peak(work.threads);
  }
  if (work.bytes > 0) state.counters["GB/s"] = 1e-9 * work.bytes / seconds;
  if (work.calls > 1) state.counters["ns/call"] = 1e9 * seconds / work.calls;
  state.counters["tensor_B"] = static_cast<double>(after.peak_bytes - before.live_bytes);
  state.counters["requests"] = static_cast<double>(after.system_requests - before.system_requests);
  return seconds;
}

/// The names of all benchmarks so far.
inline std::set<std::string>& registered_names() {
  static std::set<std::string> names;
  return names;
}

/// Registers a benchmark that runs with 1 and with 2 threads. A name that is taken ends the
/// program.
template <class Function>
benchmark::internal::Benchmark* with_threads(const std::string& name, const Function& function) {
  require<ValueError>(registered_names().insert(name).second,
                      "lectern_bench: {} is registered twice", name);
  return benchmark::RegisterBenchmark(name.c_str(),
                                      [function](benchmark::State& state) {
                                        function(state, static_cast<int>(state.range(0)));
                                      })
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime();
}

}  // namespace lectern::bench
