#include "autograd/ops/einsum.h"

#include <gtest/gtest.h>

#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/gradients_match.h"
#include "tests/support/on_threads.h"
#include "tests/support/random_einsum.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

Tensor normal(const Shape& shape, std::uint64_t seed, DType dtype = DType::f64) {
  return Rng(seed).normal(shape, dtype);
}

TEST(Cases, Cases_1_5_GradientsOfEinsum) {
  const Variable tenths(
      Tensor::from({0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1, 1.1, 1.2, 1.3, 1.4, 1.5},
                   {2, 2, 2, 2}),
      true);
  const Variable bd = einsum("abcd->bd", {tenths});
  EXPECT_TRUE(all_close(bd.value(), Tensor::from({2, 2.4, 3.6, 4}, {2, 2})));
  const Variable loss = einsum("ij,ij->", {bd, bd});
  EXPECT_NEAR(loss.value().item(), 38.72, 38.72e-5);
  backward(loss);
  EXPECT_TRUE(all_close(
      tenths.grad(), Tensor::from({4, 4.8, 4, 4.8, 7.2, 8, 7.2, 8, 4, 4.8, 4, 4.8, 7.2, 8, 7.2, 8},
                                  {2, 2, 2, 2})));

  const Variable z(counting({2, 2, 3}), true);
  backward(einsum("b,b->", {einsum("aab->b", {z}), Variable(Tensor::from({1, 2, 3}, {3}))}));
  EXPECT_TRUE(all_close(z.grad(), Tensor::from({1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 2, 3}, {2, 2, 3})));
}

TEST(EinsumOp, GradientMatchesDifferences) {
  const std::pair<const char*, std::vector<Shape>> equations[] = {
      {"ij,jk->ik", {{2, 3}, {3, 2}}},
      {"bqhd,bkhd->bhqk", {{2, 2, 2, 3}, {2, 3, 2, 3}}},
      {"iij->ji", {{2, 2, 3}}},            // diagonal
      {"ij->", {{2, 3}}},                  // summed alone
      {"iij,kk->k", {{2, 2, 2}, {3, 3}}},  // both
      {"i,i->i", {{1}, {3}}},              // extent 1 broadcasts
      {"...i,i->...", {{2, 3}, {3}}},      // ellipsis of 1 and of 0 axes
      {"...ij,...jk->...ik", {{2, 1, 2, 3}, {3, 3, 2}}},
      {"...i->i", {{2, 2, 3}}},  // the ellipsis is summed
      {"ij,jk,kl->il", {{2, 3}, {3, 2}, {2, 2}}},
      {"i,j,->ji", {{2}, {3}, {}}},
      {"ij,jk->ik", {{2, 0}, {0, 3}}},
      {"ij->j", {{0, 3}}},
  };
  for (const auto& [equation, shapes] : equations) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.push_back(normal(shape, inputs.size() + 1));
    EXPECT_TRUE(gradients_match(
        [text = equation](std::span<const Variable> x) {
          return einsum(text, std::vector<Variable>(x.begin(), x.end()));
        },
        inputs))
        << equation;
  }
}

TEST(EinsumOp, GradientMatchesDifferencesForStridedAndSharedOperands) {
  const Tensor q = transpose(normal({2, 3, 2, 2}, 1), 1, 2);
  EXPECT_TRUE(gradients_match([](auto x) { return einsum("bhqd,bhkd->bhqk", {x[0], x[0]}); }, {q}));
  EXPECT_TRUE(gradients_match(
      [](auto x) {
        return einsum("ii,ij->j", {x[0], x[0]});
      },
      {transpose(normal({3, 3}, 2), 0, 1)}));
}

TEST(EinsumOp, SameBitsForAnyNumberOfThreads) {
  const Tensor g = normal({2, 2, 17, 19}, 3, DType::f32);
  for (const bool first : {true, false}) {
    EXPECT_TRUE(same_bits_for_any_threads([&] {
      const Variable q(normal({2, 17, 2, 24}, 1, DType::f32), true);
      const Variable k(normal({2, 19, 2, 24}, 2, DType::f32), true);
      backward(einsum("bqhd,bkhd->bhqk", {q, k}), g);
      return first ? q.grad() : k.grad();
    }));
  }
}

TEST(EinsumOp, RefusesWithTheCaretUnderTheLetter) {
  EXPECT_THROW_TEXT(einsum("ij->iz", {Variable(Tensor::ones({2, 2}))}), ValueError,
                    "einsum: output letter 'z' is in no operand\n"
                    "    ij->iz\n"
                    "         ^");
}

void expect_gradients_match_naive_loops(unsigned seed, int equations) {
  EinsumGenerator generator(seed);
  for (int i = 0; i < equations; ++i) {
    const RandomEinsum e = generator.next();
    std::vector<Tensor> values;
    std::vector<Variable> operands;
    for (const Shape& shape : e.shapes) {
      values.push_back(generator.operand(shape));
      operands.emplace_back(values.back(), /*requires_grad=*/true);
    }
    const Variable y = einsum(e.equation, operands);
    const Tensor g = generator.operand(y.shape());
    backward(y, g);
    for (std::size_t which = 0; which < operands.size(); ++which) {
      ASSERT_TRUE(
          all_close(operands[which].grad(), naive_gradient(e, values, g, which), 1e-10, 1e-10))
          << "operand " << which << " of \"" << e.equation << "\"";
    }
  }
}

TEST(EinsumOp, GradientsMatchNaiveLoopsOnAThousandRandomEquations) {
  expect_gradients_match_naive_loops(3, 1'000);
}
TEST(EinsumOp, SlowGradientsMatchNaiveLoopsOnTenThousandRandomEquations) {
  expect_gradients_match_naive_loops(4, 10'000);
}

}  // namespace
}  // namespace lectern
