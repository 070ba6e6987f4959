#include "nn/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "autograd/ops/arithmetic.h"
#include "nn/clip.h"
#include "nn/schedule.h"
#include "tensor/elementwise.h"
#include "tensor/threads.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::nn {
namespace {

Parameter weights(std::initializer_list<double> values, DType dtype = DType::f64) {
  return Parameter(Tensor::from(values, {static_cast<std::int64_t>(values.size())}, dtype),
                   /*requires_grad=*/true);
}

void set_grad(Parameter& p, std::initializer_list<double> values) {
  p.set_grad(Tensor::from(values, p.shape(), p.dtype()));
}

/// w after each of three steps from [1, -2] with gradient [1e-8, 0.5].
template <class Optim>
std::vector<Tensor> three_steps(DType dtype, typename Optim::Options options) {
  Parameter w = weights({1, -2}, dtype);
  Optim optimizer(numbered(std::vector{w}), options);
  std::vector<Tensor> seen;
  for (int step = 0; step < 3; ++step) {
    set_grad(w, {1e-8, 0.5});
    optimizer.step();
    seen.push_back(w.value().to(DType::f64).clone());
  }
  return seen;
}

void expect_path(const std::vector<Tensor>& got, const std::vector<std::vector<double>>& want,
                 double tolerance) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(all_close(got[i], Tensor::from(want[i], {2}), tolerance, 1e-8)) << "step " << i + 1;
  }
}

TEST(Cases, Cases_6_1_AdamAndAdamW) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    const double tolerance = dtype == DType::f64 ? 5e-9 : 1e-5;
    expect_path(three_steps<Adam>(dtype, {.lr = 0.1}),
                {{0.95, -2.1}, {0.9, -2.2}, {0.85, -2.29999999}}, tolerance);
    expect_path(three_steps<Adam>(dtype, {.lr = 0.1, .weight_decay = 0.1}),
                {{0.90000001, -2.1}, {0.800412248, -2.19989729}, {0.701586302, -2.29961847}},
                tolerance);
    expect_path(three_steps<AdamW>(dtype, {.lr = 0.1, .weight_decay = 0.1}),
                {{0.94, -2.08}, {0.8806, -2.1592}, {0.821794, -2.23760799}}, tolerance);
  }
}

TEST(Cases, Cases_6_2_StopAndGoOn) {
  const double gradients[] = {1, -2, 0.5, 4, -1};
  const double want[] = {0.900000001, 0.936610353, 0.950279420, 0.905401211, 0.879905177};
  Parameter unbroken = weights({1});
  Adam optimizer(numbered(std::vector{unbroken}), {.lr = 0.1});
  Parameter resumed = weights({0});
  Adam later(numbered(std::vector{resumed}), {.lr = 0.1});
  for (int step = 0; step < 5; ++step) {
    set_grad(unbroken, {gradients[step]});
    optimizer.step();
    EXPECT_NEAR(unbroken.value().item(), want[step], 1e-9);
    if (step == 2) {
      Tensor(resumed.value()).copy_from(unbroken.value());
      std::vector<NamedTensor> state = optimizer.state_dict();
      for (NamedTensor& entry : state) entry.value = entry.value.clone();
      later.load_state_dict(state);
    } else if (step > 2) {
      set_grad(resumed, {gradients[step]});
      later.step();
      EXPECT_EQ(resumed.value().item(), unbroken.value().item());
    }
  }
}

TEST(Cases, Cases_6_3_Clipping) {
  Parameter a = weights({0, 0}, DType::f32), b = weights({0}, DType::f32);
  const std::vector<Parameter> both{a, b};
  const auto set = [&](double x, double y, double z) {
    set_grad(a, {x, y});
    set_grad(b, {z});
  };
  set(3, 4, 12);
  EXPECT_NEAR(clip_grad_norm(both, 6.5), 13, 1e-6);
  EXPECT_TRUE(all_close(a.grad(), Tensor::from({1.5, 2}, {2}), 0, 2e-6));
  EXPECT_TRUE(all_close(b.grad(), Tensor::from({6}, {1}), 0, 2e-6));
  set(3, 4, 12);
  EXPECT_NEAR(clip_grad_norm(both, 20), 13, 1e-6);
  EXPECT_TRUE(all_close(a.grad(), Tensor::from({3, 4}, {2}), 0, 0));
  EXPECT_TRUE(all_close(b.grad(), Tensor::from({12}, {1}), 0, 0));
  set(0, 0, 0);
  EXPECT_EQ(clip_grad_norm(both, 1), 0);
  EXPECT_TRUE(all_close(a.grad(), Tensor::zeros({2}), 0, 0));
  for (const double bad :
       {std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    set(3, 4, bad);
    EXPECT_FALSE(std::isfinite(clip_grad_norm(both, 1)));
    EXPECT_TRUE(all_close(a.grad(), Tensor::from({3, 4}, {2}), 0, 0));
  }
}

TEST(Clip, ByNormBeginsWherePyTorchDoes) {  // factor min(1, limit / (norm + 1e-6))
  Parameter a = weights({0, 0});
  set_grad(a, {3, 4});
  EXPECT_EQ(clip_grad_norm(std::vector{a}, 5), 5);
  EXPECT_DOUBLE_EQ(a.grad().data<double>()[0], 3 * (5 / 5.000001));
  set_grad(a, {3, 4});
  EXPECT_EQ(clip_grad_norm(std::vector{a}, 5.000002), 5);
  EXPECT_EQ(a.grad().data<double>()[0], 3);
}

// The loop of a training: a step whose gradient is not finite is left out and counted.
TEST(Cases, Cases_6_3_ASkippedStepLeavesNoTrace) {
  const auto train = [](const std::vector<double>& gradients) {
    Parameter w = weights({1}, DType::f32);
    Adam optimizer(numbered(std::vector{w}), {.lr = 0.1});
    int skipped = 0;
    for (const double gradient : gradients) {
      set_grad(w, {gradient});
      if (std::isfinite(clip_grad_norm(std::vector{w}, 1))) {
        optimizer.step();
      } else {
        ++skipped;
      }
    }
    return std::pair{w.value().item(), skipped};
  };
  const auto [want, none] = train({1, -2, 0.5});
  const auto [got, two] = train({1, std::nan(""), -2, static_cast<double>(INFINITY), 0.5});
  EXPECT_EQ(got, want);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(two, 2);
}

TEST(Clip, ByNormPassesOverParametersWithoutGradient) {
  Parameter a = weights({0, 0}), idle = weights({1});
  for (const double limit : {2.5, 20.0}) {  // above and below the norm
    set_grad(a, {3, 4});
    EXPECT_EQ(clip_grad_norm(std::vector{idle, a, idle.detach()}, limit), 5);
    EXPECT_FALSE(idle.has_grad());
  }
}

TEST(Clip, ByValueLimitsEachElement) {
  Parameter a = weights({0, 0, 0, 0}), idle = weights({1});
  set_grad(a, {-7, 0.5, 2, std::nan("")});
  clip_grad_value(std::vector{a, idle}, 1.5);
  EXPECT_TRUE(all_close(a.grad(), Tensor::from({-1.5, 0.5, 1.5, std::nan("")}, {4}, DType::f64), 0,
                        0, /*equal_nan=*/true));
  EXPECT_FALSE(idle.has_grad());
  EXPECT_THROW_TEXT(clip_grad_value(std::vector{a}, -1), ValueError,
                    "clip_grad_value: max_value is -1; it must be positive");
  EXPECT_THROW_TEXT(clip_grad_value(std::vector{a}, 0), ValueError,
                    "clip_grad_value: max_value is 0; it must be positive");
}

TEST(Cases, Cases_6_4_WarmUpSchedule) {
  const NoamSchedule paper{.width = 512, .warmup = 4000};
  const std::pair<int, double> values[] = {{1, 1.74692811e-07},    {2, 3.49385621e-07},
                                           {100, 1.74692811e-05},  {4000, 0.000698771243},
                                           {4001, 0.000698683913}, {16000, 0.000349385621}};
  for (const auto& [step, want] : values) EXPECT_NEAR(paper(step) / want, 1, 1e-8) << step;
  const NoamSchedule small{.width = 64, .warmup = 10};
  const std::pair<int, double> small_values[] = {{1, 0.00395284708},
                                                 {2, 0.00790569415},
                                                 {10, 0.0395284708},
                                                 {11, 0.0376889181},
                                                 {40, 0.0197642354}};
  for (const auto& [step, want] : small_values) EXPECT_NEAR(small(step) / want, 1, 1e-8) << step;
  EXPECT_THROW_TEXT((NoamSchedule{.width = 64, .warmup = 0}(1)), ValueError,
                    "NoamSchedule: width is 64, warmup is 0; both must be positive");
  EXPECT_THROW_TEXT(small(0), IndexError, "schedule: step is 0; the first update is step 1");
}

TEST(Schedule, ValuesByHand) {
  EXPECT_EQ(ConstantSchedule{0.3}(7), 0.3);
  const LinearSchedule linear{.first = 1, .last = 0, .steps = 4};
  EXPECT_EQ(linear(1), 1);
  EXPECT_EQ(linear(2), 0.75);
  EXPECT_EQ(linear(5), 0);
  EXPECT_EQ(linear(100), 0);
  const StepSchedule step{.lr = 8, .every = 2, .factor = 0.5};
  EXPECT_EQ(step(2), 8);
  EXPECT_EQ(step(3), 4);
  EXPECT_EQ(step(5), 2);
  const CosineSchedule cosine{.first = 1, .last = 0, .steps = 4};
  EXPECT_EQ(cosine(1), 1);
  EXPECT_NEAR(cosine(3), 0.5, 1e-15);
  EXPECT_NEAR(cosine(5), 0, 1e-15);
  EXPECT_NEAR(cosine(9), 0, 1e-15);
  const CosineSchedule to_one{.first = 3, .last = 1, .steps = 4};
  EXPECT_EQ(to_one(1), 3);
  EXPECT_NEAR(to_one(3), 2, 1e-15);
  EXPECT_NEAR(to_one(5), 1, 1e-15);
  EXPECT_THROW_TEXT((LinearSchedule{.first = 1, .last = 0, .steps = 0}(1)), ValueError,
                    "schedule: steps is 0; it must be positive");
  EXPECT_THROW_TEXT((StepSchedule{.lr = 8, .every = 0, .factor = 0.5}(1)), ValueError,
                    "schedule: every is 0; it must be positive");
}

TEST(Schedule, BeginsAtStepOneWithOneStepAtLeast) {
  const std::vector<std::function<double(std::int64_t)>> schedules{
      ConstantSchedule{1}, LinearSchedule{1, 0, 1}, StepSchedule{1, 1}, CosineSchedule{1, 0, 1},
      NoamSchedule{1, 1}};
  for (const auto& schedule : schedules) {
    EXPECT_EQ(schedule(1), 1);
    EXPECT_THROW_TEXT(schedule(0), IndexError, "schedule: step is 0; the first update is step 1");
  }
}

TEST(Cases, Cases_6_5_MicroBatchesOfUnequalSize) {
  // The loss of a token of value x is w x, so dw is the mean of the values. Each micro-batch adds
  // the gradient of its sum, divided by the number of tokens that count in the whole step.
  const std::vector<std::vector<double>> batches{{4}, {1, 2, 3}, {}};
  double tokens = 0;
  for (const auto& batch : batches) tokens += static_cast<double>(batch.size());
  Parameter w = weights({1});
  for (const auto& batch : batches) {
    const Tensor x = Tensor::from(batch, {static_cast<std::int64_t>(batch.size())});
    const Variable losses = w * Variable(x);  // [tokens of this micro-batch]
    backward(losses, Tensor::full(losses.shape(), 1 / tokens, DType::f64));
  }
  EXPECT_DOUBLE_EQ(w.grad().item(), 2.5);
}

TEST(SGD, ValuesByHand) {
  Parameter w = weights({1});
  SGD plain(numbered(std::vector{w}), {.lr = 0.1});
  set_grad(w, {2});
  plain.step();
  EXPECT_DOUBLE_EQ(w.value().item(), 0.8);

  Parameter m = weights({1});
  SGD momentum(numbered(std::vector{m}), {.lr = 0.1, .momentum = 0.5});
  set_grad(m, {2});
  momentum.step();  // b = 2
  EXPECT_DOUBLE_EQ(m.value().item(), 0.8);
  momentum.step();  // b = 3
  EXPECT_DOUBLE_EQ(m.value().item(), 0.5);

  Parameter n = weights({1});
  SGD nesterov(numbered(std::vector{n}),
               {.lr = 0.1, .momentum = 0.5, .nesterov = true, .weight_decay = 1});
  set_grad(n, {2});
  nesterov.step();  // g = 2 + 1 = 3, b = 3, u = 3 + 1.5
  EXPECT_DOUBLE_EQ(n.value().item(), 0.55);
}

TEST(Optimizer, LeavesParametersWithoutAGradientAlone) {
  Parameter w = weights({1}), idle = weights({5});
  AdamW optimizer(numbered(std::vector{w, idle}), {.lr = 0.1});
  set_grad(w, {1});
  optimizer.step();
  EXPECT_NE(w.value().item(), 1);
  EXPECT_EQ(idle.value().item(), 5);
}

TEST(Optimizer, AdamCountsTheStepsOfEachParameter) {  // so its first step is lr, however late
  Parameter w = weights({1}), late = weights({1});
  Adam adam(numbered(std::vector{w, late}), {.lr = 0.1});
  set_grad(w, {1});
  for (int step = 0; step < 5; ++step) adam.step();
  set_grad(late, {1});
  adam.step();
  EXPECT_NEAR(late.value().item(), 0.9, 1e-8);
}

TEST(Optimizer, SameBitsForAnyNumberOfThreads) {
  set_parallel_threshold(0);
  const auto run = [](int threads) {
    const ThreadScope scope(threads);
    std::vector<double> values(1003);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
    Parameter w(Tensor::from(values, {1003}).to(DType::f32), /*requires_grad=*/true);
    Adam adam(numbered(std::vector{w}), {});
    SGD sgd(numbered(std::vector{w}), {.momentum = 0.9});
    for (int step = 0; step < 3; ++step) {
      w.set_grad(w.value() * 2);
      adam.step();
      sgd.step();
    }
    return w.value().clone();
  };
  const Tensor want = run(1);
  for (const int threads : {2, 3, 4}) {
    EXPECT_TRUE(std::ranges::equal(run(threads).data<float>(), want.data<float>()));
  }
  set_parallel_threshold(1 << 15);
}

TEST(Optimizer, StateIsNamedAndStrict) {
  Parameter w = weights({1});
  Adam adam(std::vector<NamedParameter>{{"layer.weight", w}}, {});
  const std::vector<NamedTensor> state = adam.state_dict();
  ASSERT_EQ(state.size(), 3U);
  EXPECT_EQ(state[0].name, "step.layer.weight");
  EXPECT_EQ(state[1].name, "m.layer.weight");
  EXPECT_EQ(state[2].name, "v.layer.weight");
  EXPECT_THROW_TEXT(adam.load_state_dict(std::vector<NamedTensor>{state[0], state[1]}), ShapeError,
                    "load: \"v.layer.weight\" [1] is missing");
}

TEST(Optimizer, SgdKeepsNothingWithoutMomentum) {
  const std::vector<NamedParameter> named = numbered(std::vector{weights({1})});
  EXPECT_TRUE(SGD(named, {.momentum = 0}).state_dict().empty());
  EXPECT_EQ(SGD(named, {.momentum = 0.5}).state_dict().size(), 1U);
}

TEST(Optimizer, LoadsItsOwnTensorsAsTheyWereBefore) {
  Parameter a = weights({1}), b = weights({2});
  SGD sgd(std::vector<NamedParameter>{{"a", a}, {"b", b}}, {.momentum = 0.5});
  set_grad(a, {3});
  set_grad(b, {4});
  sgd.step();
  std::vector<NamedTensor> state = sgd.state_dict();
  std::swap(state[0].name, state[1].name);
  sgd.load_state_dict(state);
  EXPECT_EQ(sgd.state_dict()[0].value.item(), 4);
  EXPECT_EQ(sgd.state_dict()[1].value.item(), 3);
}

TEST(Optimizer, DefaultOptionsAreThoseOfThePapersAndOfPyTorch) {
  const auto expect = [](const auto& options, double lr, double weight_decay) {
    EXPECT_EQ(options.lr, lr);
    EXPECT_EQ(options.weight_decay, weight_decay);
  };
  expect(SGD::Options{}, 1e-2, 0);
  EXPECT_EQ(SGD::Options{}.momentum, 0);
  expect(Adam::Options{}, 1e-3, 0);
  expect(AdamW::Options{}, 1e-3, 1e-2);
  const auto expect_moments = [](const auto& options) {
    EXPECT_EQ(options.beta1, 0.9);
    EXPECT_EQ(options.beta2, 0.999);
    EXPECT_EQ(options.eps, 1e-8);
  };
  expect_moments(Adam::Options{});
  expect_moments(AdamW::Options{});
}

}  // namespace
}  // namespace lectern::nn
