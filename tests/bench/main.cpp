#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "examples/gemm_ladder/fma_peak.h"
#include "tensor/build_info.h"
#include "tensor/threads.h"

// Every benchmark measures real time (->UseRealTime()): with threads, processor time says little.
int main(int argc, char** argv) {
  lectern::let_waiting_threads_sleep(argv);
  lectern::warn_if_slow();
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::puts(lectern::version_text("lectern_bench").c_str());
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("build", lectern::version_text("lectern_bench"));
  for (const int threads : {1, 2}) {
    benchmark::AddCustomContext(
        fmt::format("peak of {} thread{}", threads, threads == 1 ? "" : "s"),
        fmt::format("{:.1f} GFLOP/s", lectern::gemm_ladder::fma_peak(threads)));
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
