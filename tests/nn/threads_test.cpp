#include <gtest/gtest.h>

#include <optional>

#include "autograd/ops/losses.h"
#include "nn/optimizer.h"
#include "nn/search.h"
#include "nn/translation_transformer.h"
#include "tensor/views.h"
#include "tests/support/at_once.h"
#include "tests/support/on_threads.h"

namespace lectern::nn {
namespace {

using Model = TranslationTransformer;

/// A model with every kind of part: dropout everywhere, and positions of the given kind.
Model make_model(Model::Positions positions, std::uint64_t seed = 1) {
  Rng rng(seed);
  return Model({.source_vocabulary = 37,
                .target_vocabulary = 41,
                .width = 24,
                .heads = 3,
                .encoder_layers = 1,
                .decoder_layers = 1,
                .feed_forward = 40,
                .max_length = 16,
                .positions = positions,
                .dropout = 0.2},
               rng);
}

/// Source sentences of their own for each `which`.
struct Batch {
  explicit Batch(int which) {
    Rng rng(100 + static_cast<std::uint64_t>(which));
    source = rng.integers({5, 9}, 1, 37);
    target = rng.integers({5, 7}, 1, 41);
  }
  Tensor source, target;
  Tensor lengths = Tensor::from({9, 3, 7, 1, 5}, {5}, DType::i64);
};

/// Logits by the whole-sequence path, then what greedy decoding finds, scores included.
std::vector<Tensor> read_only_uses(const Model& model, const Batch& batch) {
  const NoGrad guard;
  std::vector<Tensor> results{
      model(batch.source, {.key_lengths = batch.lengths}, batch.target).value()};
  const auto weights =
      model.attention_weights(batch.source, {.key_lengths = batch.lengths}, batch.target);
  results.push_back(weights.decoder.front().memory.value());

  auto state = model.start_decoding(batch.source, batch.lengths, 8);
  const auto next_scores = [&](const SearchStep& step) {
    if (step.rows.defined()) state.select(step.rows);
    return select(model.decode_next(unsqueeze(step.tokens, 1), state).value(), 1, 0);  // [A, V]
  };
  const std::vector<std::int64_t> limits{8, 2, 8, 5, 8};
  for (const Found& found : greedy_search(next_scores, {.begin = 1, .end = 2}, limits)) {
    results.push_back(Tensor::from(found.tokens, {static_cast<std::int64_t>(found.tokens.size())}));
    results.push_back(Tensor::scalar(found.score, DType::f64));
  }
  return results;
}

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& want, int which) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(same_bits(got[i], want[i])) << "result " << i << " on thread " << which;
  }
}

TEST(Threads, ShareOneModel) {
  const ParallelAlways spread;
  for (const auto positions : {Model::Positions::sinusoidal, Model::Positions::learned}) {
    Model model = make_model(positions);
    model.eval();
    std::vector<std::vector<Tensor>> want;
    for (int i = 0; i < 4; ++i) want.push_back(read_only_uses(model, Batch(i)));
    for (const int threads : {2, 4}) {
      at_once(threads, [&](int i) {
        const ThreadScope team(1 + i % 2);
        for (int repetition = 0; repetition < 3; ++repetition) {
          expect_same(read_only_uses(model, Batch(i)), want[static_cast<std::size_t>(i)], i);
        }
      });
    }
  }
}

/// Recording reads the weights too: only passes over common leaves are not for several threads.
TEST(Threads, ShareAModelWhileRecording) {
  Model model = make_model(Model::Positions::learned);
  model.eval();
  const Batch batch(0);
  const Tensor want = model(batch.source, {.key_lengths = batch.lengths}, batch.target).value();
  at_once(2, [&](int i) {
    std::optional<NoGrad> guard;
    if (i == 0) guard.emplace();
    const Variable logits = model(batch.source, {.key_lengths = batch.lengths}, batch.target);
    EXPECT_TRUE(same_bits(logits.value(), want));
    EXPECT_EQ(logits.requires_grad(), i == 1);
  });
}

/// All weights of model number `which` after two training steps, dropout included.
std::vector<Tensor> trained(int which) {
  const auto seed = static_cast<std::uint64_t>(which);
  Model model = make_model(Model::Positions::learned, seed);
  AdamW optimizer(model.named_parameters(), {.lr = 1e-3});
  for (int step = 0; step < 2; ++step) {
    const Batch batch(10 * which + step);
    optimizer.zero_grad();
    backward(cross_entropy(model(batch.source, {.key_lengths = batch.lengths}, batch.target),
                           batch.target));
    optimizer.step();
  }
  std::vector<Tensor> weights;
  for (const NamedTensor& entry : model.state_dict()) weights.push_back(entry.value.clone());
  return weights;
}

TEST(Threads, TrainModelsOfTheirOwn) {
  const ParallelAlways spread;
  std::vector<std::vector<Tensor>> want;
  for (int i = 0; i < 4; ++i) want.push_back(trained(i));
  for (const int threads : {2, 4}) {
    at_once(threads, [&](int i) {
      const ThreadScope team(1 + i % 2);
      expect_same(trained(i), want[static_cast<std::size_t>(i)], i);
    });
  }
}

/// One thread uses a model that another one has made and trained, and is the last to hold it.
TEST(Threads, HandAModelOver) {
  Model model = make_model(Model::Positions::sinusoidal);
  model.eval();
  const std::vector<Tensor> want = read_only_uses(model, Batch(0));
  std::optional<Model> handed(std::move(model));
  at_once(1, [&](int i) {
    expect_same(read_only_uses(*handed, Batch(0)), want, i);
    handed.reset();
  });
}

}  // namespace
}  // namespace lectern::nn
