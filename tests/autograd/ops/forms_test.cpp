#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/einsum.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/losses.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/normalization.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/sort.h"
#include "autograd/ops/views.h"
#include "tensor/compare.h"
#include "tests/support/gradients_match.h"

namespace lectern {
namespace {

using Inputs = std::span<const Variable>;

/// An op with the shapes it is tried on: each set is one call, and has size-1 and empty axes among
/// them, and shapes that broadcast where the op takes them.
struct Op {
  const char* name;
  std::vector<std::vector<Shape>> shapes;
  DifferentiableFunction f;
};

const std::vector<std::vector<Shape>> kOne{{{2, 3}}, {{1, 3}}, {{2, 1}}, {{0, 3}}, {{2, 0}}};
const std::vector<std::vector<Shape>> kOneOfAnyRank{{{2, 3}}, {{2, 1, 2}}, {{3}},      {{1}},
                                                    {{}},     {{0}},       {{2, 0, 3}}};
const std::vector<std::vector<Shape>> kTwo{
    {{2, 3}, {2, 3}}, {{2, 1}, {3}}, {{3}, {2, 1, 3}}, {{}, {2, 2}},     {{2, 2}, {}},
    {{1}, {1, 1}},    {{1}, {0}},    {{0, 1}, {1, 3}}, {{2, 0}, {2, 1}}, {{0, 3}, {0, 3}}};

std::vector<Op> functions_of_elements() {
  return {
      {"neg", kOneOfAnyRank, [](Inputs x) { return -x[0]; }},
      {"add a number", kOneOfAnyRank, [](Inputs x) { return 2 + (x[0] + 3); }},
      {"subtract a number", kOneOfAnyRank, [](Inputs x) { return 2 - (x[0] - 3); }},
      {"multiply by a number", kOneOfAnyRank, [](Inputs x) { return 2 * (x[0] * 3); }},
      {"divide by a number", kOneOfAnyRank, [](Inputs x) { return 2 / (x[0] / 3); }},
      {"pow of a number", kOneOfAnyRank, [](Inputs x) { return pow(x[0], 3); }},
      {"abs", kOneOfAnyRank, [](Inputs x) { return abs(x[0]); }},
      {"exp", kOneOfAnyRank, [](Inputs x) { return exp(x[0]); }},
      {"log", kOneOfAnyRank, [](Inputs x) { return log(abs(x[0])); }},
      {"log1p", kOneOfAnyRank, [](Inputs x) { return log1p(abs(x[0])); }},
      {"sqrt", kOneOfAnyRank, [](Inputs x) { return sqrt(abs(x[0])); }},
      {"rsqrt", kOneOfAnyRank, [](Inputs x) { return rsqrt(abs(x[0])); }},
      {"sin", kOneOfAnyRank, [](Inputs x) { return sin(x[0]); }},
      {"cos", kOneOfAnyRank, [](Inputs x) { return cos(x[0]); }},
      {"tanh", kOneOfAnyRank, [](Inputs x) { return tanh(x[0]); }},
      {"sigmoid", kOneOfAnyRank, [](Inputs x) { return sigmoid(x[0]); }},
      {"erf", kOneOfAnyRank, [](Inputs x) { return erf(x[0]); }},
      {"relu", kOneOfAnyRank, [](Inputs x) { return relu(x[0]); }},
      {"gelu", kOneOfAnyRank, [](Inputs x) { return gelu(x[0]); }},
      {"gelu, tanh", kOneOfAnyRank, [](Inputs x) { return gelu(x[0], Gelu::tanh_formula); }},
      {"silu", kOneOfAnyRank, [](Inputs x) { return silu(x[0]); }},
      {"clamp", kOneOfAnyRank, [](Inputs x) { return clamp(x[0], -0.95, 1.05); }},
      {"minimum of a number", kOneOfAnyRank, [](Inputs x) { return minimum(x[0], 0.1); }},
      {"maximum of a number", kOneOfAnyRank, [](Inputs x) { return maximum(x[0], 0.1); }},
      {"dropout", kOneOfAnyRank,
       [](Inputs x) {
         Rng rng(5);  // the same mask each time
         return dropout(x[0], 0.4, rng);
       }},
      {"masked_fill", kOneOfAnyRank,
       [](Inputs x) { return masked_fill(x[0], greater(x[0].value(), 0.1), 7); }},
      {"tril", kOne, [](Inputs x) { return tril(x[0]); }},
      {"triu", kOne, [](Inputs x) { return triu(x[0], 1); }},
      {"cumsum", kOne, [](Inputs x) { return cumsum(x[0], 0) + cumsum(x[0], -1); }},
  };
}

std::vector<Op> functions_of_two() {
  const std::vector<std::vector<Shape>> alike{{{2, 3}, {2, 3}}, {{}, {}}, {{1, 2}, {1, 2}}};
  return {
      {"add", kTwo, [](Inputs x) { return x[0] + x[1]; }},
      {"subtract", kTwo, [](Inputs x) { return x[0] - x[1]; }},
      {"multiply", kTwo, [](Inputs x) { return x[0] * x[1]; }},
      {"divide", kTwo, [](Inputs x) { return x[0] / x[1]; }},
      {"pow", kTwo, [](Inputs x) { return pow(abs(x[0]), x[1]); }},
      {"minimum", kTwo, [](Inputs x) { return minimum(x[0], x[1]); }},
      {"maximum", kTwo, [](Inputs x) { return maximum(x[0], x[1]); }},
      {"where", kTwo,
       [](Inputs x) { return where(greater(x[0].value(), x[1].value()), x[0], x[1]); }},
      {"where of a number", kOneOfAnyRank,
       [](Inputs x) {
         const Tensor positive = greater(x[0].value(), 0.1);
         return where(positive, x[0], 2) + where(positive, 2, x[0]);
       }},
      {"add_dropout",
       {{{2, 3}, {2, 3}}, {{}, {}}, {{1, 2}, {1, 2}}, {{2, 1}, {2, 1}}, {{0, 3}, {0, 3}}},
       [](Inputs x) {
         Rng rng(5);  // the same mask each time
         return add_dropout(x[0], x[1], 0.4, rng);
       }},
      {"mse_loss", alike, [](Inputs x) { return mse_loss(x[0], x[1]); }},
      {"mse_loss of each",
       {{{2, 3}, {2, 3}}, {{0, 3}, {0, 3}}},
       [](Inputs x) { return mse_loss(x[0], x[1], Reduction::none); }},
      {"mse_loss added up",
       {{{0, 3}, {0, 3}}, {{2, 1}, {2, 1}}},
       [](Inputs x) { return mse_loss(x[0], x[1], Reduction::sum); }},
  };
}

std::vector<Op> reductions() {
  const std::vector<std::vector<Shape>> rows{{{2, 3}}, {{2, 1, 3}}, {{1, 3}}, {{0, 3}}, {{1}}};
  const std::vector<std::vector<Shape>> two_or_more{{{2, 3}}, {{2, 1, 3}}, {{0, 3}}};
  const std::vector<std::vector<Shape>> none_to_add{{{2, 0}}, {{0}}};
  return {
      {"sum", kOneOfAnyRank, [](Inputs x) { return sum(x[0]); }},
      {"sum of rows", kOne, [](Inputs x) { return sum(x[0], 0) * sum(x[0], -1, true); }},
      {"mean", rows, [](Inputs x) { return mean(x[0], -1); }},
      {"var", two_or_more, [](Inputs x) { return var(x[0], -1, true); }},
      {"std", two_or_more, [](Inputs x) { return lectern::std(x[0], -1); }},
      {"norm", rows, [](Inputs x) { return norm(x[0], -1); }},
      {"norm of nothing", none_to_add, [](Inputs x) { return norm(x[0], -1); }},
      {"prod", rows, [](Inputs x) { return prod(x[0], -1); }},
      {"prod of nothing", none_to_add, [](Inputs x) { return prod(x[0], -1); }},
      {"max", rows, [](Inputs x) { return max(x[0], -1, true); }},
      {"min", rows, [](Inputs x) { return min(x[0], -1); }},
      {"logsumexp", rows, [](Inputs x) { return logsumexp(x[0], -1); }},
      {"softmax", kOne, [](Inputs x) { return softmax(x[0], 0) + softmax(x[0], -1); }},
      {"log_softmax", kOne, [](Inputs x) { return log_softmax(x[0], 0) * log_softmax(x[0], -1); }},
      {"masked_softmax",
       {{{2, 3}}, {{2, 1, 3}}, {{2, 1, 3, 2}}, {{0, 2, 2}}, {{2, 0}}, {{0, 3}}},
       [](Inputs x) { return masked_softmax(x[0], causal_mask()); }},
      {"sort", kOne, [](Inputs x) { return sort(x[0], 0).values * sort(x[0], -1, true).values; }},
      {"topk", kOne,
       [](Inputs x) { return topk(x[0], std::min<std::int64_t>(1, x[0].shape()[0]), 0).values; }},
      {"cross_entropy",
       {{{2, 5}}, {{1, 1}}, {{0, 3}}, {{2, 1, 3}}},
       [](Inputs x) {
         const Shape items(x[0].shape().span().first(static_cast<std::size_t>(x[0].rank() - 1)));
         return cross_entropy(x[0], Tensor::zeros(items, DType::i64), {.label_smoothing = 0.2});
       }},
  };
}

std::vector<Op> views() {
  return {
      {"reshape", kOneOfAnyRank,
       [](Inputs x) {
         return reshape(x[0], {x[0].value().numel(), 1});
       }},
      {"flatten", kOneOfAnyRank, [](Inputs x) { return flatten(x[0]); }},
      {"permute", kOne,
       [](Inputs x) {
         return permute(x[0], {1, 0});
       }},
      {"transpose", kOne, [](Inputs x) { return transpose(x[0], 0, 1); }},
      {"squeeze", kOneOfAnyRank, [](Inputs x) { return squeeze(x[0]); }},
      {"unsqueeze", kOneOfAnyRank, [](Inputs x) { return squeeze(unsqueeze(x[0], 0), 0); }},
      {"expand",
       {{{2, 3}}, {{1, 3}}, {{3}}, {{}}, {{2, 1}}},
       [](Inputs x) {
         return expand(x[0], {4, 2, 3});
       }},
      {"expand to nothing",
       {{{1, 3}}, {{}}},
       [](Inputs x) {
         return expand(x[0], {0, 3});
       }},
      {"contiguous", kOneOfAnyRank, [](Inputs x) { return contiguous(x[0]); }},
      {"slice", kOne, [](Inputs x) { return slice(slice(x[0], 0, 1), 1, 0, kEnd, 2); }},
      {"select", {{{2, 3}}, {{1, 3}}, {{2, 0}}}, [](Inputs x) { return select(x[0], 0, -1); }},
      {"diagonal", kOne, [](Inputs x) { return diagonal(x[0]); }},
      {"concat",
       {{{2, 3}, {2, 1}}, {{2, 0}, {2, 3}}, {{0, 3}, {0, 2}}},
       [](Inputs x) {
         return concat({x[0], x[1]}, -1);
       }},
      {"stack",
       {{{2, 3}, {2, 3}}, {{}, {}}, {{0, 1}, {0, 1}}},
       [](Inputs x) {
         return stack({x[0], x[1]}, 0);
       }},
      {"split",
       {{{2, 3}}, {{2, 1}}, {{2, 0}}, {{0, 3}}, {{1, 3}}},
       [](Inputs x) { return split(x[0], x[0].shape()[0] == 2 ? 2 : 1, 0).back(); }},
      {"flip", kOne, [](Inputs x) { return flip(x[0], 0) * flip(x[0], -1); }},
      {"pad", kOne, [](Inputs x) { return pad(pad(x[0], 0, 1, 0), 1, 0, 2, 7); }},
  };
}

std::vector<Op> products_and_lookups() {
  const auto ids = [](std::initializer_list<double> values) {
    return Tensor::from(values, {static_cast<std::int64_t>(values.size())}, DType::i64);
  };
  const std::vector<std::vector<Shape>> attention{
      {{2, 1, 3, 4}, {2, 1, 2, 4}, {2, 1, 2, 3}}, {{1, 2, 1, 1}, {1, 2, 1, 1}, {1, 2, 1, 1}},
      {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}, {{1, 1, 0, 2}, {1, 1, 3, 2}, {1, 1, 3, 2}},
      {{1, 1, 2, 3}, {1, 1, 0, 3}, {1, 1, 0, 2}}, {{1, 2, 2, 3}, {1, 2, 3, 3}, {1, 2, 3, 0}}};
  const std::vector<std::vector<Shape>> norms{{{2, 3}, {3}, {3}}, {{2, 1, 3}, {3}, {3}},
                                              {{3}, {3}, {3}},    {{2, 1}, {1}, {1}},
                                              {{0, 3}, {3}, {3}}, {{2, 0}, {0}, {0}}};
  return {
      {"matmul",
       {{{2, 3}, {3, 2}},
        {{3}, {3}},
        {{2, 3}, {3}},
        {{3}, {2, 3, 2}},
        {{2, 1, 2, 3}, {2, 3, 2}},
        {{1, 2, 3}, {3, 1, 3, 2}},
        {{2, 2, 3}, {3, 2}},
        {{1, 1}, {1, 1}},
        {{2, 0}, {0, 3}},
        {{0, 3}, {3, 2}},
        {{0, 2, 3}, {3, 2}},
        {{0}, {0}}},
       [](Inputs x) { return matmul(x[0], x[1]); }},
      {"linear",
       {{{2, 3}, {4, 3}, {4}},
        {{3}, {4, 3}, {4}},
        {{2, 2, 3}, {1, 3}, {1}},
        {{0, 3}, {4, 3}, {4}},
        {{2, 0}, {4, 0}, {4}}},
       [](Inputs x) { return linear(x[0], x[1], x[2]); }},
      {"linear without bias",
       {{{2, 3}, {4, 3}}, {{0, 3}, {1, 3}}},
       [](Inputs x) { return linear(x[0], x[1]); }},
      {"linear_relu",
       {{{2, 3}, {4, 3}, {4}},
        {{3}, {4, 3}, {4}},
        {{2, 2, 3}, {1, 3}, {1}},
        {{0, 3}, {4, 3}, {4}},
        {{2, 0}, {4, 0}, {4}}},
       [](Inputs x) { return linear_relu(x[0], x[1], x[2]); }},
      {"linear_relu with dropout",
       {{{2, 3}, {4, 3}}, {{0, 3}, {1, 3}}},
       [](Inputs x) {
         Rng rng(5);  // the same mask each time
         return linear_relu(x[0], x[1], {}, 0.4, rng);
       }},
      {"einsum",
       {{{2, 3}, {3, 2}}, {{1, 3}, {3, 2}}, {{2, 0}, {0, 2}}, {{2, 1}, {3, 2}}},
       [](Inputs x) {
         return einsum("ij,jk->ik", {x[0], x[1]});
       }},
      {"layer_norm", norms, [](Inputs x) { return layer_norm(x[0], x[1], x[2], 0.1); }},
      {"layer_norm alone", kOne, [](Inputs x) { return layer_norm(x[0], 0.1); }},
      {"rms_norm", norms, [](Inputs x) { return rms_norm(x[0], x[1]) + x[2]; }},
      {"rms_norm alone", kOne, [](Inputs x) { return rms_norm(x[0]); }},
      {"scaled_dot_product_attention", attention,
       [](Inputs x) { return scaled_dot_product_attention(x[0], x[1], x[2]); }},
      {"attention_with_weights", attention,
       [](Inputs x) { return attention_with_weights(x[0], x[1], x[2]).output; }},
      {"embedding",
       {{{4, 3}}, {{4, 1}}, {{4, 0}}},
       [=](Inputs x) {
         return embedding(x[0], ids({3, 0, 3}));
       }},
      {"embedding of nothing",
       {{{4, 3}}, {{0, 3}}},
       [=](Inputs x) { return embedding(x[0], ids({})); }},
      {"index_select",
       {{{2, 3}}, {{2, 1}}, {{2, 0}}},
       [=](Inputs x) {
         return index_select(x[0], 0, ids({1, 1, 0}));
       }},
      {"gather",
       {{{2, 3}}, {{1, 3}}, {{0, 3}}},
       [](Inputs x) {
         return gather(x[0], 1, Tensor::full({x[0].shape()[0], 4}, 2, DType::i64));
       }},
      {"scatter_add",
       {{{2, 3}, {2, 4}}, {{1, 3}, {1, 1}}, {{0, 3}, {0, 2}}, {{2, 3}, {2, 0}}},
       [](Inputs x) {
         return scatter_add(x[0], 1, Tensor::full(x[1].shape(), 2, DType::i64), x[1]);
       }},
  };
}

/// Numbers of both signs, no two alike, none near 0 or a bound that an op has.
Tensor samples(const Shape& shape, int seed) {
  Tensor x = Tensor::empty(shape, DType::f64);
  int i = 7 * seed;
  for (double& v : x.mutable_data<double>()) {
    v = (0.2 + 0.6 * std::abs(std::sin(3.7 * i + seed))) * (i % 3 == 1 ? -1 : 1);
    v += v > 0 ? 1e-3 * i : -1e-3 * i;
    ++i;
  }
  return x;
}

/// The same numbers with the first and last axis exchanged in memory.
Tensor turned(const Tensor& x) {
  if (x.rank() == 0) return x;
  return transpose(transpose(x, 0, -1).contiguous(), 0, -1);
}

/// The same numbers as every second element of a larger tensor, not from its first on.
Tensor stepped(const Tensor& x) {
  if (x.rank() == 0) return x;
  Shape twice = x.shape();
  twice[-1] *= 2;
  Tensor view = slice(Tensor::zeros(twice, DType::f64), -1, 1, kEnd, 2);
  view.copy_from(x);
  return view;
}

std::string text_of(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += ' ' + to_string(shape);
  return text;
}

void expect_gradients_in_every_form(const Op& op) {
  for (const std::vector<Shape>& shapes : op.shapes) {
    SCOPED_TRACE(op.name + text_of(shapes));
    std::vector<Tensor> dense;
    for (const Shape& shape : shapes) {
      dense.push_back(samples(shape, static_cast<int>(dense.size()) + 1));
    }
    EXPECT_TRUE(gradients_match(op.f, dense));
    // Inputs that are used twice: neither gradient may replace the other.
    EXPECT_TRUE(gradients_match([&](Inputs x) { return op.f(x) + 3 * op.f(x); }, dense));
    for (Tensor (*layout)(const Tensor&) : {turned, stepped}) {  // of one input, then of all
      std::vector<Tensor> all;
      for (std::size_t i = 0; i < dense.size(); ++i) {
        std::vector<Tensor> one = dense;
        one[i] = layout(dense[i]);
        all.push_back(one[i]);
        EXPECT_TRUE(gradients_match(op.f, one)) << "input " << i;
      }
      EXPECT_TRUE(gradients_match(op.f, all));
    }
    std::vector<Variable> leaves;
    for (const Tensor& x : dense) leaves.emplace_back(x, /*requires_grad=*/true);
    const Variable y = op.f(leaves);
    backward(y, Tensor::ones(y.shape(), DType::f64));
    for (const Variable& x : leaves) EXPECT_EQ(x.grad().shape(), x.shape());
  }
}

TEST(Forms, FunctionsOfElements) {
  for (const Op& op : functions_of_elements()) expect_gradients_in_every_form(op);
}
TEST(Forms, FunctionsOfTwo) {
  for (const Op& op : functions_of_two()) expect_gradients_in_every_form(op);
}
TEST(Forms, Reductions) {
  for (const Op& op : reductions()) expect_gradients_in_every_form(op);
}
TEST(Forms, Views) {
  for (const Op& op : views()) expect_gradients_in_every_form(op);
}
TEST(Forms, ProductsAndLookups) {
  for (const Op& op : products_and_lookups()) expect_gradients_in_every_form(op);
}

}  // namespace
}  // namespace lectern
