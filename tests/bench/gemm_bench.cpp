#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/bench/measure.h"
#include "tests/bench/models.h"

namespace lectern::bench {
namespace {

/// Sizes of C = A B: A [m, k], B [k, n], C [m, n].
struct Product {
  std::int64_t m, n, k;
  auto operator<=>(const Product&) const = default;
};

/// How the operands lie in memory. N: as they are used; T: transposed; split: as queries and keys
/// of one of 8 heads do, whose rows are 8 heads apart (B, the keys, is used transposed).
enum class Layout { NN, NT, TN, split };

constexpr std::int64_t kHeads = 8;

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::NN:
      return "NN";
    case Layout::NT:
      return "NT";
    case Layout::TN:
      return "TN";
    case Layout::split:
      return "split";
  }
  return "";
}

double flops(const Product& p, std::int64_t count = 1) {
  return 2 * static_cast<double>(p.m * p.n) * static_cast<double>(p.k * count);
}

/// [..., rows, columns], whose columns lie dense if it is transposed in memory.
Tensor operand(Rng& rng, Shape shape, bool transposed) {
  if (!transposed) return rng.normal(shape);
  std::swap(shape[-2], shape[-1]);
  return transpose(rng.normal(shape), -2, -1);
}

/// The rows [rows, width] of one head out of those of all heads, [rows, heads, width].
Tensor one_head(Rng& rng, std::int64_t rows, std::int64_t width) {
  return select(rng.normal({rows, kHeads, width}), 1, 1);
}

void gemm(benchmark::State& state, int threads, const Product& p, Layout layout) {
  Rng rng(1);
  const bool split = layout == Layout::split;
  const Tensor a = split ? one_head(rng, p.m, p.k) : operand(rng, {p.m, p.k}, layout == Layout::TN);
  const Tensor b = split ? transpose(one_head(rng, p.n, p.k), 0, 1)
                         : operand(rng, {p.k, p.n}, layout == Layout::NT);
  const Tensor c = Tensor::empty({p.m, p.n});
  measure(state, {.threads = threads, .flops = flops(p)}, [&] { matmul_into(c, a, b, false); });
}

/// [batch, rows, columns], dense.
void batched(benchmark::State& state, int threads, std::int64_t batch, const Product& p,
             Layout layout) {
  Rng rng(1);
  const Tensor a = operand(rng, {batch, p.m, p.k}, layout == Layout::TN);
  const Tensor b = operand(rng, {batch, p.k, p.n}, layout == Layout::NT);
  const Tensor c = Tensor::empty({batch, p.m, p.n});
  measure(state, {.threads = threads, .flops = flops(p, batch)},
          [&] { matmul_into(c, a, b, false); });
}

/// Heads as attention sees them: [B, H, T, D] where all heads of a token lie side by side.
Tensor heads(Rng& rng, const Model& model) {
  return permute(rng.normal({model.batch, model.length, model.heads, model.head_width()}),
                 {0, 2, 1, 3});
}

void scores(benchmark::State& state, int threads, const Model& model) {
  Rng rng(1);
  const Tensor q = heads(rng, model), k = transpose(heads(rng, model), -2, -1);
  const Tensor s = Tensor::empty({model.batch, model.heads, model.length, model.length});
  const Product p{model.length, model.length, model.head_width()};
  measure(state, {.threads = threads, .flops = flops(p, model.batch * model.heads)},
          [&] { matmul_into(s, q, k, false); });
}

void values(benchmark::State& state, int threads, const Model& model) {
  Rng rng(1);
  const Tensor w = rng.normal({model.batch, model.heads, model.length, model.length});
  const Tensor v = heads(rng, model), y = heads(rng, model);
  const Product p{model.length, model.head_width(), model.length};
  measure(state, {.threads = threads, .flops = flops(p, model.batch * model.heads)},
          [&] { matmul_into(y, w, v, false); });
}

void register_gemm(const Product& p, Layout layout) {
  with_threads(fmt::format("gemm/{}x{}x{}/{}", p.m, p.n, p.k, name_of(layout)),
               [=](benchmark::State& state, int threads) { gemm(state, threads, p, layout); });
}

/// Squares, and the products of every affine layer of the four models: y = x Wᵀ, dx = g W and
/// dW = gᵀ x. Some are both, and several models share some.
void register_products() {
  std::set<std::pair<Product, Layout>> products;
  for (const std::int64_t n : {32, 64, 128, 256, 512, 1024}) {
    for (const Layout layout : {Layout::NN, Layout::NT, Layout::TN, Layout::split}) {
      products.insert({{n, n, n}, layout});
    }
  }
  for (const Model& model : kModels) {
    for (const auto& [in, out, count] : model.affine_layers()) {
      products.insert({{model.tokens(), out, in}, Layout::NT});
      products.insert({{model.tokens(), in, out}, Layout::NN});
      products.insert({{out, in, model.tokens()}, Layout::TN});
    }
    products.insert({{model.length, model.length, model.head_width()}, Layout::split});
  }
  for (const auto& [product, layout] : products) register_gemm(product, layout);
}

const bool registered = [] {
  with_threads("fma_peak", [](benchmark::State& state, int threads) {
    for (auto _ : state) fma_peak(threads);
    state.counters["GFLOP/s"] = fma_peak(threads);
  })->Iterations(1);
  register_products();
  for (const Layout layout : {Layout::NN, Layout::NT, Layout::TN}) {
    with_threads(fmt::format("batched_gemm/256x20x32x20/{}", name_of(layout)),
                 [=](benchmark::State& state, int threads) {
                   batched(state, threads, 256, {20, 32, 20}, layout);
                 });
  }
  for (const Model& model : kModels) {
    with_threads(fmt::format("batched_gemm/scores/{}", model.name),
                 [&](benchmark::State& state, int threads) { scores(state, threads, model); });
    with_threads(fmt::format("batched_gemm/values/{}", model.name),
                 [&](benchmark::State& state, int threads) { values(state, threads, model); });
  }
  return true;
}();

}  // namespace
}  // namespace lectern::bench
