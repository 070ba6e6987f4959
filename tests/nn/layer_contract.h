#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "nn/module.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"

namespace lectern::nn {

// What every layer promises. One line holds a new layer to all of it:
//
//   TEST(Linear, KeepsTheLayerContract) {
//     expect_layer_contract([](Rng& rng, DType d) { return Linear(3, 4, rng, {.dtype = d}); },
//                           {{2, 3}}, {"weight", "bias"});
//   }

/// Inputs x[0], x[1], … of the given shapes, the same ones on every call.
inline std::vector<Variable> contract_inputs(const std::vector<Shape>& shapes, DType dtype) {
  Rng rng(11);
  std::vector<Variable> inputs;
  for (const Shape& shape : shapes) {
    inputs.emplace_back(rng.normal(shape, dtype), /*requires_grad=*/true);
  }
  return inputs;
}

/// Moves parameters off the special values that they start with (zeros, ones).
inline void disturb(Module& module) {
  Rng rng(12);
  for (const NamedParameter& parameter : module.named_parameters()) {
    Tensor value = parameter.value.value();
    add_into(value, rng.normal(value.shape(), 0, 0.1, value.dtype()));
  }
}

/// Gradients of the parameters against central differences in f64, every element, two random
/// cotangents.
template <class Run>
void expect_parameter_gradients(Module& module, const Run& run) {
  for (const std::uint64_t seed : {21U, 22U}) {
    module.zero_grad();
    const Variable y = run();
    const Tensor cotangent = Rng(seed).normal(y.shape(), DType::f64);
    backward(y, cotangent);
    const auto loss = [&] {
      const NoGrad guard;
      return sum(run().value() * cotangent).item();
    };
    for (const NamedParameter& named : module.named_parameters()) {
      ASSERT_TRUE(named.value.has_grad()) << named.name << " gets no gradient";
      Tensor value = named.value.value();
      const std::span<const double> gradient = named.value.grad().data<double>();
      for (std::int64_t i = 0; i < value.numel(); ++i) {
        double& element = value.mutable_origin<double>()[i];
        const double centre = element;
        const double h = 1e-5;
        element = centre + h;
        const double above = loss();
        element = centre - h;
        const double below = loss();
        element = centre;
        const double numeric = (above - below) / (2 * h);
        EXPECT_NEAR(gradient[static_cast<std::size_t>(i)], numeric, 1e-7 + 1e-6 * std::abs(numeric))
            << named.name << " element " << i;
      }
    }
  }
}

/// The output and all gradients of one forward and backward pass, side by side.
template <class Make, class Call>
std::vector<Tensor> forward_and_gradients(const Make& make, const std::vector<Shape>& shapes,
                                          const Call& call) {
  Rng rng(1);
  auto module = make(rng, DType::f32);
  const std::vector<Variable> x = contract_inputs(shapes, DType::f32);
  const Variable y = call(module, x);
  backward(y, Rng(2).normal(y.shape()));
  std::vector<Tensor> results{y.value()};
  for (const Variable& input : x) results.push_back(input.grad());
  for (const Parameter& parameter : module.parameters()) results.push_back(parameter.grad());
  return results;
}

/// make(rng, dtype) returns the layer; call(layer, x) applies it to inputs of `shapes`.
template <class Make, class Call>
void expect_layer_contract(const Make& make, const std::vector<Shape>& shapes,
                           const std::vector<std::string>& names, const Call& call) {
  Rng rng(1);
  {
    SCOPED_TRACE("names, in order of description");
    auto module = make(rng, DType::f32);
    std::vector<std::string> got;
    for (const NamedParameter& parameter : module.named_parameters()) got.push_back(parameter.name);
    EXPECT_EQ(got, names);
  }
  {
    SCOPED_TRACE("gradients");
    auto module = make(rng, DType::f64);
    module.eval();  // dropout drops other elements each time
    disturb(module);
    std::vector<Tensor> at;
    const std::vector<Variable> x = contract_inputs(shapes, DType::f64);
    for (const Variable& input : x) at.push_back(input.value());
    EXPECT_TRUE(gradients_match(
        [&](std::span<const Variable> inputs) {
          return call(module, std::vector<Variable>(inputs.begin(), inputs.end()));
        },
        at));
    expect_parameter_gradients(module, [&] { return call(module, x); });
  }
  {
    SCOPED_TRACE("state dict round trip; evaluation is repeatable");
    Rng other_rng(99);
    auto module = make(rng, DType::f32);
    auto other = make(other_rng, DType::f32);
    disturb(module);
    other.load_state_dict(module.state_dict());
    module.eval();
    other.eval();
    EXPECT_FALSE(module.training());
    const std::vector<Variable> x = contract_inputs(shapes, DType::f32);
    const Tensor y = call(module, x).value();
    EXPECT_TRUE(same_bits(y, call(module, x).value()));
    EXPECT_TRUE(same_bits(y, call(other, x).value()));
  }
  {
    SCOPED_TRACE("same bits for 1, 2, 3 and 4 threads");
    const ParallelAlways spread;
    const auto on = [&](int threads) {
      const ThreadScope scope(threads);
      return forward_and_gradients(make, shapes, call);
    };
    const std::vector<Tensor> want = on(1);
    for (const int threads : {2, 3, 4}) {
      const std::vector<Tensor> got = on(threads);
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_TRUE(same_bits(got[i], want[i])) << threads << " threads, result " << i;
      }
    }
  }
  {
    SCOPED_TRACE("strided inputs; without recording only the result stays in memory");
    auto module = make(rng, DType::f32);
    module.eval();
    const NoGrad guard;
    const std::vector<Variable> x = contract_inputs(shapes, DType::f32);
    std::vector<Variable> strided;
    for (const Variable& input : x) {
      const Tensor turned = transpose(input.value(), 0, -1).contiguous();
      strided.emplace_back(transpose(turned, 0, -1));
    }
    const std::int64_t before = memory_stats().live_bytes;
    const Tensor y = call(module, x).value();
    EXPECT_LE(memory_stats().live_bytes - before, y.storage().bytes());
    EXPECT_TRUE(same_bits(y, call(module, strided).value()));
  }
}

/// For layers that are called with one variable.
template <class Make>
void expect_layer_contract(const Make& make, const std::vector<Shape>& shapes,
                           const std::vector<std::string>& names) {
  expect_layer_contract(make, shapes, names,
                        [](auto& layer, const std::vector<Variable>& x) { return layer(x[0]); });
}

}  // namespace lectern::nn
