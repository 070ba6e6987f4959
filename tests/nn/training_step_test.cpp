#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograd/ops/losses.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "nn/translation_transformer.h"
#include "tensor/safetensors.h"
#include "tests/support/on_threads.h"
#include "tests/support/temporary_folder.h"

namespace lectern::nn {
namespace {

/// All weights of a small model after three training steps, dropout included.
std::vector<NamedTensor> trained() {
  Rng rng(42);
  Rng initialising = rng.stream(1), drawing = rng.stream(2);
  TranslationTransformer model({.source_vocabulary = 37,
                                .target_vocabulary = 41,
                                .width = 24,
                                .heads = 3,
                                .encoder_layers = 1,
                                .decoder_layers = 1,
                                .feed_forward = 40,
                                .max_length = 16,
                                .dropout = 0.2},
                               initialising);
  AdamW optimizer(model.named_parameters(), {.lr = 1e-3});
  for (int step = 0; step < 3; ++step) {
    const Tensor source = drawing.integers({5, 9}, 1, 37);
    const Tensor target = drawing.integers({5, 7}, 1, 41);
    const Mask mask{.key_lengths = Tensor::from({9, 3, 7, 1, 5}, {5}, DType::i64)};
    optimizer.zero_grad();
    backward(cross_entropy(model(source, mask, target), target, {.label_smoothing = 0.1}));
    clip_grad_norm(model.parameters(), 1.0);
    optimizer.step();
  }
  std::vector<NamedTensor> weights = model.state_dict();
  for (NamedTensor& entry : weights) entry.value = entry.value.clone();
  return weights;
}

void expect_same(const std::vector<NamedTensor>& got, const std::vector<NamedTensor>& want,
                 std::string_view where) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(same_bits(got[i].value, want[i].value)) << got[i].name << " " << where;
  }
}

TEST(Cases, Cases_2_5_TrainingStepsAreBitIdentical) {
  const std::vector<NamedTensor> want = trained();
  for (int repetition = 1; repetition < 20; ++repetition) expect_same(trained(), want, "again");
  const ParallelAlways spread;
  for (const int threads : {1, 2, 3, 4}) {
    const ThreadScope scope(threads);
    expect_same(trained(), want, "with other threads");
  }
}

TEST(Cases, Cases_2_5_TrainingStepsAreBitIdenticalInANewProcess) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const ThreadScope alone(1);  // a forked child has none of its parent's threads
    save_safetensors(folder / "weights", trained());
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  expect_same(load_safetensors(folder / "weights").tensors, trained(), "in a new process");
}

}  // namespace
}  // namespace lectern::nn
