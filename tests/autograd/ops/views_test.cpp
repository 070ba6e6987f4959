#include "autograd/ops/views.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "tensor/join.h"
#include "tensor/random.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;
using Inputs = std::span<const Variable>;

Tensor random(const Shape& shape) { return Rng(3).normal(shape, DType::f64); }

Variable leaf(const Shape& shape) { return Variable(counting(shape), true); }

// Each op on a dense input and on one whose strides are not row-major.
TEST(Views, GradientsMatchFiniteDifferences) {
  const auto check = [](const DifferentiableFunction& f) {
    EXPECT_TRUE(gradients_match(f, {random({2, 3, 4})}));
    EXPECT_TRUE(gradients_match(f, {permute(random({4, 2, 3}), {1, 2, 0})}));
  };
  check([](Inputs x) { return reshape(x[0], {4, -1}); });
  check([](Inputs x) { return flatten(x[0], 1); });
  check([](Inputs x) { return permute(x[0], {2, 0, 1}); });
  check([](Inputs x) { return transpose(x[0], 0, -1); });
  check([](Inputs x) { return squeeze(unsqueeze(x[0], 1)); });
  check([](Inputs x) { return squeeze(unsqueeze(x[0], -1), -1); });
  check([](Inputs x) { return expand(unsqueeze(x[0], 1), {5, 2, 2, 3, 4}); });
  check([](Inputs x) { return contiguous(transpose(x[0], 0, 1)); });
  check([](Inputs x) { return slice(x[0], 1, 1); });
  check([](Inputs x) { return slice(x[0], 2, -3, kEnd, 2); });
  check([](Inputs x) { return slice(x[0], 2, 2, 2); });
  check([](Inputs x) { return select(x[0], 1, -1); });
  check([](Inputs x) { return diagonal(x[0], 1, 2, 1); });
  check([](Inputs x) { return flip(x[0], 2); });
  check([](Inputs x) { return pad(x[0], 1, 2, 3, 7); });
}

TEST(Views, GradientsOfJoinsMatchFiniteDifferences) {
  const std::vector<Tensor> inputs{random({2, 3}), transpose(random({2, 2}), 0, 1), random({2, 0})};
  EXPECT_TRUE(gradients_match(
      [](Inputs x) {
        return concat({x[0], x[1], x[0], x[2]}, -1);
      },
      inputs));
  EXPECT_TRUE(gradients_match(
      [](Inputs x) {
        return stack({x[0], x[1], x[0]}, 1);
      },
      {random({2, 3}), transpose(random({3, 2}), 0, 1)}));
}

TEST(Views, GradientsOfPartsMatchFiniteDifferences) {
  EXPECT_TRUE(gradients_match(
      [](Inputs x) {
        const std::vector<Variable> parts = split(x[0], 3, 1);
        return parts[0] * parts[2] + parts[1];
      },
      {random({2, 6})}));
  EXPECT_TRUE(gradients_match(
      [](Inputs x) {
        const std::vector<Variable> parts = split(x[0], std::vector<std::int64_t>{2, 1, 2}, -1);
        return parts[0] * parts[2] * parts[1];
      },
      {transpose(random({5, 2}), 0, 1)}));
}

TEST(Views, PartsFollowEachOther) {
  const Variable x(Tensor::from({1, 2, 3, 4, 5, 6}, {6}));
  const std::vector<Variable> halves = split(x, 2);
  EXPECT_EQ(values_of(halves[1].value()), std::vector<double>({4, 5, 6}));
  const std::vector<Variable> parts = split(x, std::vector<std::int64_t>{1, 2, 3}, 0);
  EXPECT_EQ(values_of(parts[1].value()), std::vector<double>({2, 3}));
  EXPECT_EQ(values_of(parts[2].value()), std::vector<double>({4, 5, 6}));
}

TEST(Views, ShareTheStorageOfTheirInput) {
  const Variable x = leaf({2, 3});
  EXPECT_TRUE(transpose(x, 0, 1).value().storage() == x.value().storage());
  EXPECT_TRUE(split(x, 3, 1)[1].value().storage() == x.value().storage());
  EXPECT_TRUE(contiguous(x).value().storage() == x.value().storage());
}

TEST(Views, PartsReadTwiceAddUp) {
  const Variable x = leaf({4});
  const Variable y = slice(x, 0, 0, 3) + slice(x, 0, 1);  // x0+x1, x1+x2, x2+x3
  backward(y, Tensor::from({1, 10, 100}, {3}));
  EXPECT_EQ(values_of(x.grad()), (Values{1, 11, 110, 100}));
}

TEST(Views, AnUnusedPartHasZeroGradient) {
  const Variable x = leaf({2, 3});
  backward(select(x, 1, 1), Tensor::from({1, 2}, {2}));
  EXPECT_EQ(values_of(x.grad()), (Values{0, 1, 0, 0, 2, 0}));
}

// A part arrives after a gradient that others hold: those must not change.
TEST(Views, PartsDoNotWriteIntoGradientsOfOthers) {
  const Variable x = leaf({3});
  const Variable other = leaf({3});
  const Tensor seed = Tensor::from({1, 2, 3}, {3});
  const Variable sum = x + other;                       // both get g itself
  const Variable y = concat({sum, slice(x, 0, 1, 2)});  // and x a part more
  backward(y, Tensor::from({1, 2, 3, 10}, {4}));
  EXPECT_EQ(values_of(x.grad()), (Values{1, 12, 3}));
  EXPECT_EQ(values_of(other.grad()), values_of(seed));
}

TEST(Views, EmptyInputs) {
  const Variable x = leaf({0, 3});
  backward(reshape(transpose(x, 0, 1), {3, 0}), Tensor::zeros({3, 0}));
  EXPECT_EQ(x.grad().shape(), Shape({0, 3}));
  const Variable y = leaf({2});
  backward(slice(y, 0, 2), Tensor::zeros({0}));
  EXPECT_EQ(values_of(y.grad()), (Values{0, 0}));
}

TEST(Views, ErrorsAreThoseOfTensors) {
  const Variable x = leaf({2, 3});
  EXPECT_THROW_TEXT(reshape(x, {4, -1}), ShapeError,
                    "reshape: -1 can not be inferred: x is [2, 3], shape is [4, -1]; 6 elements "
                    "are no multiple of 4");
  EXPECT_THROW_TEXT(select(x, 1, 3), IndexError,
                    "select: index 3 is out of range: x is [2, 3]; -3 <= index < 3 on axis 1");
  EXPECT_THROW_TEXT(concat(std::vector<Variable>{}), ShapeError, "concat: there is no tensor");
  EXPECT_THROW_TEXT(split(x, 2, 1), ShapeError,
                    "split: axis 1 does not split into 2 equal parts: x is [2, 3]; 3 is no "
                    "multiple of 2");
}

TEST(Views, SameBitsForAnyNumberOfThreads) {
  const Tensor seed = random({3, 35}).to(DType::f32);
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    const Variable x = leaf({5, 7, 3});
    const Variable y = reshape(permute(x, {2, 0, 1}), {3, 35});
    backward(y + flip(y, 1), seed);
    return x.grad();
  }));
}

}  // namespace
}  // namespace lectern
