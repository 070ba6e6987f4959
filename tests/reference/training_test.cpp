// The same training run as in PyTorch: the same initial weights and batches give the same losses.
// The run is made by training.py.

#include "autograd/ops/losses.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "nn/translation_transformer.h"
#include "tensor/views.h"
#include "tests/reference/reference.h"

namespace lectern {
namespace {

nn::TranslationTransformer model_of_the_run(DType dtype) {
  Rng rng(1);
  return nn::TranslationTransformer({.source_vocabulary = 100,
                                     .target_vocabulary = 100,
                                     .width = 32,
                                     .heads = 2,
                                     .encoder_layers = 1,
                                     .decoder_layers = 1,
                                     .feed_forward = 64,
                                     .max_length = 8,
                                     .positions = nn::TranslationTransformer::Positions::learned,
                                     .dropout = 0,
                                     .norm_first = true,
                                     .tied = false,
                                     .scaled_embeddings = false,
                                     .padding_id = std::nullopt,
                                     .dtype = dtype},
                                    rng);
}

/// The loss before each of the run's 100 steps.
std::vector<double> losses(const Reference& run, DType dtype) {
  nn::TranslationTransformer model = model_of_the_run(dtype);
  model.load_state_dict(run.weights("run", dtype));
  const std::vector<nn::Parameter> parameters = model.parameters();
  nn::Adam optimizer(model.named_parameters(), {.lr = 1e-3, .beta2 = 0.98, .eps = 1e-9});

  const Tensor& sources = run.at("run/n0");  // [batches, B, T]
  const Tensor& targets = run.at("run/n1");  // [batches, B, T + 1]
  const std::int64_t length = sources.shape()[2];
  std::vector<double> curve;
  for (std::int64_t step = 0; step < run.at("run/y0").numel(); ++step) {
    const std::int64_t batch = step % sources.shape()[0];
    const Tensor target = select(targets, 0, batch);
    const Variable logits = model(select(sources, 0, batch), {}, slice(target, 1, 0, length));
    const Variable loss =
        cross_entropy(logits, slice(target, 1, 1, length + 1), {.label_smoothing = 0.1});
    optimizer.zero_grad();
    backward(loss);
    nn::clip_grad_norm(parameters, 1.0);
    optimizer.step();
    curve.push_back(loss.value().item());
  }
  return curve;
}

TEST(ReferenceTraining, InF64EachLossIsPyTorchs) {
  const Reference run("training");
  const std::vector<double> curve = losses(run, DType::f64);
  const auto pytorch = run.at("run/y0").data<double>();
  ASSERT_EQ(curve.size(), 100U);
  for (std::size_t step = 0; step < curve.size(); ++step) {
    EXPECT_NEAR(curve[step], pytorch[step], 1e-9) << "step " << step;
  }
  EXPECT_LT(curve.back(), 0.8 * curve.front()) << "nothing was learnt";
}

/// How far a curve is from PyTorch's in f64, where it is farthest.
template <class T>
double farthest(std::span<const T> curve, std::span<const double> pytorch) {
  double most = 0;
  for (std::size_t step = 0; step < pytorch.size(); ++step) {
    most = std::max(most, std::abs(static_cast<double>(curve[step]) - pytorch[step]));
  }
  return most;
}

TEST(ReferenceTraining, F32StaysAsNearToF64AsPyTorchs) {
  const Reference run("training");
  const std::vector<double> curve = losses(run, DType::f32);
  const auto pytorch = run.at("run/y0").data<double>();
  EXPECT_LE(farthest(std::span<const double>(curve), pytorch),
            2 * farthest(run.at("run/f32").data<float>(), pytorch));
}

}  // namespace
}  // namespace lectern
