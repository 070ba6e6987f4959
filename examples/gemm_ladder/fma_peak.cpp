#include "examples/gemm_ladder/fma_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd.h"

namespace lectern::gemm_ladder {
namespace {

using kernels::Vector;

// A fused multiply-add takes 4 cycles and two start in each: 8 chains keep both units busy, a few
// more make up for what the loop itself costs.
constexpr int chains = 12;
constexpr std::int64_t rounds = 1'000'000;
constexpr double flops = 2.0 * chains * rounds * kernels::lanes<float>;

/// No two chains are equal: a compiler computes what is equal once. It knows none of the arguments.
float multiply_and_add(float first, float factor, float summand) {
  const Vector<float> a = kernels::broadcast(factor), b = kernels::broadcast(summand);
  Vector<float> sum[chains];
  for (int i = 0; i < chains; ++i) sum[i] = kernels::broadcast(first * static_cast<float>(i));
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (Vector<float>& s : sum) s = s * a + b;
  }
  for (int i = 1; i < chains; ++i) sum[0] += sum[i];
  return sum[0][0];
}

double measure(int threads) {
  volatile float first = 1, factor = 0.5F, summand = 1;
  std::vector<float> results(static_cast<std::size_t>(threads));
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    kernels::on_team(threads, [&](int rank, int) {
      results[static_cast<std::size_t>(rank)] = multiply_and_add(first, factor, summand);
    });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::max(best, 1e-9 * flops * threads / taken.count());
  }
  return best;
}

}  // namespace

double fma_peak(int threads) {
  static std::map<int, double> known;
  const auto [entry, is_new] = known.try_emplace(threads, 0);
  if (is_new) entry->second = measure(threads);
  return entry->second;
}

}  // namespace lectern::gemm_ladder
