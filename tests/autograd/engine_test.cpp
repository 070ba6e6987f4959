#include <gtest/gtest.h>

#include <thread>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/broadcast.h"
#include "tensor/elementwise.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

Variable leaf(std::initializer_list<double> values, const Shape& shape) {
  return Variable(Tensor::from(values, shape, DType::f64), /*requires_grad=*/true);
}

Variable scalar(double value) { return leaf({value}, {}); }

TEST(Cases, Cases_5_1_SharedSubexpressions) {
  const Variable x = scalar(3);
  const Variable y = 4 * x;
  const Variable a = 2 * y;
  const Variable b = y * y;
  const Variable c = a * b + y;
  EXPECT_EQ(c.value().item(), 3468);
  backward(c);
  EXPECT_EQ(x.grad().item(), 3460);

  const Variable u = scalar(2);
  const Variable h = u * u;
  backward(u * h + h * u + h);
  EXPECT_EQ(u.grad().item(), 28);

  const Variable start = leaf({1, 2}, {2});
  Variable r = start;
  for (int i = 0; i < 3; ++i) r = r + tanh(r);
  EXPECT_TRUE(all_close(r.value(), Tensor::from({3.69535861, 4.95798601}, {2}, DType::f64)));
  backward(sum(r));
  EXPECT_TRUE(all_close(start.grad(), Tensor::from({1.60610877, 1.08357339}, {2}, DType::f64)));
}

TEST(Cases, Cases_5_2_LongChains) {
  const Variable x = scalar(1.5);
  Variable y = x;
  for (int i = 0; i < 300000; ++i) y = -y;
  EXPECT_EQ(y.value().item(), 1.5);
  backward(y);
  EXPECT_EQ(x.grad().item(), 1);
}

TEST(Cases, Cases_5_2_LongChainsDroppedWithoutBackward) {
  const Variable x = scalar(1.5);
  Variable y = x;
  for (int i = 0; i < 300000; ++i) y = -y;
  y = Variable();  // frees the graph
  EXPECT_FALSE(x.has_grad());
  Variable square = x;  // each node has two arrows to the one before
  for (int i = 0; i < 300000; ++i) square = square + square;
}

TEST(Cases, Cases_5_2_LongChainsKeptByRetainGraph) {
  const Variable x = scalar(1.5);
  Variable y = x;
  for (int i = 0; i < 300000; ++i) y = -y;
  backward(y, {.retain_graph = true});
  backward(y, {.retain_graph = true});
  EXPECT_EQ(x.grad().item(), 2);
}

TEST(Cases, Cases_5_3_ASavedValueChangedAfterwards) {
  const Variable x = scalar(2);
  const Variable y = x * x;
  const Variable z = y * y;
  Tensor inside = y.value();  // shares the storage
  inside.mutable_data<double>()[0] += 1;
  EXPECT_THROW_TEXT(backward(z), GradError,
                    "backward of mul: a saved f64 of shape [] was written to after it was used; "
                    "compute from a clone, or write before the use");
  EXPECT_FALSE(x.has_grad());

  const Variable powers = leaf({1, 2}, {2});
  const Variable raised = exp(powers);
  const Variable s = sum(raised);
  Tensor(raised.value()).fill(0);
  EXPECT_THROW_TEXT(backward(s), GradError,
                    "backward of exp: a saved f64 of shape [2] was written to after it was used; "
                    "compute from a clone, or write before the use");

  const Variable v = leaf({1, 2, 3}, {3});
  const Variable doubled = 2 * v;
  Tensor written = doubled.value();
  written.mutable_data<double>()[1] = 10;  // before the use: refused, for a write has no gradient
  EXPECT_THROW_TEXT(doubled * doubled, GradError,
                    "mul: an input, the result of mul of shape [3], was written to after it was "
                    "recorded; a write has no gradient: write to a clone");
}

TEST(Engine, LeavesMayBeWrittenTo) {
  const Variable x = leaf({1, 2}, {2});
  Tensor(x.value()).fill(5);
  backward(sum(x * x));
  EXPECT_EQ(values_of(x.grad()), Values({10, 10}));
}

TEST(Cases, Cases_5_7_BackwardTwice) {
  const Variable x = scalar(2);
  const Variable y = x * x * x;
  backward(y);
  EXPECT_EQ(x.grad().item(), 12);
  EXPECT_THROW_TEXT(backward(y), GradError,
                    "backward: the graph through mul of shape [] was used by an earlier backward "
                    "and given up; pass {.retain_graph = true} to the first one");
  EXPECT_EQ(x.grad().item(), 12);

  const Variable u = scalar(2);
  const Variable cube = u * u * u;
  backward(cube, {.retain_graph = true});
  EXPECT_EQ(u.grad().item(), 12);
  backward(cube);
  EXPECT_EQ(u.grad().item(), 24);
}

TEST(Cases, Cases_5_7_SeparateBuffers) {
  const Variable a = leaf({3, 4}, {2}), b = leaf({5, 6}, {2});
  const Tensor seed = Tensor::from({1, 2}, {2}, DType::f64);
  backward(a + b, seed);
  Tensor grad = a.grad();
  for (double& g : grad.mutable_data<double>()) g *= 10;
  EXPECT_EQ(values_of(a.grad()), Values({10, 20}));
  EXPECT_EQ(values_of(b.grad()), Values({1, 2}));
  EXPECT_EQ(values_of(seed), Values({1, 2}));
}

TEST(Cases, Cases_5_8_RecordingSwitchedOff) {
  const Variable m(Tensor::ones({2, 3}, DType::f64));
  try {
    const NoGrad guard;
    static_cast<void>(matmul(m, m));
    ADD_FAILURE() << "inner sizes 3 and 2 were taken";
  } catch (const ShapeError&) {
  }
  EXPECT_TRUE(is_recording());
  const Variable x = scalar(3);
  backward(x * x);
  EXPECT_EQ(x.grad().item(), 6);
}

TEST(Cases, Cases_5_8_ScopesNestAndThreadsKeepTheirOwn) {
  const NoGrad outer;
  {
    const NoGrad inner;
    EXPECT_FALSE(is_recording());
  }
  EXPECT_FALSE(is_recording());
  bool other_records = false;
  std::thread([&] { other_records = is_recording(); }).join();
  EXPECT_TRUE(other_records);
  EXPECT_FALSE((scalar(1) * 2).requires_grad());
}

TEST(Engine, SeedsAreWeights) {
  const Variable x = leaf({1, 2, 3}, {3});
  backward(x * x, Tensor::from({1, 0, -1}, {3}, DType::f64));
  EXPECT_EQ(values_of(x.grad()), Values({2, 0, -6}));
}

TEST(Engine, RefusesSeedsThatDoNotFit) {
  const Variable x = leaf({1, 2}, {2});
  const Variable y = x * x;
  EXPECT_THROW_TEXT(backward(y, Tensor::ones({3}, DType::f64)), ShapeError,
                    "backward: shapes differ: seed is [3], loss is [2]");
  EXPECT_THROW_TEXT(backward(y, Tensor::ones({2})), DTypeError,
                    "backward: dtypes differ: seed is f32, loss is f64");
  EXPECT_THROW_TEXT(backward(y), ShapeError,
                    "backward: loss has shape [2]; without a seed it must have one element");
  EXPECT_THROW_TEXT(backward(Variable(Tensor::scalar(1))), GradError,
                    "backward: loss of shape [] depends on nothing that requires a gradient");
  backward(y, Tensor::ones({2}, DType::f64));  // what was refused did no harm
  EXPECT_EQ(values_of(x.grad()), Values({2, 4}));
}

TEST(Engine, ALeafIsItsOwnLoss) {
  const Variable x = scalar(5);
  backward(x);
  backward(x);
  EXPECT_EQ(x.grad().item(), 2);
}

TEST(Engine, GradientsAddUpUntilTheyAreForgotten) {
  Variable x = scalar(3);
  for (int i = 0; i < 3; ++i) backward(x * x);
  EXPECT_EQ(x.grad().item(), 18);
  const Tensor held = x.grad();
  backward(x * x);
  EXPECT_EQ(x.grad().item(), 24);
  EXPECT_EQ(held.item(), 18);  // not written to while someone holds it
  x.zero_grad();
  EXPECT_FALSE(x.has_grad());
  EXPECT_THROW_TEXT(x.grad(), GradError, "grad: no gradient has reached this variable of shape []");
}

TEST(Engine, OnlyWhatRequiresAGradientGetsOne) {
  const Variable x = scalar(3), constant(Tensor::scalar(4, DType::f64));
  const Variable y = x * constant;
  EXPECT_EQ(y.node()->edges.size(), 1U);
  EXPECT_FALSE((constant * constant).requires_grad());
  EXPECT_FALSE(y.detach().requires_grad());
  backward(y * y.detach());
  EXPECT_EQ(x.grad().item(), 48);
  EXPECT_FALSE(constant.has_grad());
}

TEST(Engine, WithoutGraphAnOpAllocatesNothingButItsResult) {
  const Variable x = leaf({1, 2, 3}, {3});
  const NoGrad guard;
  reset_peak_memory();
  const std::int64_t before = memory_stats().live_bytes;
  const Variable y = x * x;
  EXPECT_EQ(memory_stats().live_bytes - before, 24);
  EXPECT_EQ(memory_stats().peak_bytes - before, 24);
}

TEST(Engine, BackwardGivesUpWhatItHasUsed) {
  const Variable x(Tensor::ones({1000}, DType::f64), /*requires_grad=*/true);
  Variable y = x;
  for (int i = 0; i < 10; ++i) y = exp(y * 0.1);
  const Variable loss = sum(y);
  y = Variable();
  const std::int64_t before = memory_stats().live_bytes;
  EXPECT_GE(before, 10 * 8000);
  backward(loss);
  EXPECT_LE(memory_stats().live_bytes, 2 * 8000 + 64);  // x and its gradient
}

/// An op that is its input, with the given derivative.
template <class F>
Variable with_derivative(const Variable& x, const F& derivative) {
  return record("odd", x.value().clone(), wrt(x, derivative));
}

TEST(Engine, RefusesAGradientOfTheWrongShapeOrDType) {
  const Variable x = leaf({1, 2, 3}, {3});
  const auto wrong_shape = [](const Tensor&) { return Tensor::ones({4}, DType::f64); };
  EXPECT_THROW_TEXT(backward(sum(with_derivative(x, wrong_shape))), GradError,
                    "backward of odd: gradient is f64 [4], but the input it belongs to is f64 [3]");
  const auto wrong_dtype = [](const Tensor&) { return Tensor::ones({3}); };
  EXPECT_THROW_TEXT(backward(sum(with_derivative(x, wrong_dtype))), GradError,
                    "backward of odd: gradient is f32 [3], but the input it belongs to is f64 [3]");
  const auto not_summed = [](const Tensor&) { return Tensor::ones({5, 3}, DType::f64); };
  EXPECT_THROW_TEXT(
      backward(sum(x) + sum(with_derivative(x, not_summed))), GradError,
      "backward of odd: gradient is f64 [5, 3], but the input it belongs to is f64 [3]; a sum "
      "over axis 0 is missing");
  EXPECT_FALSE(x.has_grad());  // a pass that fails changes no gradient
  backward(sum(x * x));
  EXPECT_EQ(values_of(x.grad()), Values({2, 4, 6}));
}

TEST(Engine, ADerivativeMayAddNothing) {
  const Variable x = leaf({1, 2}, {2});
  const Variable y = with_derivative(x * 3, [](const Tensor&, Gradient&) {});
  backward(sum(y));
  EXPECT_FALSE(x.has_grad());
  EXPECT_THROW_TEXT(backward(y, Tensor::ones({2}, DType::f64)), GradError,
                    "backward: the graph through odd of shape [2] was used by an earlier backward "
                    "and given up; pass {.retain_graph = true} to the first one");
}

/// y = x through a derivative that writes into the running sum as kernels do.
Variable identity_by_target(const Variable& x) {
  return with_derivative(x, [](const Tensor& g, Gradient& sum) {
    const auto [out, accumulate] = sum.target(g.shape(), g.dtype());
    const Tensor dense = g.contiguous();
    const auto from = dense.data<double>();
    const auto to = out.mutable_data<double>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = (accumulate ? to[i] : 0) + from[i];
  });
}

TEST(Engine, TargetsAccumulateIntoOneBuffer) {
  const Variable x = leaf({1, 2}, {2});
  const Variable first = identity_by_target(x), second = identity_by_target(x);
  backward(sum(first * 3 + second * 4 + x * 5));
  EXPECT_EQ(values_of(x.grad()), Values({12, 12}));
  EXPECT_EQ(x.grad().numel() * 8, x.grad().storage().bytes());
}

TEST(Engine, TargetsDoNotWriteIntoWhatIsShared) {
  const Variable x = leaf({1, 2}, {2});
  const Tensor seed = Tensor::from({1, 1}, {2}, DType::f64);
  backward(x + identity_by_target(x), seed);  // add passes the seed itself on
  EXPECT_EQ(values_of(x.grad()), Values({2, 2}));
  EXPECT_EQ(values_of(seed), Values({1, 1}));
}

TEST(Engine, GradientsOfViewsAreDenseAndTheirOwn) {
  const Variable x = leaf({1, 2, 3, 4}, {2, 2});
  const Tensor whole = counting({2, 2}, DType::f64);
  const auto turned = [&](const Tensor&) { return transpose(whole, 0, 1); };
  backward(sum(with_derivative(x, turned)));
  EXPECT_EQ(values_of(x.grad()), Values({0, 2, 1, 3}));
  EXPECT_TRUE(x.grad().is_contiguous());
  EXPECT_FALSE(x.grad().storage() == whole.storage());
}

/// a·b with one derivative for both inputs; counts how many were wanted.
Variable joint_product(const Variable& a, const Variable& b, int& wanted) {
  return record_joint(
      "joint", a.value() * b.value(), {&a, &b},
      [&wanted, a = saved(a), b = saved(b)](const Tensor& g, std::span<Gradient* const> sums) {
        wanted = 0;
        if (sums[0] != nullptr) {
          ++wanted;
          sums[0]->add(g * *b);
        }
        if (sums[1] != nullptr) {
          ++wanted;
          sums[1]->add(g * *a);
        }
      });
}

TEST(Engine, JointDerivativesAreToldWhichInputsAreWanted) {
  int wanted = 0;
  const Variable a = scalar(3), b = scalar(4), constant(Tensor::scalar(5, DType::f64));
  backward(joint_product(a, b, wanted));
  EXPECT_EQ(a.grad().item(), 4);
  EXPECT_EQ(b.grad().item(), 3);
  EXPECT_EQ(wanted, 2);
  backward(joint_product(constant, b, wanted));
  EXPECT_EQ(b.grad().item(), 8);
  EXPECT_EQ(wanted, 1);
  backward(joint_product(a, a, wanted));  // both places are one variable
  EXPECT_EQ(a.grad().item(), 10);
  EXPECT_FALSE(joint_product(constant, constant, wanted).requires_grad());
}

TEST(Engine, JointDerivativesAreCheckedToo) {
  const Variable a = leaf({1, 2}, {2});
  const Variable y = record_joint("joint", a.value() * 2, {&a},
                                  [](const Tensor&, std::span<Gradient* const> sums) {
                                    sums[0]->add(Tensor::ones({2, 2}, DType::f64));
                                  });
  EXPECT_THROW_TEXT(
      backward(sum(y)), GradError,
      "backward of joint: gradient is f64 [2, 2], but the input it belongs to is f64 [2]; a sum "
      "over axis 0 is missing");
}

TEST(Engine, RecordEachTakesAnyNumberOfInputs) {
  std::vector<Variable> parts;
  for (int i = 0; i < 5; ++i) parts.push_back(scalar(i));
  Tensor total = Tensor::zeros({}, DType::f64);
  auto pass_on = [](const Tensor& g) { return g; };
  std::vector<WithRespectTo<decltype(pass_on)>> arrows;
  for (const Variable& part : parts) {
    total = total + part.value();
    arrows.push_back(wrt(part, pass_on));
  }
  const Variable y = record_each("total", total, std::move(arrows));
  EXPECT_EQ(y.value().item(), 10);
  backward(y * 7);
  for (const Variable& part : parts) EXPECT_EQ(part.grad().item(), 7);
}

}  // namespace
}  // namespace lectern
