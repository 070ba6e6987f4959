#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "autograd/ops/attention.h"
#include "autograd/ops/losses.h"
#include "autograd/ops/normalization.h"
#include "autograd/ops/softmax.h"
#include "nn/optimizer.h"
#include "tensor/random.h"
#include "tensor/storage.h"
#include "tests/bench/measure.h"
#include "tests/bench/models.h"

namespace lectern::bench {
namespace {

constexpr double kFloat = sizeof(float);

Variable leaf(Tensor value) { return Variable(std::move(value), /*requires_grad=*/true); }

/// Forward without a graph, or forward and backward with the gradients dropped.
template <class F>
void run(benchmark::State& state, const Work& work, bool with_backward,
         std::vector<Variable> inputs, const F& f) {
  if (!with_backward) {
    const NoGrad guard;
    measure(state, work, [&] { benchmark::DoNotOptimize(f()); });
    return;
  }
  const Tensor seed = [&] {
    const NoGrad guard;
    return Tensor::ones(f().shape());
  }();
  measure(state, work, [&] {
    backward(f(), seed);
    for (Variable& input : inputs) input.zero_grad();
  });
}

std::string direction(bool with_backward) { return with_backward ? "train" : "forward"; }

/// Bytes: x is read and y written; backward reads y or x and g, and writes dx.
double row_bytes(std::int64_t elements, bool with_backward) {
  return (with_backward ? 5 : 2) * kFloat * static_cast<double>(elements);
}

void softmax_rows(benchmark::State& state, int threads, std::int64_t rows, std::int64_t width,
                  bool with_backward) {
  const Variable x = leaf(Rng(1).normal({rows, width}));
  run(state, {.threads = threads, .bytes = row_bytes(rows * width, with_backward)}, with_backward,
      {x}, [&] { return softmax(x, -1); });
}

void layer_norm_rows(benchmark::State& state, int threads, std::int64_t rows, std::int64_t width,
                     bool with_backward) {
  const Variable x = leaf(Rng(1).normal({rows, width}));
  const Variable gamma = leaf(Tensor::ones({width})), beta = leaf(Tensor::zeros({width}));
  run(state, {.threads = threads, .bytes = row_bytes(rows * width, with_backward)}, with_backward,
      {x, gamma, beta}, [&] { return layer_norm(x, gamma, beta); });
}

void cross_entropy_rows(benchmark::State& state, int threads, std::int64_t rows,
                        std::int64_t classes, bool with_backward) {
  Rng rng(1);
  const Variable logits = leaf(rng.normal({rows, classes}));
  const Tensor targets = rng.integers({rows}, 0, classes);
  const double passes = with_backward ? 3 : 1;  // logits are read, read again; dlogits written
  run(state, {.threads = threads, .bytes = passes * kFloat * static_cast<double>(rows * classes)},
      with_backward, {logits},
      [&] { return cross_entropy(logits, targets, {.label_smoothing = 0.1}); });
}

struct Heads {
  std::int64_t batch, heads, length, width;
};

/// Bytes that tensors could still get; if the system does not tell, those of freed ones.
double available_bytes() {
  const double cached = static_cast<double>(memory_stats().cached_bytes);
  std::ifstream file("/proc/meminfo");  // MemAvailable:   23456789 kB
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    double kib = 0;
    if (words >> key >> kib && key == "MemAvailable:") return cached + 1024 * kib;
  }
  return cached;
}

/// Composed attention holds several tensors as large as its weights [B, H, T, T] at a time.
double composed_bytes(const Heads& h) {
  return 4 * kFloat * static_cast<double>(h.batch * h.heads * h.length * h.length);
}

void attend(benchmark::State& state, int threads, const Heads& h, bool fused, bool causal,
            bool with_backward) {
  if (fused) release_cached_memory();  // the weights of composed attention before it
  constexpr double always_there = 1 << 30;
  if (!fused && composed_bytes(h) > std::max(always_there, available_bytes())) {
    return state.SkipWithError("not enough memory for the weights");
  }
  Rng rng(1);
  const Shape shape{h.batch, h.heads, h.length, h.width};
  const Variable q = leaf(rng.normal(shape)), k = leaf(rng.normal(shape)),
                 v = leaf(rng.normal(shape));
  const AttentionOptions options{.mask = {.causal = causal}};
  // Two products forward; backward the scores once more, and two gradients of each product.
  const double products = (with_backward ? 7 : 2) * (causal ? 0.5 : 1);
  const double flops =
      products * 2 * static_cast<double>(h.length) * static_cast<double>(shape.numel());
  run(state, {.threads = threads, .flops = flops}, with_backward, {q, k, v}, [&] {
    return fused ? scaled_dot_product_attention(q, k, v, options)
                 : attention_with_weights(q, k, v, options).output;
  });
}

/// A step of AdamW over the parameters of a model; p, g, m, v are read, p, m, v written.
void adamw(benchmark::State& state, int threads, const Model& model) {
  Rng rng(1);
  nn::TranslationTransformer module(model.config(), rng);
  for (nn::Parameter& parameter : module.parameters()) {
    parameter.set_grad(rng.normal(parameter.shape()));
  }
  nn::AdamW optimizer(module.named_parameters(), {});
  measure(state, {.threads = threads, .bytes = 7 * kFloat * static_cast<double>(model.parameters)},
          [&] { optimizer.step(); });
}

const bool registered = [] {
  using State = benchmark::State;
  for (const bool back : {false, true}) {
    for (const auto& [rows, width] : {std::pair{5120, 20}, {4096, 512}, {64, 65536}}) {
      with_threads(fmt::format("softmax/{}x{}/{}", rows, width, direction(back)),
                   [=](State& s, int threads) { softmax_rows(s, threads, rows, width, back); });
    }
    for (const Model& model : kModels) {
      with_threads(fmt::format("layer_norm/{}x{}/{}", model.tokens(), model.width, direction(back)),
                   [=](State& s, int threads) {
                     layer_norm_rows(s, threads, model.tokens(), model.width, back);
                   });
      with_threads(
          fmt::format("cross_entropy/{}x{}/{}", model.tokens(), model.vocabulary, direction(back)),
          [=](State& s, int threads) {
            cross_entropy_rows(s, threads, model.tokens(), model.vocabulary, back);
          });
    }
    for (const Model& m : kModels) {
      for (const bool fused : {true, false}) {
        with_threads(
            fmt::format("attention/{}/{}/{}", fused ? "fused" : "composed", m.name,
                        direction(back)),
            [=](State& s, int threads) {
              attend(s, threads, {m.batch, m.heads, m.length, m.head_width()}, fused, false, back);
            });
      }
    }
    for (std::int64_t length = 32; length <= 8192; length *= 4) {
      for (const bool fused : {true, false}) {
        for (const bool causal : {false, true}) {
          benchmark::internal::Benchmark* const bench =
              with_threads(fmt::format("attention/{}/T:{}{}/{}", fused ? "fused" : "composed",
                                       length, causal ? "/causal" : "", direction(back)),
                           [=](State& s, int threads) {
                             attend(s, threads, {1, 8, length, 64}, fused, causal, back);
                           });
          if (!fused && length > 2048) bench->Iterations(1);  // each maps gigabytes
        }
      }
    }
  }
  for (const Model& model : kModels) {
    with_threads(fmt::format("adamw/{}", model.name),
                 [&](State& state, int threads) { adamw(state, threads, model); });
  }
  return true;
}();

}  // namespace
}  // namespace lectern::bench
