#include "autograd/ops/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(Dropout, RefusesIntegers) {
  Rng rng(1);
  EXPECT_THROW_TEXT(dropout(Variable(counting({2}, DType::i64)), 0.5, rng), DTypeError,
                    "dropout: x is i64; it must be f32 or f64");
}

}  // namespace
}  // namespace lectern
