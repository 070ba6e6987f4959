#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "nn/module.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"

namespace lectern::nn {

// What every layer promises. One line holds a new layer to all of it:
//
//   TEST(Linear, KeepsTheLayerContract) {
//     expect_layer_contract([](Rng& rng, DType d) { return Linear(3, 4, rng, {.dtype = d}); },
//                           {{2, 3}}, {"weight", "bias"},
//                           {.refuses = {{{{2, 5}}, "Linear: x is [2, 5], …"}}});
//   }

/// Input shapes that a layer refuses with a ShapeError, and the whole text of that.
struct Refusal {
  std::vector<Shape> shapes;
  std::string text;
};

/// What differs from layer to layer.
struct LayerPromises {
  std::vector<Refusal> refuses{};  ///< at least one, if the layer has parameters and inputs
  bool drops = false;              ///< in training it drops some elements
};

/// Inputs x[0], x[1], … of the given shapes, the same ones on every call.
inline std::vector<Variable> contract_inputs(const std::vector<Shape>& shapes, DType dtype) {
  Rng rng(11);
  std::vector<Variable> inputs;
  for (const Shape& shape : shapes) {
    inputs.emplace_back(rng.normal(shape, dtype), /*requires_grad=*/true);
  }
  return inputs;
}

/// The same numbers, the first and the last axis exchanged in memory.
inline std::vector<Variable> with_other_strides(const std::vector<Variable>& inputs) {
  std::vector<Variable> strided;
  for (const Variable& input : inputs) {
    const Tensor turned = transpose(input.value(), 0, -1).contiguous();
    strided.emplace_back(transpose(turned, 0, -1), /*requires_grad=*/true);
  }
  return strided;
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

/// One promise each; expect_layer_contract() holds a layer to all of them.
/// make(rng, dtype) returns the layer; call(layer, x) applies it to inputs of `shapes`.
template <class Make, class Call>
class LayerContract {
 public:
  LayerContract(const Make& make, const std::vector<Shape>& shapes, const Call& call,
                const LayerPromises& promises)
      : make_(make), shapes_(shapes), call_(call), promises_(promises) {}

  void expect_names(const std::vector<std::string>& names) const {
    SCOPED_TRACE("names, in order of description");
    Rng rng(1);
    auto module = make_(rng, DType::f32);
    std::vector<std::string> got;
    for (const NamedParameter& parameter : module.named_parameters()) got.push_back(parameter.name);
    EXPECT_EQ(got, names);
  }

  /// In evaluation mode; in training too if the layer drops, each time the same elements.
  void expect_gradients(bool training) const {
    SCOPED_TRACE(training ? "gradients in training" : "gradients in evaluation");
    Rng rng(1);
    auto module = make_(rng, DType::f64);
    module.train(training);
    disturb(module);
    const Rng::State start = rng.state();
    const auto run = [&](std::span<const Variable> inputs) {
      rng.set_state(start);
      return call_(module, std::vector<Variable>(inputs.begin(), inputs.end()));
    };
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f64);
    std::vector<Tensor> at;
    for (const Variable& input : x) at.push_back(input.value());
    EXPECT_TRUE(gradients_match(run, at));
    expect_parameter_gradients(module, [&] { return run(x); });
  }

  void expect_state_dict_round_trip() const {
    SCOPED_TRACE("state dict round trip");
    Rng rng(1), other_rng(99);
    auto module = make_(rng, DType::f32);
    auto other = make_(other_rng, DType::f32);
    disturb(module);
    other.load_state_dict(module.state_dict());
    module.eval();
    other.eval();
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f32);
    EXPECT_TRUE(same_bits(call_(module, x).value(), call_(other, x).value()));
  }

  void expect_modes() const {
    SCOPED_TRACE("training and evaluation mode");
    Rng rng(1);
    auto module = make_(rng, DType::f32);
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f32);
    const auto run = [&] { return call_(module, x).value(); };
    EXPECT_TRUE(module.training());
    const Tensor first = run(), second = run();
    module.eval();
    EXPECT_FALSE(module.training());
    const Tensor evaluated = run();
    EXPECT_TRUE(same_bits(evaluated, run())) << "evaluation is not repeatable";
    module.train();
    const Tensor third = run();
    const bool drops = promises_.drops;
    EXPECT_EQ(same_bits(first, evaluated), !drops) << "training against evaluation";
    EXPECT_EQ(same_bits(first, second), !drops) << "twice in training";
    EXPECT_EQ(same_bits(third, evaluated), !drops) << "in training again";
  }

  void expect_determinism() const {
    SCOPED_TRACE("same seed, same bits");
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f32);
    expect_same(forward_and_gradients(x), forward_and_gradients(x));
  }

  void expect_same_bits_on_threads() const {
    SCOPED_TRACE("same bits on 1, 2, 3 and 4 threads");
    const ParallelAlways spread;
    const auto on = [&](int threads) {
      const ThreadScope scope(threads);
      return forward_and_gradients(contract_inputs(shapes_, DType::f32));
    };
    const std::vector<Tensor> want = on(1);
    for (const int threads : {2, 3, 4}) expect_same(on(threads), want);
  }

  void expect_strides_do_not_matter() const {
    SCOPED_TRACE("strided inputs");
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f32);
    expect_same(forward_and_gradients(with_other_strides(x)), forward_and_gradients(x));
  }

  void expect_only_the_result_stays() const {
    SCOPED_TRACE("without recording only the result stays in memory");
    Rng rng(1);
    auto module = make_(rng, DType::f32);
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f32);
    const NoGrad guard;
    for (const bool training : {true, false}) {
      module.train(training);
      const std::int64_t before = memory_stats().live_bytes;
      const Tensor y = call_(module, x).value();
      EXPECT_LE(memory_stats().live_bytes - before, y.storage().bytes());
    }
  }

  /// Shapes and dtypes that do not fit; after each error the layer works as before.
  void expect_refusals() const {
    SCOPED_TRACE("errors");
    Rng rng(1);
    auto module = make_(rng, DType::f32);
    module.eval();
    const bool has_parameters = !module.parameters().empty();
    const std::vector<Variable> x = contract_inputs(shapes_, DType::f32);
    const Tensor y = call_(module, x).value();
    for (const Refusal& refusal : promises_.refuses) {
      const std::vector<Variable> bad = contract_inputs(refusal.shapes, DType::f32);
      EXPECT_THROW_TEXT(call_(module, bad), ShapeError, refusal.text);
      EXPECT_TRUE(same_bits(call_(module, x).value(), y));
    }
    if (shapes_.empty()) return;  // nothing is passed through call
    EXPECT_TRUE(!promises_.refuses.empty() || !has_parameters) << "state what it refuses";
    std::vector<Variable> integers;
    for (const Variable& input : x) integers.emplace_back(input.value().to(DType::i64));
    EXPECT_THROW(call_(module, integers), DTypeError);
    if (has_parameters) {
      EXPECT_THROW(call_(module, contract_inputs(shapes_, DType::f64)), DTypeError);
    }
    EXPECT_TRUE(same_bits(call_(module, x).value(), y));
  }

 private:
  /// The output and all gradients of one pass in training, side by side.
  std::vector<Tensor> forward_and_gradients(const std::vector<Variable>& x) const {
    Rng rng(1);
    auto module = make_(rng, DType::f32);
    std::vector<Variable> inputs;  // leaves of their own
    for (const Variable& input : x) inputs.emplace_back(input.value(), /*requires_grad=*/true);
    const Variable y = call_(module, inputs);
    backward(y, Rng(2).normal(y.shape()));
    for (const Parameter& parameter : module.parameters()) inputs.push_back(parameter);
    std::vector<Tensor> results{y.value()};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(inputs[i].has_grad()) << "no gradient for input or parameter " << i;
      if (inputs[i].has_grad()) results.push_back(inputs[i].grad());
    }
    return results;
  }

  static void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(same_bits(got[i], want[i])) << "result " << i;
    }
  }

  const Make& make_;
  const std::vector<Shape>& shapes_;
  const Call& call_;
  const LayerPromises& promises_;
};

/// For layers that `call`(layer, x) applies to x[0], x[1], …
template <class Make, class Call>
void expect_layer_contract(const Make& make, const std::vector<Shape>& shapes,
                           const std::vector<std::string>& names, const LayerPromises& promises,
                           const Call& call) {
  const LayerContract<Make, Call> contract(make, shapes, call, promises);
  contract.expect_names(names);
  contract.expect_gradients(/*training=*/false);
  if (promises.drops) contract.expect_gradients(/*training=*/true);
  contract.expect_state_dict_round_trip();
  contract.expect_modes();
  contract.expect_determinism();
  contract.expect_same_bits_on_threads();
  contract.expect_strides_do_not_matter();
  contract.expect_only_the_result_stays();
  contract.expect_refusals();
}

/// For layers that are called with one variable.
template <class Make>
void expect_layer_contract(const Make& make, const std::vector<Shape>& shapes,
                           const std::vector<std::string>& names,
                           const LayerPromises& promises = {}) {
  expect_layer_contract(make, shapes, names, promises,
                        [](auto& layer, const std::vector<Variable>& x) { return layer(x[0]); });
}

}  // namespace lectern::nn
