#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "autograd/ops/losses.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "nn/translation_transformer.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern {
namespace {

/// A model and a batch of source and target sentences of equal length; random ids, no padding.
struct Size {
  const char* name;
  std::int64_t width, heads, layers, feed_forward, vocabulary, batch, length;
  std::int64_t parameters;
};

constexpr Size kSizes[] = {
    {"tiny", 64, 4, 1, 256, 500, 32, 10, 217'588},
    {"toy", 128, 4, 2, 512, 2000, 64, 12, 1'704'400},
    {"small", 256, 8, 3, 1024, 8000, 64, 20, 11'699'008},
    {"base", 512, 8, 6, 2048, 8000, 16, 32, 56'469'312},
};

nn::TranslationTransformer::Config config_of(const Size& size) {
  return {.source_vocabulary = size.vocabulary,
          .target_vocabulary = size.vocabulary,
          .width = size.width,
          .heads = size.heads,
          .encoder_layers = size.layers,
          .decoder_layers = size.layers,
          .feed_forward = size.feed_forward,
          .max_length = 64,
          .positions = nn::TranslationTransformer::Positions::learned,
          .dropout = 0.1,
          .embedding_dropout = 0.0,
          .norm_first = true,
          .tied = false,
          .scaled_embeddings = false,
          .padding_id = std::nullopt};
}

/// One step of training: forward, label-smoothed cross entropy, backward, clipping and Adam.
void train_step(benchmark::State& state, const Size& size) {
  const ThreadScope threads(static_cast<int>(state.range(0)));
  Rng rng(0);
  nn::TranslationTransformer model(config_of(size), rng);
  if (model.parameter_count() != size.parameters) {
    state.SkipWithError("the model has another number of parameters than its size says");
    return;
  }
  nn::Adam optimizer(model.named_parameters(), {.lr = 1e-4, .beta2 = 0.98, .eps = 1e-9});
  const std::vector<nn::Parameter> parameters = model.parameters();
  const Tensor source = rng.integers({size.batch, size.length}, 0, size.vocabulary);
  const Tensor target = rng.integers({size.batch, size.length + 1}, 0, size.vocabulary);
  const Tensor target_in = slice(target, 1, 0, size.length);
  const Tensor target_out = slice(target, 1, 1, size.length + 1);

  double first_loss = 0;
  for (auto _ : state) {
    optimizer.zero_grad();
    const Variable loss =
        cross_entropy(model(source, {}, target_in), target_out, {.label_smoothing = 0.1});
    if (first_loss == 0) first_loss = loss.value().item();
    backward(loss);
    nn::clip_grad_norm(parameters, 1.0);
    optimizer.step();
  }
  state.counters["first_loss"] = first_loss;
  state.counters["tokens"] =
      benchmark::Counter(static_cast<double>(2 * size.batch * size.length * state.iterations()),
                         benchmark::Counter::kIsRate);
}

const bool registered = [] {
  for (const Size& size : kSizes) {
    benchmark::RegisterBenchmark((std::string("train_step/") + size.name).c_str(),
                                 [&size](benchmark::State& state) { train_step(state, size); })
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace lectern
