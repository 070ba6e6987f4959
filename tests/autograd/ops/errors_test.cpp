// What every op says about a wrong dtype and a wrong axis: the same words under its own name.

#include <gtest/gtest.h>

#include <functional>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/losses.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/normalization.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/sort.h"
#include "autograd/ops/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

struct OfOne {
  std::string op;
  std::function<Variable(const Variable&)> f;
};

struct OfTwo {
  std::string op;
  std::function<Variable(const Variable&, const Variable&)> f;
};

struct AlongAxis {
  std::string op;
  std::function<Variable(const Variable&, int)> f;
};

TEST(Errors, OpsOfRealNumbersRefuseOtherDTypes) {
  Rng rng(1);
  const Variable gain(Tensor::ones({3}));
  const std::vector<OfOne> ops{
      {"exp", [](const Variable& x) { return exp(x); }},
      {"log", [](const Variable& x) { return log(x); }},
      {"log1p", [](const Variable& x) { return log1p(x); }},
      {"sqrt", [](const Variable& x) { return sqrt(x); }},
      {"rsqrt", [](const Variable& x) { return rsqrt(x); }},
      {"sin", [](const Variable& x) { return sin(x); }},
      {"cos", [](const Variable& x) { return cos(x); }},
      {"tanh", [](const Variable& x) { return tanh(x); }},
      {"sigmoid", [](const Variable& x) { return sigmoid(x); }},
      {"erf", [](const Variable& x) { return erf(x); }},
      {"relu", [](const Variable& x) { return relu(x); }},
      {"gelu", [](const Variable& x) { return gelu(x); }},
      {"silu", [](const Variable& x) { return silu(x); }},
      {"sum", [](const Variable& x) { return sum(x); }},
      {"mean", [](const Variable& x) { return mean(x); }},
      {"var", [](const Variable& x) { return var(x); }},
      {"std", [](const Variable& x) { return lectern::std(x); }},
      {"norm", [](const Variable& x) { return norm(x); }},
      {"prod", [](const Variable& x) { return prod(x); }},
      {"max", [](const Variable& x) { return max(x); }},
      {"min", [](const Variable& x) { return min(x); }},
      {"logsumexp", [](const Variable& x) { return logsumexp(x); }},
      {"cumsum", [](const Variable& x) { return cumsum(x, 0); }},
      {"softmax", [](const Variable& x) { return softmax(x, 0); }},
      {"log_softmax", [](const Variable& x) { return log_softmax(x, 0); }},
      {"sort", [](const Variable& x) { return sort(x).values; }},
      {"topk", [](const Variable& x) { return topk(x, 1).values; }},
      {"dropout", [&](const Variable& x) { return dropout(x, 0.5, rng); }},
      {"layer_norm", [](const Variable& x) { return layer_norm(x); }},
      {"rms_norm", [](const Variable& x) { return rms_norm(x); }},
      {"dropout", [&](const Variable& x) { return dropout(x, 0.5, rng, /*training=*/false); }},
      {"layer_norm", [&](const Variable& x) { return layer_norm(x, gain, gain); }},
      {"rms_norm", [&](const Variable& x) { return rms_norm(x, gain); }},
      {"mse_loss", [](const Variable& x) { return mse_loss(x, x, Reduction::none); }},
  };
  for (const OfOne& op : ops) {
    for (const DType dtype : {DType::i64, DType::boolean}) {
      const std::string text = fmt::format("{}: x is {}; it must be f32 or f64", op.op, dtype);
      EXPECT_THROW_TEXT(op.f(Variable(Tensor::ones({2, 3}, dtype))), DTypeError, text);
      EXPECT_THROW_TEXT(op.f(Variable(Tensor::ones({0, 3}, dtype))), DTypeError, text);
    }
    EXPECT_NO_THROW(op.f(Variable(Tensor::ones({2, 3})))) << op.op;
  }
}

TEST(Errors, OpsOfTwoRefuseToMixDTypes) {
  const Tensor condition = Tensor::ones({2, 3}, DType::boolean);
  Rng rng(1);
  const std::vector<OfTwo> ops{
      {"add", [](const Variable& a, const Variable& b) { return a + b; }},
      {"sub", [](const Variable& a, const Variable& b) { return a - b; }},
      {"mul", [](const Variable& a, const Variable& b) { return a * b; }},
      {"div", [](const Variable& a, const Variable& b) { return a / b; }},
      {"pow", [](const Variable& a, const Variable& b) { return pow(a, b); }},
      {"minimum", [](const Variable& a, const Variable& b) { return minimum(a, b); }},
      {"maximum", [](const Variable& a, const Variable& b) { return maximum(a, b); }},
      {"where", [&](const Variable& a, const Variable& b) { return where(condition, a, b); }},
      {"matmul",
       [](const Variable& a, const Variable& b) { return matmul(a, transpose(b, 0, 1)); }},
      {"add_dropout",
       [&](const Variable& a, const Variable& b) { return add_dropout(a, b, 0.5, rng); }},
  };
  const Variable a(Tensor::ones({2, 3})), b(Tensor::ones({2, 3}, DType::f64));
  for (const OfTwo& op : ops) {
    EXPECT_THROW_TEXT(op.f(a, b), DTypeError,
                      op.op +
                          ": dtypes differ: a is f32, b is f64; convert one with "
                          ".to(DType::f32)");
    EXPECT_THROW_TEXT(op.f(b, a), DTypeError,
                      op.op +
                          ": dtypes differ: a is f64, b is f32; convert one with "
                          ".to(DType::f64)");
    EXPECT_NO_THROW(op.f(a, a)) << op.op;
  }
}

TEST(Errors, OpsAlongAnAxisNameOneThatIsOutOfRange) {
  const Tensor one = Tensor::zeros({1}, DType::i64), square = Tensor::zeros({2, 3}, DType::i64);
  const std::vector<AlongAxis> ops{
      {"sum", [](const Variable& x, int axis) { return sum(x, axis); }},
      {"mean", [](const Variable& x, int axis) { return mean(x, axis); }},
      {"var", [](const Variable& x, int axis) { return var(x, axis); }},
      {"std", [](const Variable& x, int axis) { return lectern::std(x, axis); }},
      {"norm", [](const Variable& x, int axis) { return norm(x, axis); }},
      {"prod", [](const Variable& x, int axis) { return prod(x, axis); }},
      {"max", [](const Variable& x, int axis) { return max(x, axis); }},
      {"min", [](const Variable& x, int axis) { return min(x, axis); }},
      {"logsumexp", [](const Variable& x, int axis) { return logsumexp(x, axis); }},
      {"cumsum", [](const Variable& x, int axis) { return cumsum(x, axis); }},
      {"softmax", [](const Variable& x, int axis) { return softmax(x, axis); }},
      {"log_softmax", [](const Variable& x, int axis) { return log_softmax(x, axis); }},
      {"sort", [](const Variable& x, int axis) { return sort(x, axis).values; }},
      {"topk", [](const Variable& x, int axis) { return topk(x, 1, axis).values; }},
      {"index_select", [&](const Variable& x, int axis) { return index_select(x, axis, one); }},
      {"gather", [&](const Variable& x, int axis) { return gather(x, axis, square); }},
      {"scatter_add", [&](const Variable& x, int axis) { return scatter_add(x, axis, square, x); }},
      {"slice", [](const Variable& x, int axis) { return slice(x, axis, 0); }},
      {"select", [](const Variable& x, int axis) { return select(x, axis, 0); }},
      {"flip", [](const Variable& x, int axis) { return flip(x, axis); }},
      {"pad", [](const Variable& x, int axis) { return pad(x, axis, 1, 1); }},
      {"split", [](const Variable& x, int axis) { return split(x, 1, axis).front(); }},
      {"transpose", [](const Variable& x, int axis) { return transpose(x, 0, axis); }},
      {"flatten", [](const Variable& x, int axis) { return flatten(x, 0, axis); }},
      {"concat",
       [](const Variable& x, int axis) {
         return concat({x, x}, axis);
       }},
  };
  const Variable x(counting({2, 3}));
  for (const AlongAxis& op : ops) {
    for (const int axis : {4, -4}) {
      EXPECT_THROW_TEXT(op.f(x, axis), ShapeError,
                        fmt::format("{}: axis {} is out of range for x of shape [2, 3] (rank 2); "
                                    "valid axes are -2..1",
                                    op.op, axis));
    }
    EXPECT_NO_THROW(op.f(x, 0)) << op.op;
  }
}

}  // namespace
}  // namespace lectern
