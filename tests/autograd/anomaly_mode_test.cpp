#include "autograd/anomaly_mode.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <thread>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/normalization.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Named = std::vector<std::pair<std::string, Variable>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Variable leaf(std::initializer_list<double> values, const Shape& shape, DType dtype = DType::f32) {
  return Variable(Tensor::from(values, shape, dtype), /*requires_grad=*/true);
}

Variable constant(std::initializer_list<double> values, const Shape& shape,
                  DType dtype = DType::f32) {
  return Variable(Tensor::from(values, shape, dtype));
}

// Forward

TEST(AnomalyMode, NamesTheOpThatMakesTheFirstNan) {
  const AnomalyMode scope;
  EXPECT_THROW_TEXT(log(leaf({1, 2, 3, 4, -1, 6}, {2, 3})), ValueError,
                    "log: result is nan at [1, 1]: input 0 is f32 [2, 3] (-1 there), result is f32 "
                    "[2, 3]; every input is finite; give AnomalyMode named parameters to learn the "
                    "module");
  EXPECT_THROW_TEXT(constant({3, 0}, {2}) / constant({0, 0}, {2}), ValueError,
                    "div: result is nan at [1]: input 0 is f32 [2] (0 there), input 1 is f32 [2] "
                    "(0 there), result is f32 [2]; every input is finite; give AnomalyMode named "
                    "parameters to learn the module");
  EXPECT_THROW_TEXT(sqrt(constant({-4}, {}, DType::f64)), ValueError,
                    "sqrt: result is nan at []: input 0 is f64 [] (-4 there), result is f64 []; "
                    "every input is finite; give AnomalyMode named parameters to learn the module");
  EXPECT_THROW_TEXT(mean(Variable(Tensor::zeros({0}))), ValueError,
                    "mean: result is nan at []: input 0 is f32 [0], result is f32 []; every input "
                    "is finite; give AnomalyMode named parameters to learn the module");
}

TEST(AnomalyMode, NamesTheOpThatMakesTheFirstInfinity) {
  const AnomalyMode scope(Named{{"encoder.layers.0.norm.weight", leaf({1}, {1})}});
  EXPECT_THROW_TEXT(exp(leaf({88, 89}, {2})), ValueError,  // e^88.73 is the largest f32
                    "exp: result is inf at [1]: input 0 is f32 [2] (89 there), result is f32 [2]; "
                    "every input is finite; no named parameter is behind it");
  EXPECT_THROW_TEXT(constant({1, -1}, {2}) / constant({0}, {}), ValueError,
                    "div: result is inf at [0]: input 0 is f32 [2] (1 there), input 1 is f32 [] (0 "
                    "there), result is f32 [2]; every input is finite; no named parameter is "
                    "behind it");
  EXPECT_THROW_TEXT(log(constant({0}, {1, 1})), ValueError,
                    "log: result is -inf at [0, 0]: input 0 is f32 [1, 1] (0 there), result is f32 "
                    "[1, 1]; every input is finite; no named parameter is behind it");
  EXPECT_THROW_TEXT(constant({1}, {1}) / 0.0, ValueError,
                    "div: result is inf at [0]: input 0 is f32 [1] (1 there), result is f32 [1]; "
                    "every input is finite; no named parameter is behind it");
  EXPECT_THROW_TEXT(
      matmul(constant({1e20, 1e20}, {1, 2}), constant({1e20, 1e20}, {2, 1})), ValueError,
      "matmul: result is inf at [0, 0]: input 0 is f32 [1, 2], input 1 is f32 [2, 1], result is "
      "f32 [1, 1]; every input is finite; no named parameter is behind it");
}

// −∞ in scores means "not to be seen", however it came there.
TEST(AnomalyMode, PassesOnInfinitiesThatMeanSomething) {
  const AnomalyMode scope;
  const Variable scores = leaf({1, 2, 3, 4}, {2, 2});
  const Tensor hidden = Tensor::from({0, 1, 0, 0}, {2, 2}, DType::boolean);
  const Variable filled = masked_fill(scores, hidden, -kInfinity);
  const Variable chosen = where(hidden, -kInfinity, scores);
  const Variable added = scores + constant({0, -kInfinity, 0, 0}, {2, 2});
  const Variable padded = pad(scores, 1, 0, 1, -kInfinity);
  for (const Variable& masked : {filled, chosen, added, padded}) {
    const Variable weights = softmax(masked, -1);
    const Variable logs = where(isfinite(masked.value()), log_softmax(masked, -1), 0);
    backward(sum(weights * weights + logs));
    EXPECT_EQ(exp(masked).value().data<float>()[masked.value().numel() == 4 ? 1 : 2], 0);
  }
}

TEST(AnomalyMode, BlamesANanThatInfinitiesMake) {
  const AnomalyMode scope;
  EXPECT_THROW_TEXT(
      softmax(constant({0, 1, -kInfinity, -kInfinity}, {2, 2}), -1), ValueError,
      "softmax: result is nan at [1, 0]: input 0 is f32 [2, 2] (-inf there), result is f32 [2, 2]; "
      "no input is nan, but input 0 is -inf at [1, 0]; give AnomalyMode named parameters to learn "
      "the module");
  EXPECT_THROW_TEXT(constant({kInfinity}, {}) - constant({kInfinity}, {}), ValueError,
                    "sub: result is nan at []: input 0 is f32 [] (inf there), input 1 is f32 [] "
                    "(inf there), result is f32 []; no input is nan, but input 0 is inf at []; "
                    "give AnomalyMode named parameters to learn the module");
}

TEST(AnomalyMode, TellsOfANanThatCameInFromOutside) {
  const Variable x = constant({1, 2, kNan, 4}, {2, 2});
  const Variable weight = leaf({1, kNan}, {1, 2}), bias = leaf({0}, {1});
  const AnomalyMode scope(Named{{"output.weight", weight}, {"output.bias", bias}});
  EXPECT_THROW_TEXT(x * 2, ValueError,
                    "mul: input 0 is nan at [1, 0]: it is f32 [2, 2]; no op made it while "
                    "AnomalyMode watched: look at how it was made, loaded or updated");
  EXPECT_THROW_TEXT(linear(constant({1, 2}, {1, 2}), weight, bias), ValueError,
                    "linear: input 1 is nan at [0, 1]: it is f32 [1, 2], output.weight; no op made "
                    "it while AnomalyMode watched: look at how it was made, loaded or updated");
  const Tensor is_missing = isnan(x.value());
  EXPECT_EQ(values_of(where(is_missing, 0, x).value()), std::vector<double>({1, 2, 0, 4}));
}

// Backward

TEST(AnomalyMode, NamesTheDerivativeThatMakesTheFirstInfinity) {
  const Variable x = leaf({4, 0}, {2});
  const AnomalyMode scope(Named{{"x", x}});
  EXPECT_THROW_TEXT(backward(sum(sqrt(x))), ValueError,
                    "backward of sqrt: gradient sent to x is inf at [1]: it is f32 [2], the "
                    "gradient received is f32 [2] (1 there); that is finite; module: the model "
                    "itself");
  EXPECT_FALSE(x.has_grad());  // a pass that fails changes no gradient
  EXPECT_THROW_TEXT(backward(sum(pow(x * 1, 0.5))), ValueError,
                    "backward of pow: gradient sent to mul is inf at [1]: it is f32 [2], the "
                    "gradient received is f32 [2] (1 there); that is finite; module: the model "
                    "itself");
}

TEST(AnomalyMode, NamesTheDerivativeThatMakesTheFirstNan) {
  const Variable x = leaf({1, 2}, {2});
  const AnomalyMode scope;
  const auto bad = [](const Tensor& g) { return g * kNan; };
  const Variable y = record("odd", x.value() * 1, wrt(x * 3, bad));
  EXPECT_THROW_TEXT(backward(sum(y)), ValueError,
                    "backward of odd: gradient sent to mul is nan at [0]: it is f32 [2], the "
                    "gradient received is f32 [2] (1 there); that is finite; give AnomalyMode "
                    "named parameters to learn the module");
}

TEST(AnomalyMode, SeesASumOfGradientsOverflow) {
  const Variable x = leaf({1}, {1}, DType::f32);
  const AnomalyMode scope(Named{{"x", x}});
  const Variable y = x * 1;
  EXPECT_THROW_TEXT(backward(sum(y * 3e38 + y * 3e38) * 1), ValueError,
                    "add: result is inf at [0]: input 0 is f32 [1] (3e+38 there), input 1 is f32 "
                    "[1] (3e+38 there), result is f32 [1]; every input is finite; module: the "
                    "model itself");
  const Variable small = leaf({1e-30}, {1}, DType::f32);
  const Variable z = small * 1;
  EXPECT_THROW_TEXT(backward(sum(z * 3e38 + z * 3e38)), ValueError,
                    "backward of mul: gradient sent to mul is inf at [0]: it is f32 [1], the "
                    "gradient received is f32 [1] (1 there); that is finite; no named parameter is "
                    "behind it");
}

TEST(AnomalyMode, SeesTheGradientsOfTwoPassesOverflow) {
  const Variable v = leaf({1, 1}, {2}), other = leaf({1}, {});
  const Tensor factors = Tensor::from({1, 2e38}, {2});
  const AnomalyMode scope(Named{{"net.v", v}, {"net.other", other}});
  backward(sum(v * Variable(factors)));
  EXPECT_THROW_TEXT(
      backward(sum(v * Variable(factors)) + other), ValueError,
      "backward: gradient of net.v is inf at [1]: it was f32 [2] (2e+38 there), to which this pass "
      "adds f32 [2] (2e+38 there); call zero_grad() before each pass that is not to be added; "
      "module: net");
  EXPECT_EQ(values_of(v.grad()), values_of(factors));  // as before the pass
  EXPECT_FALSE(other.has_grad());
  backward(v, Tensor::from({1, -1e38}, {2}));
  EXPECT_EQ(v.grad().data<float>()[1], 2e38F - 1e38F);
}

TEST(AnomalyMode, TellsOfAGradientThatWasNotFiniteBefore) {
  const Variable v = leaf({1}, {});
  backward(v * 2, Tensor::scalar(kInfinity));
  const AnomalyMode scope;
  EXPECT_THROW_TEXT(
      backward(v * 2), ValueError,
      "backward: gradient of leaf is inf at []: it was f32 [] (inf there), to which this pass adds "
      "f32 [] (2 there); call zero_grad() before each pass that is not to be added; give "
      "AnomalyMode named parameters to learn the module");
}

TEST(AnomalyMode, RefusesASeedThatIsNotFinite) {
  const AnomalyMode scope;
  const Variable y = leaf({1, 2}, {2}) * 2;
  EXPECT_THROW_TEXT(backward(y, Tensor::from({1, kNan}, {2})), ValueError,
                    "backward: seed is nan at [1]: it is f32 [2], for the result of mul; it must "
                    "be finite");
  const Variable z = leaf({1, 2}, {2}) * 2;
  EXPECT_THROW_TEXT(backward(z, Tensor::from({kInfinity, 1}, {2})), ValueError,
                    "backward: seed is inf at [0]: it is f32 [2], for the result of mul; it must "
                    "be finite");
}

// The module

TEST(AnomalyMode, FindsTheModule) {
  const Variable w1 = leaf({1, 0, 0, 1}, {2, 2}), b1 = leaf({0, 0}, {2}),
                 w2 = leaf({1, 0, 0, 1}, {2, 2}), b2 = leaf({0, 0}, {2}), gamma = leaf({1, 1}, {2}),
                 beta = leaf({0, 0}, {2});
  const AnomalyMode scope(Named{{"layers.0.linear1.weight", w1},
                                {"layers.0.linear1.bias", b1},
                                {"layers.0.linear2.weight", w2},
                                {"layers.0.linear2.bias", b2},
                                {"layers.0.norm.weight", gamma},
                                {"layers.0.norm.bias", beta}});
  const Variable big = constant({3e38, 1}, {1, 2}), small = constant({1, -1}, {1, 2});
  const auto expect_module = [](const auto& f, const std::string& module) {
    try {
      f();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ValueError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.substr(text.rfind("; ") + 2), module) << text;
    }
  };
  // Its own parameters, themselves and seen through views, recording or not.
  expect_module([&] { linear(big, w1 * 2, b1 * 2); }, "module: layers.0.linear1");
  expect_module([&] { linear(linear(big, w1, b1), w2, slice(b2, 0, 0, 2)) * 2; },
                "module: layers.0.linear2");
  expect_module([&] { matmul(big, transpose(w2, 0, 1) * 2); }, "module: layers.0.linear2");
  {
    const NoGrad guard;
    expect_module([&] { matmul(big * 1, transpose(slice(w2 * 1e30, 0, 0, 2), 0, 1)); },
                  "no named parameter is behind it");
    Tensor(w2.value()).fill(1e30);
    expect_module([&] { matmul(big, transpose(slice(w2, 0, 0, 2), 0, 1)); },
                  "module: layers.0.linear2");
    Tensor(w2.value()).copy_from(w1.value());
  }
  // No parameters of its own: the module that its input comes from.
  expect_module([&] { log(relu(linear(small, w1, b1)) - 1); }, "module: layers.0.linear1");
  // x + f(x): what f is part of.
  const Variable x = layer_norm(small, gamma, beta, 1e-5);
  expect_module([&] { return log(x + linear(linear(x, w1, b1), w2, b2) - 100); },
                "module: layers.0");
  // Backward.
  expect_module([&] { backward(sum(sqrt(relu(linear(small, w1, b1))))); },
                "module: layers.0.linear1");
}

// The scope

TEST(AnomalyMode, EndsWithItsScopeAndNests) {
  const auto is_on = [] {
    try {
      log(constant({-1}, {}));
      return false;
    } catch (const ValueError&) {
      return true;
    }
  };
  EXPECT_FALSE(is_on());
  {
    const AnomalyMode outer;
    {
      const AnomalyMode inner;
      EXPECT_TRUE(is_on());
      bool on_other_thread = true;
      std::thread([&] { on_other_thread = is_on(); }).join();
      EXPECT_FALSE(on_other_thread);
    }
    EXPECT_TRUE(is_on());
  }
  EXPECT_FALSE(is_on());
  try {
    const AnomalyMode scope;
    throw std::runtime_error("for another reason");
  } catch (const std::runtime_error&) {
    EXPECT_FALSE(is_on());
  }
}

TEST(AnomalyMode, EndsInAnyOrder) {
  auto first = std::make_unique<AnomalyMode>(), second = std::make_unique<AnomalyMode>();
  first.reset();
  EXPECT_THROW(log(leaf({-1}, {1})), ValueError);
  second.reset();
  EXPECT_NO_THROW(log(leaf({-1}, {1})));
}

TEST(AnomalyMode, GoesOnAfterAnError) {
  const Variable x = leaf({4, 9}, {2});
  const AnomalyMode scope(Named{{"x", x}});
  EXPECT_THROW(backward(sum(sqrt(x - 4))), ValueError);
  EXPECT_THROW(log(-x), ValueError);
  backward(sum(sqrt(x)));
  EXPECT_EQ(values_of(x.grad()), std::vector<double>({0.25, 1.0f / 6}));
}

TEST(AnomalyMode, ChangesNoBits) {
  const Tensor weight = Tensor::from({0.3, -0.7, 1.1, 0.2, 0.9, -0.4}, {2, 3});
  const auto gradient = [&] {
    const Variable w(weight.clone(), true);
    const Variable x = constant({0.1, 0.2, 0.3, 0.4}, {2, 2});
    backward(sum(softmax(matmul(x, w), -1) * matmul(x, w)));
    return w.grad();
  };
  const Tensor want = gradient();
  const AnomalyMode scope;
  EXPECT_TRUE(same_bits(gradient(), want));
}

}  // namespace
}  // namespace lectern
