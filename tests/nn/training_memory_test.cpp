#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "autograd/ops/losses.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "nn/translation_transformer.h"
#include "tensor/storage.h"

namespace lectern::nn {
namespace {

/// Length of the source and of the target sentences of a batch.
struct Lengths {
  std::int64_t source, target;
};

/// A small model and what trains it.
class Training {
 public:
  void step(const Lengths& lengths) {
    const Tensor source = rng_.integers({8, lengths.source}, 0, 50);
    const Tensor target = rng_.integers({8, lengths.target}, 0, 60);
    optimizer_.zero_grad();
    backward(cross_entropy(model_(source, {}, target), target, {.label_smoothing = 0.1}));
    clip_grad_norm(model_.parameters(), 1.0);
    optimizer_.step();
  }

 private:
  Rng rng_{1};
  TranslationTransformer model_{{.source_vocabulary = 50,
                                 .target_vocabulary = 60,
                                 .width = 32,
                                 .heads = 2,
                                 .encoder_layers = 1,
                                 .decoder_layers = 1,
                                 .feed_forward = 64,
                                 .max_length = 64,
                                 .dropout = 0.1},
                                rng_};
  Adam optimizer_{model_.named_parameters(), {.lr = 1e-3}};
};

/// Whether freed storage is kept for reuse; in builds with sanitizers it is not.
bool allocator_caches() {
  { const Tensor freed = Tensor::zeros({1000}); }
  return memory_stats().cached_bytes > 0;
}

TEST(TrainingMemory, StepsOfOneShapeAskTheSystemForNothingAfterTheFirst) {
  if (!allocator_caches()) GTEST_SKIP() << "nothing is cached in this build";
  Training training;
  training.step({20, 19});
  const MemoryStats after_first = memory_stats();
  for (int i = 0; i < 5; ++i) training.step({20, 19});
  EXPECT_EQ(memory_stats().system_requests, after_first.system_requests);
  EXPECT_EQ(memory_stats().live_bytes, after_first.live_bytes);
}

TEST(TrainingMemory, ASecondEpochOfBucketedBatchesAsksForAlmostNothing) {
  if (!allocator_caches()) GTEST_SKIP() << "nothing is cached in this build";
  release_cached_memory();
  Rng shuffling(2);
  std::vector<Lengths> batches;  // sorted into buckets: lengths that lie close together
  for (std::int64_t source = 4; source <= 40; source += 4) {
    for (const std::int64_t more : {-1, 0, 2}) batches.push_back({source, source + more});
  }
  Training training;
  const auto requests_of_an_epoch = [&] {
    const std::int64_t before = memory_stats().system_requests;
    const Tensor order = shuffling.permutation(std::ssize(batches));
    for (const std::int64_t i : order.data<std::int64_t>()) {
      training.step(batches[static_cast<std::size_t>(i)]);
    }
    return memory_stats().system_requests - before;
  };
  const std::int64_t first = requests_of_an_epoch();
  EXPECT_GE(first, 100);  // or one in a hundred would mean none
  EXPECT_LE(100 * requests_of_an_epoch(), first);
}

}  // namespace
}  // namespace lectern::nn
