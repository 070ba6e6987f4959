#include "autograd/grad_check.h"

#include <gtest/gtest.h>

#include <limits>

#include "autograd/ops/arithmetic.h"
#include "tensor/broadcast.h"
#include "tensor/elementwise.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"

namespace lectern {
namespace {

Tensor values(std::initializer_list<double> list, const Shape& shape) {
  return Tensor::from(list, shape, DType::f64);
}

Tensor transposed(const Tensor& x) {  // rank 2
  return x.with_layout({x.shape()[1], x.shape()[0]}, Strides{x.strides()[1], x.strides()[0]},
                       x.offset());
}

/// Checks y = x · x with derivative(g, x) in the place of 2 g x.
template <class F>
GradCheck check_square(const F& derivative, const Tensor& at) {
  const auto square = [&](std::span<const Variable> x) {
    return record("square", x[0].value() * x[0].value(),
                  wrt(x[0], [v = saved(x[0]), derivative](const Tensor& g) -> Tensor {
                    return derivative(g, *v);
                  }));
  };
  return check_gradients(square, std::span(&at, 1));
}

/// The part of a report that names the fault.
std::string fault(const GradCheck& check) {
  const std::string_view mark = "likeliest fault: ";
  const std::size_t at = check.report.find(mark);
  return at == std::string::npos ? check.report : check.report.substr(at + mark.size());
}

const auto kMatrix = [] { return values({0.5, -1.25, 2, 0.75, 3, -0.5}, {2, 3}); };

TEST(GradCheck, PassesRightDerivatives) {
  EXPECT_TRUE(check_square([](const Tensor& g, const Tensor& x) { return 2 * g * x; }, kMatrix()));
  EXPECT_TRUE(gradients_match([](auto x) { return x[0] * x[1] / (x[1] + 3); },
                              {kMatrix(), values({2, 5, 7}, {3})}));
}

TEST(GradCheck, NamesElementNumbersAndFactor) {
  const GradCheck check =
      check_square([](const Tensor& g, const Tensor& x) { return 4 * g * x; }, kMatrix());
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(check.report.starts_with("input 0 element [0, 0] of shape [2, 3]: backward gives "))
      << check.report;
  EXPECT_NE(check.report.find("; 12 of 12 comparisons differ; "), std::string::npos)
      << check.report;
  EXPECT_EQ(fault(check), "a factor: all gradients are 2 times the right ones");
}

TEST(GradCheck, NamesTheSign) {
  EXPECT_EQ(
      fault(check_square([](const Tensor& g, const Tensor& x) { return -2 * g * x; }, kMatrix())),
      "the sign: all gradients are negated");
}

TEST(GradCheck, NamesAGradientThatDoesNotArrive) {
  EXPECT_EQ(fault(check_square([](const Tensor& g, const Tensor&) { return g * 0; }, kMatrix())),
            "no gradient arrives: all are 0");
}

TEST(GradCheck, NamesTransposedAxesInSquareAndOblongMatrices) {
  const auto wrong = [](const Tensor& g, const Tensor& x) {
    const Tensor right = 2 * g * x;
    return transposed(right).contiguous().with_layout(x.shape(), row_major(x.shape()), 0);
  };
  const std::string text = "transposed: axes 0 and 1 of the gradient are exchanged";
  EXPECT_EQ(fault(check_square(wrong, kMatrix())), text);
  EXPECT_EQ(fault(check_square(wrong, values({0.5, -1.25, 2, 0.75}, {2, 2}))), text);
}

/// y = a + b with b of shape [3] and a of shape [2, 3]; the derivative for b is the caller's.
template <class F>
GradCheck check_bias(const F& derivative) {
  const std::vector<Tensor> at{kMatrix(), values({1, 2, 3}, {3})};
  return check_gradients(
      [&](std::span<const Variable> x) {
        return record("add", x[0].value() + x[1].value(),
                      wrt(x[0], [](const Tensor& g) { return g; }), wrt(x[1], derivative));
      },
      at);
}

TEST(GradCheck, NamesASumThatIsMissing) {
  EXPECT_TRUE(check_bias([](const Tensor& g) { return sum_to(g, {3}); }));
  EXPECT_EQ(fault(check_bias([](const Tensor& g) {
              return g.with_layout({3}, Strides{g.strides()[1]}, g.offset());
            })),
            "a sum over an axis is missing: only place 0 of axis 0 of the result is counted");
  EXPECT_EQ(check_bias([](const Tensor& g) { return g; }).report,
            "backward of add: gradient is f64 [2, 3], but the input it belongs to is f64 [3]; a "
            "sum over axis 0 is missing");
}

TEST(GradCheck, FindsOneWrongElementAndNaN) {
  const auto one_off = [](const Tensor& g, const Tensor& x) {
    Tensor dx = 2 * g * x;
    dx.mutable_data<double>()[4] += 1e-4;
    return dx;
  };
  const GradCheck check = check_square(one_off, kMatrix());
  EXPECT_TRUE(check.report.starts_with("input 0 element [1, 1] of shape [2, 3]: ")) << check.report;
  EXPECT_EQ(fault(check), "none of the usual ones (zero, sign, factor, transposed, missing sum)");

  const auto nan = [](const Tensor& g, const Tensor& x) {
    Tensor dx = 2 * g * x;
    dx.mutable_data<double>()[5] = std::numeric_limits<double>::quiet_NaN();
    return dx;
  };
  EXPECT_TRUE(
      check_square(nan, kMatrix())
          .report.starts_with("input 0 element [1, 2] of shape [2, 3]: backward gives nan"));
}

TEST(GradCheck, FindsAZeroGradientThatOnesWouldNotSee) {
  // y = x / sum(x) has the constant sum 1, so a cotangent of ones gives 0 whatever x is.
  const Tensor at = values({1, 2, 5}, {3});
  const auto zero_backward = [](std::span<const Variable> x) {
    return record("normalize", x[0].value() / sum_to(x[0].value(), {}),
                  wrt(x[0], [](const Tensor& g) { return g * 0; }));
  };
  EXPECT_FALSE(check_gradients(zero_backward, std::span(&at, 1)));
}

TEST(GradCheck, KeepsTheStridesOfItsInputs) {
  const Tensor at = transposed(kMatrix());
  Strides seen;
  const auto square = [&](std::span<const Variable> x) {
    seen = x[0].value().strides();
    return x[0] * x[0];
  };
  EXPECT_TRUE(check_gradients(square, std::span(&at, 1)));
  EXPECT_EQ(seen, at.strides());
}

TEST(GradCheck, NamesTheSecondInput) {
  const std::vector<Tensor> at{values({2}, {1}), values({3, 4}, {2})};
  const GradCheck check = check_gradients(
      [](std::span<const Variable> x) {
        return record("mul", x[0].value() * x[1].value(),
                      wrt(x[0], [b = saved(x[1])](const Tensor& g) { return sum_to(g * *b, {1}); }),
                      wrt(x[1], [b = saved(x[1])](const Tensor& g) { return g * *b; }));
      },
      at);
  EXPECT_TRUE(check.report.starts_with("input 1 element [0] of shape [2]: ")) << check.report;
}

TEST(GradCheck, TakesEmptyInputsAndScalars) {
  EXPECT_TRUE(
      gradients_match([](auto x) { return x[0] * x[1]; }, {values({}, {0, 3}), values({2}, {})}));
}

TEST(GradCheck, RefusesAnythingButF64) {
  const Tensor at = Tensor::ones({2});
  EXPECT_THROW_TEXT(
      check_gradients([](std::span<const Variable> x) { return x[0]; }, std::span(&at, 1)),
      DTypeError, "check_gradients: input 0 is f32; it must be f64");
  const Tensor f64 = Tensor::ones({2}, DType::f64);
  const auto forgetful = [&](std::span<const Variable>) { return Variable(at); };
  EXPECT_THROW_TEXT(check_gradients(forgetful, std::span(&f64, 1)), DTypeError,
                    "check_gradients: the result is f32; it must be f64");
}

}  // namespace
}  // namespace lectern
