#include "autograd/ops/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/ops/arithmetic.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

Variable ones(std::int64_t n) { return Variable(Tensor::ones({n}), true); }

TEST(Dropout, GradientMatchesFiniteDifferences) {
  const auto f = [](std::span<const Variable> x) {
    Rng rng(5);  // the same mask each time
    return dropout(x[0], 0.4, rng);
  };
  const Tensor x = Rng(1).normal({5, 7}, DType::f64);
  EXPECT_TRUE(gradients_match(f, {x}));
  EXPECT_TRUE(gradients_match(f, {transpose(x, 0, 1)}));
}

TEST(Dropout, ElementIIsDroppedByWordIMod4OfBlockStartPlusIOver4) {
  Rng rng(7);
  static_cast<void>(rng.reserve(12));
  const Variable y = dropout(ones(1003), 0.25, rng);
  EXPECT_EQ(rng.state().counter, 3u + 251u);
  for (std::size_t i = 0; i < 1003; ++i) {
    const kernels::PhiloxBlock block = kernels::philox_block(rng.key(), 3 + i / 4);
    const bool kept = kernels::philox_uniform(block[i % 4]) >= 0.25F;
    EXPECT_EQ(y.value().data<float>()[i], kept ? 1 / 0.75F : 0.0F) << i;
  }
}

TEST(Dropout, DropsWhatBernoulliDraws) {
  Rng one(9), other(9);
  const Values y = values_of(dropout(ones(500), 0.3, one).value());
  const Values dropped = values_of(other.bernoulli({500}, 0.3));
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i] == 0, dropped[i] == 1) << i;
}

// The place in the mask is the place in row-major order, not the place in memory.
TEST(Dropout, ViewsDropTheSameElementsAsTheirCopies) {
  const Tensor x = transpose(Rng(1).normal({6, 9}), 0, 1);
  Rng one(2), other(2);
  EXPECT_EQ(values_of(dropout(Variable(x), 0.5, one).value()),
            values_of(dropout(Variable(x.clone()), 0.5, other).value()));
}

TEST(Dropout, WhatIsDroppedIsZeroWhateverItWas) {
  const double inf = std::numeric_limits<double>::infinity();
  Rng rng(1);
  const Variable y = dropout(Variable(Tensor::full({100}, inf)), 0.5, rng);
  for (const double value : values_of(y.value())) EXPECT_TRUE(value == 0 || value == inf);
}

TEST(Dropout, Empty) {
  Rng rng(1);
  const Variable x(Tensor::zeros({0, 3}), true);
  backward(dropout(x, 0.5, rng), Tensor::zeros({0, 3}));
  EXPECT_EQ(x.grad().shape(), Shape({0, 3}));
}

TEST(Dropout, SameBitsForAnyNumberOfThreads) {
  const Tensor x = Rng(1).normal({1003});
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    Rng rng(3);
    return dropout(Variable(x), 0.1, rng).value();
  }));
}

TEST(Cases, Cases_3_5_Dropout) {
  constexpr std::int64_t n = 100000;
  Rng rng(42);
  const Variable x = ones(n);
  const Variable y = dropout(x, 0.3, rng);
  double sum = 0, zeros = 0;
  for (const double value : values_of(y.value())) {
    EXPECT_TRUE(value == 0 || std::abs(value - 1.42857143) <= 1e-6 + 1e-5 * 1.42857143) << value;
    sum += value;
    zeros += value == 0 ? 1 : 0;
  }
  EXPECT_NEAR(sum / n, 1, 0.0104);
  EXPECT_NEAR(zeros / n, 0.3, 0.0072);
  backward(y, Tensor::ones({n}));
  EXPECT_EQ(values_of(x.grad()), values_of(y.value())) << "the same mask times the same factor";

  EXPECT_EQ(values_of(dropout(x, 0, rng).value()), values_of(x.value())) << "p = 0";

  const Variable z = ones(n);
  const Variable nothing = dropout(z, 1, rng);
  backward(nothing, Tensor::ones({n}));
  EXPECT_EQ(values_of(nothing.value()), Values(n, 0)) << "p = 1";
  EXPECT_EQ(values_of(z.grad()), Values(n, 0));

  const Values first = values_of(dropout(x, 0.3, rng).value());
  for (const double p : {0.0, 0.3, 1.0}) {
    EXPECT_EQ(values_of(dropout(x, p, rng, /*training=*/false).value()), values_of(x.value()));
  }
  EXPECT_NE(values_of(dropout(x, 0.3, rng).value()), first) << "a new mask";

  Rng same(42);
  EXPECT_EQ(values_of(dropout(x, 0.3, same).value()), values_of(y.value())) << "same seed";

  for (const bool training : {true, false}) {
    EXPECT_THROW_TEXT(dropout(x, -0.1, rng, training), ValueError,
                      "dropout: p is -0.1; it must be in 0..1");
    EXPECT_THROW_TEXT(dropout(x, 1.1, rng, training), ValueError,
                      "dropout: p is 1.1; it must be in 0..1");
    EXPECT_THROW_TEXT(dropout(x, std::nan(""), rng, training), ValueError,
                      "dropout: p is nan; it must be in 0..1");
  }
}

// The first six uniforms of seed 7 are 0.95, 0.75, 0.11, 0.09, 0.41 and 0.80: three reach p.
TEST(AddDropout, ValuesWorkedByHand) {
  const Variable a(Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3}), true);
  const Variable b(Tensor::from({10, 20, 30, 40, 50, 60}, {2, 3}), true);
  Rng rng(7);
  const Variable y = add_dropout(a, b, 0.5, rng);
  EXPECT_EQ(values_of(y.value()), (Values{21, 42, 3, 4, 5, 126}));
  backward(y, Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_EQ(values_of(a.grad()), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(b.grad()), (Values{2, 4, 0, 0, 0, 12}));
}

TEST(AddDropout, GradientMatchesFiniteDifferences) {
  const auto f = [](std::span<const Variable> x) {
    Rng rng(5);  // the same mask each time
    return add_dropout(x[0], x[1], 0.4, rng);
  };
  const Tensor a = Rng(1).normal({5, 7}, DType::f64), b = Rng(2).normal({5, 7}, DType::f64);
  EXPECT_TRUE(gradients_match(f, {a, b}));
  const Tensor turned = transpose(Rng(3).normal({7, 5}, DType::f64), 0, 1);
  EXPECT_TRUE(gradients_match(f, {turned, b}));
  EXPECT_TRUE(gradients_match(f, {a, turned}));
}

/// A sum with a residual, its gradients for a random cotangent, and the generator's place after it.
template <class Add>
std::vector<Tensor> residual_step(DType dtype, const Add& add) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Shape shape{17, 59};  // 1003 elements: no multiple of a register or block
  Tensor x = Rng(1).normal(shape, dtype), y = transpose(Rng(2).normal({59, 17}, dtype), 0, 1);
  select(select(y, 0, 0), 0, 3).fill(inf);
  select(y, 0, 1).fill(nan);
  select(x, 0, 2).fill(-0.0);
  select(y, 0, 2).fill(-0.0);
  const Variable a(x, true), b(y, true);
  Rng rng(3);
  const Variable sum = add(a, b, rng);
  backward(sum, Rng(4).normal(shape, dtype));
  return {sum.value(), a.grad(), b.grad(), rng.uniform({1})};
}

TEST(AddDropout, IsTheSumWithWhatDropoutLeavesBitForBit) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const double p : {0.0, 0.1, 0.5, 1.0}) {
      for (const bool training : {true, false}) {
        const std::vector<Tensor> fused =
            residual_step(dtype, [&](const Variable& a, const Variable& b, Rng& rng) {
              return add_dropout(a, b, p, rng, training);
            });
        const std::vector<Tensor> composed =
            residual_step(dtype, [&](const Variable& a, const Variable& b, Rng& rng) {
              return a + dropout(b, p, rng, training);
            });
        for (std::size_t i = 0; i < fused.size(); ++i) {
          EXPECT_TRUE(same_bits(fused[i], composed[i]))
              << fmt::format("{}, p = {}, {}", dtype, p, i);
        }
      }
    }
  }
}

TEST(AddDropout, SameBitsForAnyNumberOfThreads) {
  for (std::size_t part = 0; part < 3; ++part) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      return residual_step(DType::f32, [](const Variable& a, const Variable& b, Rng& rng) {
        return add_dropout(a, b, 0.1, rng);
      })[part];
    }));
  }
}

// Neither operand and no mask: what the backward pass needs is where the mask begins.
TEST(AddDropout, KeepsNoTensorForTheBackwardPass) {
  const Variable a = ones(1000), b = ones(1000);
  Rng rng(1);
  const std::int64_t before = memory_stats().live_bytes;
  Variable y = add_dropout(a * 1, b * 1, 0.5, rng);
  EXPECT_EQ(memory_stats().live_bytes - before, 4000) << "its result alone";
}

TEST(AddDropout, Refuses) {
  Rng rng(1);
  const Variable x(Tensor::ones({2, 3}));
  EXPECT_THROW_TEXT(add_dropout(x, Variable(Tensor::ones({3})), 0.5, rng), ShapeError,
                    "add_dropout: shapes differ: a is [2, 3], b is [3]; nothing broadcasts here");
  EXPECT_THROW_TEXT(add_dropout(x, Variable(Tensor::ones({3})), 0.5, rng, /*training=*/false),
                    ShapeError,
                    "add_dropout: shapes differ: a is [2, 3], b is [3]; nothing broadcasts here");
  const Variable whole(counting({2, 3}, DType::i64));
  EXPECT_THROW_TEXT(add_dropout(whole, whole, 0.5, rng), DTypeError,
                    "add_dropout: a is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(add_dropout(x, x, 1.5, rng), ValueError,
                    "add_dropout: p is 1.5; it must be in 0..1");
  EXPECT_EQ(rng.state().counter, 0U) << "a refused draw takes nothing";
}

TEST(Dropout, RefusesIntegers) {
  Rng rng(1);
  EXPECT_THROW_TEXT(dropout(Variable(counting({2}, DType::i64)), 0.5, rng), DTypeError,
                    "dropout: x is i64; it must be f32 or f64");
}

}  // namespace
}  // namespace lectern
