// Layers with one fault each: the contract must accuse them of it, and of nothing if there is none.

#include "tests/nn/layer_contract.h"

#include <gtest/gtest-spi.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/views.h"

namespace lectern::nn {
namespace {

enum class Fault {
  none,
  never_drops,
  drops_in_evaluation,
  hides_a_parameter,
  forgets_half_of_the_gradient,
  reads_what_is_beneath_a_view,
  keeps_a_copy,
  takes_any_width,
  remembers_the_error,
  counts_its_calls,
  converts_what_it_is_given,
};

/// Dropout and an affine map of width 3, with a fault.
class Faulty final : public Module {
 public:
  Faulty(Fault fault, Rng& rng, DType dtype)
      : fault_(fault),
        weight_(rng.normal({2, 3}, dtype), /*requires_grad=*/true),
        bias_(rng.normal({2}, dtype), /*requires_grad=*/true),
        rng_(rng) {}

  Variable operator()(const Variable& input) const {
    Variable x = input;
    if (fault_ == Fault::converts_what_it_is_given) x = Variable(x.value().to(weight_.dtype()));
    if (fault_ == Fault::takes_any_width) x = slice(x, -1, 0, 3);
    if (fault_ == Fault::reads_what_is_beneath_a_view) {
      const Tensor dense = Tensor::empty(x.shape(), x.dtype());
      x = x + Variable(x.value().with_layout(x.shape(), dense.strides(), x.value().offset()));
    }
    failed_ = failed_ || x.shape()[-1] != 3;
    require<ShapeError>(x.shape()[-1] == 3, "Faulty: x is {}; it must be [..., 3]", x.shape());
    const bool drops =
        fault_ == Fault::drops_in_evaluation || (training() && fault_ != Fault::never_drops);
    Variable y = linear(dropout(x, 0.4, rng_, drops), weight_, bias_);
    if (fault_ == Fault::forgets_half_of_the_gradient) y = y + y.detach();
    if (fault_ == Fault::keeps_a_copy) copy_ = y.value().clone();
    if (fault_ == Fault::remembers_the_error && failed_) y = y * 2;
    if (fault_ == Fault::counts_its_calls) y = y * static_cast<double>(++calls);
    return y;
  }

 private:
  void describe(Members& members) override {
    members("weight", weight_);
    if (fault_ != Fault::hides_a_parameter) members("bias", bias_);
  }

  static inline int calls = 0;
  Fault fault_;
  Parameter weight_, bias_;
  mutable Rng rng_;
  mutable Tensor copy_;
  mutable bool failed_ = false;
};

/// The promises that the contract says are broken, or "" if it has nothing to say.
std::string accusation(Fault fault) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter intercept(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    expect_layer_contract(
        [=](Rng& rng, DType d) { return Faulty(fault, rng, d); }, {{5, 2, 3}}, {"weight", "bias"},
        {.refuses = {{{{2, 4}}, "Faulty: x is [2, 4]; it must be [..., 3]"}}, .drops = true});
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) text += results.GetTestPartResult(i).message();
  return text;
}

void expect_accused(Fault fault, std::string_view promise) {
  EXPECT_NE(accusation(fault).find(promise), std::string::npos) << promise;
}

TEST(LayerContract, HasNothingToSayAboutALayerThatKeepsIt) {
  EXPECT_EQ(accusation(Fault::none), "");
}

TEST(LayerContract, AccusesALayerOfItsFault) {
  expect_accused(Fault::never_drops, "training and evaluation mode");
  expect_accused(Fault::drops_in_evaluation, "evaluation is not repeatable");
  expect_accused(Fault::hides_a_parameter, "names, in order of description");
  expect_accused(Fault::hides_a_parameter, "state dict round trip");
  expect_accused(Fault::forgets_half_of_the_gradient, "gradients in evaluation");
  expect_accused(Fault::forgets_half_of_the_gradient, "gradients in training");
  expect_accused(Fault::reads_what_is_beneath_a_view, "strided inputs");
  expect_accused(Fault::keeps_a_copy, "without recording only the result stays in memory");
  expect_accused(Fault::takes_any_width, "errors");
  expect_accused(Fault::remembers_the_error, "errors");
  expect_accused(Fault::counts_its_calls, "same seed, same bits");
  expect_accused(Fault::converts_what_it_is_given, "errors");
}

}  // namespace
}  // namespace lectern::nn
