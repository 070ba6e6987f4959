#include <benchmark/benchmark.h>

#include "tensor/build_info.h"

// Every benchmark measures real time (->UseRealTime()): with threads, processor time says little.
int main(int argc, char** argv) {
  lectern::warn_if_slow();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("build", lectern::version_text("lectern_bench"));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
