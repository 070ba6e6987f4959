#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tests/bench/measure.h"

namespace lectern::bench {
namespace {

// What an op costs beside its arithmetic: tensors so small that there is hardly any.

/// The sum of two 8 × 8 tensors, without a graph.
void tensor_add(benchmark::State& state, int threads) {
  Rng rng(1);
  const Tensor a = rng.normal({8, 8}), b = rng.normal({8, 8});
  measure(state, {.threads = threads}, [&] { benchmark::DoNotOptimize(a + b); });
}

/// loss = sum(a + b), backward, and the graph is freed.
void add_sum_backward(benchmark::State& state, int threads) {
  Rng rng(1);
  Variable a(rng.normal({8, 8}), true), b(rng.normal({8, 8}), true);
  measure(state, {.threads = threads}, [&] {
    backward(sum(a + b));
    a.zero_grad();
    b.zero_grad();
  });
}

/// y = -y many times, backward, and the graph is freed.
void negations(benchmark::State& state, int threads) {
  constexpr int count = 100'000;
  Variable x(Tensor::ones({8}), true);
  const Tensor seed = Tensor::ones({8});
  measure(state, {.threads = threads, .calls = count}, [&] {
    Variable y = x;
    for (int i = 0; i < count; ++i) y = -y;
    backward(y, seed);
    x.zero_grad();
  });
}

const bool registered = [] {
  with_threads("op_overhead/tensor_add/8x8", tensor_add);
  with_threads("op_overhead/add_sum_backward/8x8", add_sum_backward);
  with_threads("op_overhead/negations/100000", negations)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace lectern::bench
