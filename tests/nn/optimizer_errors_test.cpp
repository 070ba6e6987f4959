// What optimisers and clipping refuse.

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::nn {
namespace {

Parameter weights(std::initializer_list<double> values) {
  return Parameter(Tensor::from(values, {static_cast<std::int64_t>(values.size())}, DType::f64),
                   /*requires_grad=*/true);
}

void set_grad(Parameter& p, std::initializer_list<double> values) {
  p.set_grad(Tensor::from(values, p.shape(), p.dtype()));
}

TEST(Optimizer, RefusesImpossibleOptions) {
  const std::vector<NamedParameter> named = numbered(std::vector{weights({1})});
  EXPECT_THROW_TEXT(Adam(named, {.lr = -1}), ValueError,
                    "Optimizer: lr is -1; it must be finite and not negative");
  EXPECT_THROW_TEXT(AdamW(named, {.beta1 = 1}), ValueError,
                    "AdamW: beta1 is 1; it must be in [0, 1)");
  EXPECT_THROW_TEXT(Adam(named, {.beta1 = -0.5}), ValueError,
                    "Adam: beta1 is -0.5; it must be in [0, 1)");
  EXPECT_THROW_TEXT(Adam(named, {.beta2 = 1}), ValueError,
                    "Adam: beta2 is 1; it must be in [0, 1)");
  EXPECT_THROW_TEXT(Adam(named, {.eps = -1}), ValueError,
                    "Adam: eps is -1; it must be finite and not negative");
  EXPECT_THROW_TEXT(AdamW(named, {.weight_decay = INFINITY}), ValueError,
                    "AdamW: weight_decay is inf; it must be finite and not negative");
  EXPECT_THROW_TEXT(SGD(named, {.momentum = 1}), ValueError,
                    "SGD: momentum is 1; it must be in [0, 1)");
  EXPECT_THROW_TEXT(SGD(named, {.weight_decay = -1}), ValueError,
                    "SGD: weight_decay is -1; it must be finite and not negative");
  SGD sgd(named, {.lr = 0, .momentum = 0, .weight_decay = 0});  // the bounds themselves
  Adam adam(named, {.lr = 0, .beta1 = 0, .beta2 = 0, .eps = 0, .weight_decay = 0});
  EXPECT_THROW_TEXT(sgd.set_lr(NAN), ValueError,
                    "set_lr: lr is nan; it must be finite and not negative");
  EXPECT_THROW_TEXT(SGD(named, {.nesterov = true}), ValueError,
                    "SGD: nesterov needs a momentum, which is 0");
  EXPECT_THROW_TEXT(Adam(numbered(std::vector{Parameter(Tensor::zeros({1}))}), {}), ValueError,
                    "Optimizer: \"0\" requires no gradient");
  EXPECT_THROW_TEXT(clip_grad_norm({}, 0), ValueError,
                    "clip_grad_norm: max_norm is 0; it must be positive");
}

TEST(Optimizer, RefusesParametersItCanNotTrain) {
  const Parameter w = weights({1, 2}), other = weights({1, 2});
  const auto refused = [](const std::vector<NamedParameter>& parameters, const std::string& why) {
    EXPECT_THROW_TEXT(SGD(parameters, {}), ValueError, "Optimizer: " + why);
    EXPECT_THROW_TEXT(Adam(parameters, {}), ValueError, "Optimizer: " + why);
    EXPECT_THROW_TEXT(AdamW(parameters, {}), ValueError, "Optimizer: " + why);
  };
  refused({{"w", w}, {"product", w * other}},
          "\"product\" is the result of mul; only a leaf can be trained");
  refused({{"a", w}, {"b", other}, {"c", w}}, "\"a\" and \"c\" are one parameter; give it once");
  refused({{"a", w}, {"a", w}}, "two parameters are named \"a\"");
  refused({{"a", w}, {"a", other}}, "two parameters are named \"a\"");
  refused({{"none", Parameter()}}, "\"none\" requires no gradient");
  const Tensor square = Tensor::zeros({2, 2});
  refused({{"t", Parameter(transpose(Tensor::zeros({2, 3}), 0, 1), true)}},
          "\"t\" of shape [3, 2] has strides [1, 3]; a parameter must be dense");
  refused({{"e", Parameter(expand(Tensor::zeros({1}), {3}), true)}},
          "\"e\" of shape [3] has strides [0]; a parameter must be dense");
  SGD rows(std::vector<NamedParameter>{{"0", Parameter(slice(square, 0, 0, 1), true)},
                                       {"1", Parameter(slice(square, 0, 1, 2), true)}},
           {});
}

TEST(Optimizer, AdamRefusesStateThatNoTrainingReaches) {
  Parameter a = weights({1}), b = weights({1, 2});
  Adam adam(std::vector<NamedParameter>{{"a", a}, {"b", b}}, {});
  set_grad(a, {1});
  set_grad(b, {1, 2});
  adam.step();
  std::vector<NamedTensor> good = adam.state_dict(), before;
  for (NamedTensor& entry : good) {
    entry.value = entry.value.clone();
    before.push_back(entry);
  }
  const auto refused = [&](std::size_t entry, const Tensor& value, const std::string& why) {
    std::vector<NamedTensor> bad;
    for (const auto& [name, x] : good) bad.push_back({name, Tensor::full(x.shape(), 7, x.dtype())});
    bad[entry].value = value;
    EXPECT_THROW_TEXT(adam.load_state_dict(bad), ValueError, "load: " + why);
    const std::vector<NamedTensor> now = adam.state_dict();
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_TRUE(all_close(now[i].value.to(DType::f64), before[i].value.to(DType::f64), 0, 0));
    }
  };
  const auto steps = [](double t) { return Tensor::scalar(t, DType::i64); };
  refused(0, steps(-1), "\"step.a\" is -1; a number of steps is in [0, 2^53)");
  refused(1, steps(0x1p53), "\"step.b\" is 9007199254740992; a number of steps is in [0, 2^53)");
  refused(1, steps(-0x1p63),
          "\"step.b\" is -9223372036854775808; a number of steps is in "
          "[0, 2^53)");
  refused(5, Tensor::from({0, -0.5}, {2}, DType::f64),
          "\"v.b\" has -0.5; a second moment is not negative");
  // What does not fit is told as such, whatever its numbers are.
  std::vector<NamedTensor> misfits = good;
  misfits[0].value = Tensor::scalar(-1, DType::f64);
  misfits[1].value = Tensor::full({2}, -1, DType::i64);
  misfits[2].value = steps(-1);
  misfits[5].value = steps(-1);
  EXPECT_THROW_TEXT(adam.load_state_dict(misfits), ShapeError,
                    "load: \"step.a\" is f64 in the file, i64 in the model\n"
                    "      \"step.b\" is [2] in the file, [] in the model\n"
                    "      \"m.a\" is i64 [] in the file, f64 [1] in the model\n"
                    "      \"v.b\" is i64 [] in the file, f64 [2] in the model");
  good[0].value = steps(0);
  good[1].value = steps(0x1p53 - 1);
  adam.load_state_dict(good);
  EXPECT_EQ(adam.state_dict()[1].value.item(), 0x1p53 - 1);
}

TEST(Clip, ByNormRefusesWhatWouldCountTwiceOrNotAtAll) {
  Parameter w = weights({1, 2});
  const Parameter other = weights({1, 2}), frozen(Tensor::zeros({2}));
  set_grad(w, {3, 4});
  EXPECT_THROW_TEXT(clip_grad_norm(std::vector{w, other, w}, 1), ValueError,
                    "clip_grad_norm: parameters 0 and 2 are one; give it once");
  EXPECT_THROW_TEXT(clip_grad_norm(std::vector{w, w * other}, 1), ValueError,
                    "clip_grad_norm: parameter 1 is the result of mul; only a leaf has a gradient");
  EXPECT_EQ(w.grad().data<double>()[0], 3);
  EXPECT_EQ(clip_grad_norm(std::vector{w, frozen, frozen}, 10), 5);
}

}  // namespace
}  // namespace lectern::nn
