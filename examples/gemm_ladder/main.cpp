// A product of two matrices, six times: from three plain loops to a large part of what the
// processor can do at most. Read steps.cpp beside what this prints.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <string_view>

#include "examples/gemm_ladder/fma_peak.h"
#include "examples/gemm_ladder/steps.h"
#include "tensor/build_info.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/threads.h"

namespace lectern::gemm_ladder {
namespace {

/// Seconds of the fastest of several calls; about a second of calls in all.
template <class Function>
double fastest(const Function& call) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count());
  } while (Clock::now() - start < std::chrono::seconds(1));
  return best;
}

void run(std::int64_t n) {
  Rng rng(1);
  const Tensor a = rng.normal({n, n}), b = rng.normal({n, n});
  Tensor c = Tensor::empty({n, n});
  const Sizes sizes{n, n, n};
  const double flops = 2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  fmt::print("C = A B, all {0} x {0} of f32; {1:.2f} GFLOP\n\n", n, 1e-9 * flops);
  fmt::print("{:<22}{:>10}{:>14}{:>20}\n", "", "GFLOP/s", "x one before", "of the peak");

  double before = 0;
  const auto print = [&](std::string_view name, int threads, double seconds) {
    const double rate = 1e-9 * flops / seconds, peak = fma_peak(threads);
    fmt::print("{:<22}{:>10.1f}{:>14}{:>10.1f} % of {:.0f}\n", name, rate,
               before == 0 ? "" : fmt::format("{:.1f}", rate / before), 100 * rate / peak, peak);
    before = rate;
  };
  for (const Step& step : kSteps) {
    const int threads = std::string_view(step.name) == "threaded" ? num_threads() : 1;
    print(step.name, threads, fastest([&] {
            step.multiply(sizes, a.data<float>().data(), b.data<float>().data(),
                          c.mutable_data<float>().data());
          }));
  }
  print("the library's matmul", num_threads(), fastest([&] { matmul_into(c, a, b, false); }));
}

}  // namespace
}  // namespace lectern::gemm_ladder

int main(int argc, char** argv) {
  lectern::warn_if_slow();
  CLI::App app("Multiplies two square matrices in six ways, each faster than the one before.");
  app.set_version_flag("--version", lectern::version_text("gemm_ladder"));
  std::int64_t n = 960;
  int threads = lectern::num_threads();
  app.add_option("--size", n, "rows and columns")
      ->check(CLI::Range(1, 8192))
      ->capture_default_str();
  app.add_option("--threads", threads, "threads of the last step")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  lectern::set_num_threads(threads);
  lectern::gemm_ladder::run(n);
  return 0;
}
