#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/gemm.h"

namespace lectern::kernels {
namespace {

/// 64-byte aligned bytes for a kernel.
class Scratch {
 public:
  explicit Scratch(std::int64_t bytes) : lines_(static_cast<std::size_t>(bytes / 64 + 1)) {}
  std::byte* data() { return lines_[0].bytes; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
};

std::vector<float> values(std::int64_t count) {
  std::vector<float> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<float>(i % 7) / 8;
  return result;
}

void report(benchmark::State& state, double multiply_adds) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * multiply_adds, benchmark::Counter::kIsIterationInvariantRate);
}

enum Layout : std::int64_t { NN, NT, TN };  ///< which operands are seen transposed

/// Arguments: products, m, n, k, layout, threads.
void gemm_products(benchmark::State& state) {
  const std::int64_t count = state.range(0), m = state.range(1), n = state.range(2),
                     k = state.range(3);
  const auto layout = static_cast<Layout>(state.range(4));
  const int threads = static_cast<int>(state.range(5));
  const std::vector<float> a = values(count * m * k), b = values(count * k * n);
  std::vector<float> c(static_cast<std::size_t>(count * m * n));
  const BatchAxis batch[] = {{count, m * k, k * n, m * n}};
  const Gemm<float> product{.m = m,
                            .n = n,
                            .k = k,
                            .a = {a.data(), layout == TN ? 1 : k, layout == TN ? m : 1},
                            .b = {b.data(), layout == NT ? 1 : n, layout == NT ? k : 1},
                            .c = {c.data(), n, 1},
                            .batch = batch};
  Scratch scratch(gemm_scratch_bytes(product, threads));
  for (auto _ : state) {
    gemm(product, scratch.data(), threads);
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(count * m * n) * static_cast<double>(k));
}

void gemm_shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"products", "m", "n", "k", "layout", "threads"})->UseRealTime();
  for (const std::int64_t threads : {1, 2}) {
    for (const std::int64_t size : {512, 1024}) bench->Args({1, size, size, size, NN, threads});
    for (const Layout layout : {NN, NT, TN}) {  // a projection of 768 tokens
      for (const std::int64_t width : {128, 384, 512}) {
        bench->Args({1, 768, width, width, layout, threads});
      }
      bench->Args({1, 768, 2000, 128, layout, threads});
    }
    bench->Args({256, 20, 20, 32, NT, threads});  // scores and values of 256 heads
    bench->Args({256, 20, 32, 20, NN, threads});
    bench->Args({1, 4, 512, 512, NT, threads});  // a step of decoding
  }
}
BENCHMARK(gemm_products)->Apply(gemm_shapes);

/// Arguments: samples, length, causal, threads; 4 heads of width 32. Forward and backward.
void attention_heads(benchmark::State& state) {
  constexpr std::int64_t heads = 4, width = 32, row = heads * width;
  const std::int64_t samples = state.range(0), length = state.range(1);
  const int threads = static_cast<int>(state.range(3));
  const Attention a{.batch = samples,
                    .heads = heads,
                    .queries = length,
                    .keys = length,
                    .width = width,
                    .value_width = width,
                    .scale = 0.2,
                    .mask = {.causal = state.range(2) != 0}};
  const std::int64_t count = samples * length * row;
  const std::vector<float> q = values(count), k = values(count), v = values(count);
  std::vector<float> out(q.size()), dq(q.size()), dk(q.size()), dv(q.size());
  std::vector<double> log_sum_exp(static_cast<std::size_t>(samples * heads * length));
  const auto view = [&](auto* data) {
    return HeadsView<std::remove_pointer_t<decltype(data)>>{data, length * row, width, row};
  };
  const float* const result = out.data();
  Scratch scratch(attention_scratch_bytes<float>(a, threads));
  for (auto _ : state) {
    attention(a, view(q.data()), view(k.data()), view(v.data()), view(out.data()),
              log_sum_exp.data(), scratch.data(), threads);
    attention_vjp(a, view(q.data()), view(k.data()), view(v.data()), view(result),
                  log_sum_exp.data(), view(v.data()), view(dq.data()), view(dk.data()),
                  view(dv.data()), scratch.data(), threads);
    benchmark::ClobberMemory();
  }
  report(state, 7.0 * static_cast<double>(count * length));  // two products forward, five back
}
BENCHMARK(attention_heads)
    ->ArgNames({"samples", "length", "causal", "threads"})
    ->ArgsProduct({{64}, {12, 20, 32}, {0, 1}, {1, 2}})
    ->Args({1, 1024, 1, 1})
    ->UseRealTime();

}  // namespace
}  // namespace lectern::kernels
