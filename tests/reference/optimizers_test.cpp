// Optimisers, clipping and schedules against PyTorch. The cases are made by optimizers.py.

#include "nn/optimizer.h"

#include "nn/clip.h"
#include "nn/schedule.h"
#include "tensor/join.h"
#include "tensor/views.h"
#include "tests/reference/reference.h"

namespace lectern {
namespace {

using nn::NamedParameter;
using nn::Parameter;

/// Optimisers by the name of their case.
template <class Optimizer>
auto with(typename Optimizer::Options options) {
  return [options](std::vector<NamedParameter> parameters) -> std::unique_ptr<nn::Optimizer> {
    return std::make_unique<Optimizer>(std::move(parameters), options);
  };
}
using MakeOptimizer =
    std::function<std::unique_ptr<nn::Optimizer>(std::vector<NamedParameter> parameters)>;

const std::map<std::string, MakeOptimizer> optimizers = {
    {"SGD", with<nn::SGD>({.lr = 0.1})},
    {"SGD, weight decay", with<nn::SGD>({.lr = 0.1, .weight_decay = 0.3})},
    {"SGD, momentum", with<nn::SGD>({.lr = 0.1, .momentum = 0.9})},
    {"SGD, momentum, weight decay",
     with<nn::SGD>({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.3})},
    {"SGD, nesterov", with<nn::SGD>({.lr = 0.1, .momentum = 0.9, .nesterov = true})},
    {"SGD, nesterov, weight decay",
     with<nn::SGD>({.lr = 0.1, .momentum = 0.9, .nesterov = true, .weight_decay = 0.3})},
    {"SGD, nesterov, lr falls", with<nn::SGD>({.lr = 0.1, .momentum = 0.9, .nesterov = true})},
    {"Adam", with<nn::Adam>({})},
    {"Adam, lr", with<nn::Adam>({.lr = 0.1})},
    {"Adam, betas", with<nn::Adam>({.lr = 0.1, .beta1 = 0.5, .beta2 = 0.98})},
    {"Adam, eps", with<nn::Adam>({.lr = 0.1, .eps = 0.1})},
    {"Adam, weight decay", with<nn::Adam>({.lr = 0.1, .weight_decay = 0.3})},
    {"AdamW", with<nn::AdamW>({})},
    {"AdamW, lr", with<nn::AdamW>({.lr = 0.1})},
    {"AdamW, betas", with<nn::AdamW>({.lr = 0.1, .beta1 = 0.5, .beta2 = 0.98})},
    {"AdamW, eps", with<nn::AdamW>({.lr = 0.1, .eps = 0.1})},
    {"AdamW, weight decay", with<nn::AdamW>({.lr = 0.1, .weight_decay = 0.3})},
    {"AdamW, no weight decay", with<nn::AdamW>({.lr = 0.1, .weight_decay = 0})},
    {"AdamW, lr falls", with<nn::AdamW>({.lr = 0.1, .weight_decay = 0.3})},
    {"SGD, nesterov, gradients missing",
     with<nn::SGD>({.lr = 0.1, .momentum = 0.9, .nesterov = true})},
    {"Adam, gradients missing", with<nn::Adam>({.lr = 0.1})},
    {"AdamW, gradients missing", with<nn::AdamW>({.lr = 0.1, .weight_decay = 0.3})},
};

using Schedule = std::function<double(std::int64_t step)>;

const std::map<std::string, Schedule> schedules = {
    {"schedule, constant", nn::ConstantSchedule{0.3}},
    {"schedule, linear", nn::LinearSchedule{.first = 0.1, .last = 0.4, .steps = 20}},
    {"schedule, linear to zero", nn::LinearSchedule{.first = 0.4, .last = 0, .steps = 49}},
    {"schedule, step", nn::StepSchedule{.lr = 0.4, .every = 7, .factor = 0.5}},
    {"schedule, step by tenths", nn::StepSchedule{.lr = 0.4, .every = 20}},
    {"schedule, cosine", nn::CosineSchedule{.first = 0.4, .last = 0.1, .steps = 49}},
    {"schedule, cosine, then constant", nn::CosineSchedule{.first = 0.4, .last = 0, .steps = 20}},
    {"schedule, noam", nn::NoamSchedule{.width = 512, .warmup = 10}},
    {"schedule, noam, factor", nn::NoamSchedule{.width = 64, .warmup = 100, .factor = 2}},
};

std::vector<Parameter> parameters_at(const std::vector<Tensor>& values) {
  std::vector<Parameter> parameters;
  for (const Tensor& value : values) parameters.emplace_back(value.clone(), true);
  return parameters;
}

/// Ten steps with the gradients of the case; the parameters are compared after each.
void expect_ten_steps(const Reference& reference, const std::string& name,
                      const MakeOptimizer& make, DType dtype) {
  const std::vector<Parameter> parameters = parameters_at(reference.inputs(name, "x", dtype));
  const std::vector<Tensor> gradients = reference.inputs(name, "g", dtype);
  const auto optimizer = make(nn::numbered(parameters));
  std::vector<std::vector<Tensor>> paths(parameters.size());
  for (std::int64_t step = 0; step < 10; ++step) {
    if (name.ends_with("lr falls")) optimizer->set_lr(optimizer->lr() / 2);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Parameter(parameters[i]).set_grad(select(gradients[i], 0, step).clone());
    }
    if (name.ends_with("gradients missing") && step % 2 == 0) Parameter(parameters[1]).zero_grad();
    optimizer->step();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      paths[i].push_back(parameters[i].value().clone());
    }
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_TRUE(reference.matches(fmt::format("{}/y{}", name, i), stack(paths[i])));
  }
}

/// The gradients after clipping by norm or by value, as the case's name says, and the norm.
void expect_clipping(const Reference& reference, const std::string& name, DType dtype) {
  const std::vector<Tensor> gradients = reference.inputs(name, "x", dtype);
  std::vector<Parameter> parameters = parameters_at(gradients);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].set_grad(gradients[i].clone());
  const double limit = reference.at(name + "/limit").to(DType::f64).item();
  if (name.starts_with("clip by norm")) {
    const Tensor norm = Tensor::full({}, nn::clip_grad_norm(parameters, limit), dtype);
    EXPECT_TRUE(reference.matches(name + "/norm", norm));
  } else {
    nn::clip_grad_value(parameters, limit);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_TRUE(reference.matches(fmt::format("{}/y{}", name, i), parameters[i].grad()));
  }
}

void expect_schedule(const Reference& reference, const std::string& name,
                     const Schedule& schedule) {
  std::vector<double> rates;
  for (std::int64_t step = 1; step <= 50; ++step) rates.push_back(schedule(step));
  EXPECT_TRUE(reference.matches(name + "/y0", Tensor::from(rates, {50}), {.f64 = 1e-14}));
}

TEST(ReferenceOptimizers, OptimizersClippingAndSchedulesMatchPyTorch) {
  const Reference reference("optimizers");
  std::size_t found = 0;
  for (const std::string& name : reference.cases()) {
    for (const DType dtype : {DType::f64, DType::f32}) {
      if (name.starts_with("clip")) {
        expect_clipping(reference, name, dtype);
      } else if (name.starts_with("schedule")) {
        expect_schedule(reference, name, schedules.at(name));
      } else {
        expect_ten_steps(reference, name, optimizers.at(name), dtype);
      }
    }
    found += optimizers.contains(name) + schedules.contains(name);
  }
  EXPECT_EQ(found, optimizers.size() + schedules.size()) << "some have no values";
}

}  // namespace
}  // namespace lectern
