#include <fmt/format.h>

#include "autograd/ops/losses.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/bench/measure.h"
#include "tests/bench/models.h"

namespace lectern::bench {
namespace {

/// One step of training: forward, label-smoothed cross entropy, backward, clipping and Adam.
/// Gradients are dropped at the end, so that tensor_B counts them.
void train_step(benchmark::State& state, int threads, const Model& sizes) {
  Rng rng(0);
  nn::TranslationTransformer model(sizes.config(), rng);
  if (model.parameter_count() != sizes.parameters) {
    state.SkipWithError("the model has another number of parameters than its size says");
    return;
  }
  nn::Adam optimizer(model.named_parameters(), {.lr = 1e-4, .beta2 = 0.98, .eps = 1e-9});
  const std::vector<nn::Parameter> parameters = model.parameters();
  const Tensor source = rng.integers({sizes.batch, sizes.length}, 0, sizes.vocabulary);
  const Tensor target = rng.integers({sizes.batch, sizes.length + 1}, 0, sizes.vocabulary);
  const Tensor target_in = slice(target, 1, 0, sizes.length);
  const Tensor target_out = slice(target, 1, 1, sizes.length + 1);

  double first_loss = 0;
  const double seconds = measure(state, {.threads = threads, .flops = sizes.matmul_flops()}, [&] {
    {
      const Variable loss =
          cross_entropy(model(source, {}, target_in), target_out, {.label_smoothing = 0.1});
      if (first_loss == 0) first_loss = loss.value().item();
      backward(loss);
    }
    nn::clip_grad_norm(parameters, 1.0);
    optimizer.step();
    optimizer.zero_grad();
  });
  state.counters["first_loss"] = first_loss;
  state.counters["parameters"] = static_cast<double>(sizes.parameters);
  state.counters["tokens/s"] = static_cast<double>(2 * sizes.tokens()) / seconds;
}

/// Greedy decoding of 32 positions for `batch` sentences, from the encoder on.
void decode(benchmark::State& state, int threads, const Model& sizes, std::int64_t batch) {
  constexpr std::int64_t positions = 32;
  Rng rng(0);
  nn::TranslationTransformer model(sizes.config(), rng);
  model.eval();
  const Tensor source = rng.integers({batch, sizes.length}, 0, sizes.vocabulary);
  const NoGrad guard;
  const double seconds = measure(state, {.threads = threads}, [&] {
    auto decoding = model.start_decoding(source, {}, positions);
    Tensor ids = Tensor::zeros({batch, 1}, DType::i64);
    for (std::int64_t i = 0; i < positions; ++i) {
      ids = argmax(model.decode_next(ids, decoding).value(), -1);  // [B, 1]
    }
  });
  state.counters["tokens/s"] = static_cast<double>(positions * batch) / seconds;
}

const bool registered = [] {
  for (const Model& sizes : kModels) {
    with_threads(fmt::format("train_step/{}", sizes.name), [&](benchmark::State& state,
                                                               int threads) {
      train_step(state, threads, sizes);
    })->Unit(benchmark::kMillisecond);
    for (const std::int64_t batch : {1, 32}) {
      with_threads(fmt::format("decode/{}/batch:{}", sizes.name, batch),
                   [&, batch](benchmark::State& state, int threads) {
                     decode(state, threads, sizes, batch);
                   })
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lectern::bench
