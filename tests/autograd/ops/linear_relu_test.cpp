#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/linear.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

// x Wᵀ + b is [1, -2, 1; -3, 0, 7]; dz is g where that is positive.
TEST(LinearRelu, ValuesWorkedByHand) {
  const Variable x(Tensor::from({1, 2, -3, 4}, {2, 2}), true);
  const Variable w(Tensor::from({1, 0, 0, 1, -1, 1}, {3, 2}), true);
  const Variable b(Tensor::from({0, -4, 0}, {3}), true);
  const Variable h = linear_relu(x, w, b);
  EXPECT_EQ(values_of(h.value()), (Values{1, 0, 1, 0, 0, 7}));
  backward(h, Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_EQ(values_of(x.grad()), (Values{-2, 3, -6, 6}));
  EXPECT_EQ(values_of(w.grad()), (Values{1, 2, 0, 0, 3 - 18, 6 + 24}));
  EXPECT_EQ(values_of(b.grad()), (Values{1, 0, 9}));
}

// The first six uniforms of seed 7 are 0.95, 0.75, 0.11, 0.09, 0.41 and 0.80: three reach p.
TEST(LinearRelu, DropsAndScalesWorkedByHand) {
  const Variable x(Tensor::from({1, -2, 3, 4, 5, 6}, {6, 1}), true);
  const Variable w(Tensor::from({10}, {1, 1}), true);
  Rng rng(7);
  const Variable h = linear_relu(x, w, {}, 0.5, rng);
  EXPECT_EQ(values_of(h.value()), (Values{20, 0, 0, 0, 0, 120}));
  backward(h, Tensor::from({1, 2, 3, 4, 5, 6}, {6, 1}));
  EXPECT_EQ(values_of(x.grad()), (Values{20, 0, 0, 0, 0, 120}));
  EXPECT_EQ(values_of(w.grad()), Values{2 * 1 * 1 + 12 * 6});
}

TEST(LinearRelu, GradientMatchesDifferences) {
  const auto normal = [](const Shape& shape, std::uint64_t seed) {
    return Rng(seed).normal(shape, DType::f64);
  };
  const Tensor w = normal({3, 4}, 1), b = normal({3}, 2);
  const Tensor strided = transpose(normal({4, 2, 3}, 3), 0, 2);  // [3, 2, 4]
  const auto drops = [](std::span<const Variable> v) {
    Rng rng(5);  // the same mask each time
    return linear_relu(v[0], v[1], v.size() == 3 ? v[2] : Variable(), 0.4, rng);
  };
  for (const Tensor& x :
       {normal({4}, 3), normal({2, 4}, 3), normal({2, 3, 4}, 3), strided, normal({0, 4}, 3)}) {
    SCOPED_TRACE(to_string(x.shape()));
    EXPECT_TRUE(gradients_match([](auto v) { return linear_relu(v[0], v[1], v[2]); }, {x, w, b}));
    EXPECT_TRUE(gradients_match([](auto v) { return linear_relu(v[0], v[1]); }, {x, w}));
    EXPECT_TRUE(gradients_match(drops, {x, w, b}));
    EXPECT_TRUE(gradients_match(drops, {x, transpose(normal({4, 3}, 1), 0, 1)}));
  }
}

struct Mode {
  double p;
  bool training;
};

/// The result and all gradients for a random cotangent, and where the generator stands after them.
template <class F>
std::vector<Tensor> step(DType dtype, const Shape& rows, const F& f) {
  constexpr std::int64_t in = 270, out = 37;  // no multiple of a register or block
  const auto with_width = [&](std::int64_t width) {
    Shape shape = rows;
    shape.push_back(width);
    return shape;
  };
  const Variable x(Rng(1).normal(with_width(in), dtype), true);
  const Variable w(transpose(Rng(2).normal({in, out}, dtype), 0, 1), true);
  const Variable b(Rng(3).normal({out}, dtype), true);
  Rng rng(4);
  const Variable h = f(x, w, b, rng);
  backward(h + 3 * f(x, w, b, rng), Rng(5).normal(with_width(out), dtype));
  return {h.value(), x.grad(), w.grad(), b.grad(), rng.uniform({1})};
}

TEST(LinearRelu, IsDropoutOfReluOfLinearBitForBit) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Shape& rows : {Shape{}, Shape{3}, Shape{4, 13}}) {
      for (const Mode mode :
           {Mode{0, true}, Mode{0.1, true}, Mode{0.5, true}, Mode{1, true}, Mode{0.5, false}}) {
        const std::vector<Tensor> fused =
            step(dtype, rows, [&](const auto& x, const auto& w, const auto& b, Rng& rng) {
              return linear_relu(x, w, b, mode.p, rng, mode.training);
            });
        const std::vector<Tensor> composed =
            step(dtype, rows, [&](const auto& x, const auto& w, const auto& b, Rng& rng) {
              return dropout(relu(linear(x, w, b)), mode.p, rng, mode.training);
            });
        for (std::size_t i = 0; i < fused.size(); ++i) {
          EXPECT_TRUE(same_bits(fused[i], composed[i]))
              << fmt::format("{}, {}, p = {}, {}: {}", dtype, rows, mode.p, mode.training, i);
        }
      }
    }
  }
}

// What is not a number must not look like a unit that is merely off.
TEST(LinearRelu, NaNStays) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Variable x(Tensor::from({nan, inf, -inf, 1}, {4, 1}), true), w(Tensor::ones({1, 1}));
  const Variable h = linear_relu(x, w);
  const Values values = values_of(h.value());
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(Values(values.begin() + 1, values.end()), (Values{inf, 0, 1}));
  backward(h, Tensor::ones({4, 1}));
  EXPECT_EQ(values_of(x.grad()), (Values{0, 1, 0, 1})) << "as relu";
}

TEST(LinearRelu, SameBitsForAnyNumberOfThreads) {
  for (std::size_t part = 0; part < 5; ++part) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      return step(DType::f32, {5, 41}, [](const auto& x, const auto& w, const auto& b, Rng& rng) {
        return linear_relu(x, w, b, 0.1, rng);
      })[part];
    })) << part;
  }
}

// x Wᵀ + b, its relu and the mask are not kept: one tensor of the inner width instead of two.
TEST(LinearRelu, KeepsItsOperandsAndResultAlone) {
  const Variable x(Tensor::ones({10, 20}), true), w(Tensor::ones({100, 20}), true);
  Rng rng(1);
  const std::int64_t before = memory_stats().live_bytes;
  const Variable h = linear_relu(x, w, {}, 0.5, rng);
  EXPECT_EQ(memory_stats().live_bytes - before, 10 * 100 * 4);
}

TEST(LinearRelu, RefusesWithTheNumbers) {
  Rng rng(1);
  const Variable x(Tensor::ones({2, 3})), w(Tensor::ones({5, 3}));
  EXPECT_THROW_TEXT(linear_relu(Variable(Tensor::ones({2, 4})), w, {}, 0.5, rng), ShapeError,
                    "linear_relu: x is [2, 4], weight is [5, 3]; x.shape[-1] must equal "
                    "weight.shape[1] = 3");
  EXPECT_THROW_TEXT(linear_relu(x, w, Variable(Tensor::ones({2}))), ShapeError,
                    "linear_relu: bias is [2], weight is [5, 3]; bias must be [5]");
  EXPECT_THROW_TEXT(linear_relu(x, Variable(Tensor::ones({5, 3}, DType::f64))), DTypeError,
                    "linear_relu: x is f32, weight is f64; both must be f32 or both f64");
  for (const bool training : {true, false}) {
    EXPECT_THROW_TEXT(linear_relu(x, w, {}, 1.5, rng, training), ValueError,
                      "linear_relu: p is 1.5; it must be in 0..1");
  }
  EXPECT_EQ(rng.state().counter, 0U) << "a refused draw takes nothing";
}

}  // namespace
}  // namespace lectern
