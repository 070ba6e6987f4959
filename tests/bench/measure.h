#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#include "examples/gemm_ladder/fma_peak.h"
#include "tensor/storage.h"
#include "tensor/threads.h"

namespace lectern::bench {

using gemm_ladder::fma_peak;

/// What one call of a benchmark's body does, for the columns beside its time.
struct Work {
  int threads = 1;
  double flops = 0;  ///< gives GFLOP/s and `of_peak`, the fraction of fma_peak(threads)
  double bytes = 0;  ///< read and written, if memory is the limit; gives GB/s
  double calls = 1;  ///< of the op, if the body repeats it; gives ns/call
};

/// Times `body` on the threads of `work`, after one call that is not counted.
///
/// Columns: tensor_KB, the most that tensors held during the calls beyond what was live before
/// them; requests, how often the system's allocator was asked during all of them.
template <class Body>
void measure(benchmark::State& state, const Work& work, const Body& body) {
  const ThreadScope threads(work.threads);
  body();
  reset_peak_memory();
  const MemoryStats before = memory_stats();
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  const MemoryStats after = memory_stats();

  using benchmark::Counter;
  constexpr auto rate = Counter::kIsIterationInvariantRate;
  if (work.flops > 0) {
    state.counters["GFLOP/s"] = Counter(1e-9 * work.flops, rate);
    state.counters["of_peak"] = Counter(1e-9 * work.flops / fma_peak(work.threads), rate);
  }
  if (work.bytes > 0) state.counters["GB/s"] = Counter(1e-9 * work.bytes, rate);
  if (work.calls > 1) {
    state.counters["ns/call"] = Counter(1e-9 * work.calls, rate | Counter::kInvert);
  }
  state.counters["tensor_KB"] = static_cast<double>(after.peak_bytes - before.live_bytes) / 1024;
  state.counters["requests"] = static_cast<double>(after.system_requests - before.system_requests);
}

/// Registers a benchmark that runs with 1 and with 2 threads.
template <class Function>
benchmark::internal::Benchmark* with_threads(const std::string& name, const Function& function) {
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
