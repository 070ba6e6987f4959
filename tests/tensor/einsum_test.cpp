#include "tensor/einsum.h"

#include <gtest/gtest.h>

#include "tensor/einsum_gradient.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/random_einsum.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

TEST(Cases, Cases_1_1_ARepeatedLetterIsTheDiagonal) {
  const Tensor a = counting({3, 3, 2});
  const Tensor diagonal = Tensor::from({0, 1, 8, 9, 16, 17}, {3, 2});
  EXPECT_TRUE(all_close(einsum("iij->ij", {a}), diagonal));
  EXPECT_TRUE(all_close(einsum("iij->ji", {a}), transpose(diagonal, 0, 1)));
  EXPECT_TRUE(all_close(einsum("iij->i", {a}), Tensor::from({1, 17, 33}, {3})));
  EXPECT_TRUE(all_close(einsum("iij->j", {a}), Tensor::from({24, 27}, {2})));
  EXPECT_TRUE(all_close(einsum("iij,j->i", {a, Tensor::from({1, -1}, {2})}),
                        Tensor::from({-1, -1, -1}, {3})));
}

TEST(Cases, Cases_1_2_TheEquationText) {
  const Tensor m = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor a = Tensor::from({1, 2, 3, 4}, {2, 2}), b = Tensor::from({5, 6, 7, 8}, {2, 2});
  EXPECT_TRUE(all_close(einsum("ba", {m}), Tensor::from({1, 4, 2, 5, 3, 6}, {3, 2})));
  EXPECT_TRUE(all_close(einsum("ij,jh", {a, b}), Tensor::from({19, 43, 22, 50}, {2, 2})));
  EXPECT_TRUE(all_close(einsum("ii", {a}), Tensor::scalar(5)));
  EXPECT_TRUE(all_close(einsum("ij->", {a}), Tensor::scalar(10)));
  EXPECT_TRUE(all_close(einsum("Ab,bA->bA", {a, b}), Tensor::from({5, 18, 14, 32}, {2, 2})));
  EXPECT_TRUE(
      all_close(einsum(" i j , j k -> i k ", {a, b}), Tensor::from({19, 22, 43, 50}, {2, 2})));
  EXPECT_TRUE(all_close(einsum("i...k,k...j->i...j", {counting({2, 1, 3}), counting({3, 2})}),
                        Tensor::from({10, 13, 28, 40}, {2, 1, 2})));
  const Tensor c = einsum("...ij,...jk", {counting({2, 1, 2, 2}), counting({3, 2, 2})});
  ASSERT_EQ(c.shape(), Shape({2, 3, 2, 2}));
  EXPECT_TRUE(all_close(select(select(c, 0, 1), 0, 2), Tensor::from({82, 91, 118, 131}, {2, 2})));
  EXPECT_EQ(sum(c).item(), 948);
}

TEST(Cases, Cases_1_2_ErrorsOfTheEquationText) {
  const Tensor a = Tensor::ones({2, 2}), v = Tensor::ones({2});
  EXPECT_THROW_TEXT(einsum("ij,jk->iz", {a, a}), ValueError,
                    "einsum: output letter 'z' is in no operand\n"
                    "    ij,jk->iz\n"
                    "            ^");
  EXPECT_THROW_TEXT(einsum("i->ii", {v}), ValueError,
                    "einsum: output letter 'i' occurs twice\n"
                    "    i->ii\n"
                    "       ^^");
  EXPECT_THROW_TEXT(einsum("ijk", {a}), ShapeError,
                    "einsum: operand 0 is [2, 2] of rank 2, but its term has 3 letters\n"
                    "    ijk\n"
                    "      ^");
  EXPECT_THROW_TEXT(einsum("i", {a}), ShapeError,
                    "einsum: operand 0 is [2, 2] of rank 2, but its term has 1 letter and no "
                    "ellipsis\n"
                    "    i\n"
                    "    ^");
  EXPECT_THROW_TEXT(einsum("i,->i", {v, v}), ShapeError,
                    "einsum: operand 1 is [2] of rank 1, but its term has 0 letters and no "
                    "ellipsis: \"i,->i\"");
  EXPECT_THROW_TEXT(einsum("...ijk", {a}), ShapeError,
                    "einsum: operand 0 is [2, 2] of rank 2, but its term has 3 letters\n"
                    "    ...ijk\n"
                    "         ^");
  EXPECT_THROW_TEXT(einsum("ijk...", {a}), ShapeError,
                    "einsum: operand 0 is [2, 2] of rank 2, but its term has 3 letters\n"
                    "    ijk...\n"
                    "      ^");
  EXPECT_THROW_TEXT(einsum("ij,jk->ik", {a}), ValueError,
                    "einsum: the equation \"ij,jk->ik\" has 2 terms, but there is 1 operand");
  EXPECT_THROW_TEXT(einsum("ij", {a, a}), ValueError,
                    "einsum: the equation \"ij\" has 1 term, but there are 2 operands");
  EXPECT_THROW_TEXT(einsum("", {}), ValueError,
                    "einsum: the equation \"\" has 1 term, but there are 0 operands");
  EXPECT_THROW_TEXT(einsum("ij->i->j", {a}), ValueError,
                    "einsum: two arrows\n"
                    "    ij->i->j\n"
                    "      ^  ^");
  EXPECT_THROW_TEXT(einsum("ij->i,j", {a}), ValueError,
                    "einsum: a comma after the arrow: there is one result\n"
                    "    ij->i,j\n"
                    "      ^  ^");
  EXPECT_THROW_TEXT(einsum("i.j", {a}), ValueError,
                    "einsum: a dot that is no part of an ellipsis '...'\n"
                    "    i.j\n"
                    "     ^");
  EXPECT_THROW_TEXT(einsum("i..j", {a}), ValueError,
                    "einsum: a dot that is no part of an ellipsis '...'\n"
                    "    i..j\n"
                    "     ^");
  EXPECT_THROW_TEXT(einsum("...i...", {a}), ValueError,
                    "einsum: two ellipses in one term\n"
                    "    ...i...\n"
                    "    ^   ^");
  EXPECT_THROW_TEXT(einsum("i1", {a}), ValueError,
                    "einsum: character '1' means nothing here\n"
                    "    i1\n"
                    "     ^");
  EXPECT_THROW_TEXT(einsum("ij-i", {a}), ValueError,
                    "einsum: character '-' means nothing here\n"
                    "    ij-i\n"
                    "      ^");
  EXPECT_THROW_TEXT(einsum("i\tj", {a}), ValueError,
                    "einsum: byte 0x09 means nothing here\n"
                    "    i\tj\n"
                    "     ^");
  EXPECT_THROW_TEXT(einsum("ii", {Tensor::ones({2, 3})}), ShapeError,
                    "einsum: letter 'i' is 2 in operand 0 (axis 0 of [2, 3]) but 3 in operand 0 "
                    "(axis 1 of [2, 3])\n"
                    "    ii\n"
                    "    ^^");
  EXPECT_THROW_TEXT(einsum("i,i", {v, Tensor::ones({3})}), ShapeError,
                    "einsum: letter 'i' is 2 in operand 0 (axis 0 of [2]) but 3 in operand 1 "
                    "(axis 0 of [3])\n"
                    "    i,i\n"
                    "    ^ ^");
  EXPECT_THROW_TEXT(
      einsum("bij,bkj->bik", {Tensor::ones({32, 10, 64}), Tensor::ones({32, 12, 32})}), ShapeError,
      "einsum: letter 'j' is 64 in operand 0 (axis 2 of [32, 10, 64]) but 32 in operand 1 (axis 2 "
      "of [32, 12, 32])\n"
      "    bij,bkj->bik\n"
      "      ^   ^");
  EXPECT_THROW_TEXT(einsum("...,...", {v, Tensor::ones({4, 3})}), ShapeError,
                    "einsum: axis -1 of the ellipsis is 2 in operand 0 (axis 0 of [2]) but 3 in "
                    "operand 1 (axis 1 of [4, 3])\n"
                    "    ...,...\n"
                    "    ^   ^");
  EXPECT_TRUE(
      all_close(einsum("ij->i", {a}), Tensor::from({2, 2}, {2})));  // and it goes on working
}

TEST(Cases, Cases_1_3_LettersOfExtentOne) {
  const Tensor p = counting({1, 2, 3}), q = counting({2, 3, 2});
  const Tensor want = Tensor::from({10, 13, 28, 40, 28, 31, 100, 112}, {2, 2, 2});
  EXPECT_TRUE(all_close(einsum("bij,bjk->bik", {p, q}), want));
  EXPECT_TRUE(all_close(einsum("bjk,bij->bik", {q, p}), want));
  EXPECT_EQ(einsum("i,i->i", {Tensor::ones({1}), Tensor::ones({0})}).shape(), Shape({0}));
  EXPECT_EQ(einsum("i,i->", {Tensor::ones({0}), Tensor::ones({1})}).item(), 0);
  // 1 broadcasts between operands, not along a diagonal.
  EXPECT_THROW_TEXT(einsum("ii->i", {Tensor::ones({1, 3})}), ShapeError,
                    "einsum: letter 'i' is 1 in operand 0 (axis 0 of [1, 3]) but 3 in operand 0 "
                    "(axis 1 of [1, 3])\n"
                    "    ii->i\n"
                    "    ^^");
}

TEST(Cases, Cases_1_4_ZeroSizes) {
  const auto ones = [](const Shape& shape) { return Tensor::ones(shape); };
  EXPECT_EQ(einsum("ij,j->i", {ones({0, 3}), ones({3})}).shape(), Shape({0}));
  EXPECT_TRUE(all_close(einsum("ij,jk->ik", {ones({2, 0}), ones({0, 3})}), Tensor::zeros({2, 3})));
  EXPECT_TRUE(all_close(einsum("ij->", {ones({0, 3})}), Tensor::scalar(0)));
  EXPECT_TRUE(all_close(einsum("i,i->", {ones({0}), ones({0})}), Tensor::scalar(0)));
  EXPECT_TRUE(all_close(einsum("ij->j", {ones({0, 3})}), Tensor::zeros({3})));
  EXPECT_EQ(einsum("bij->bji", {ones({0, 2, 3})}).shape(), Shape({0, 3, 2}));
  EXPECT_EQ(einsum("ii->i", {ones({0, 0})}).shape(), Shape({0}));
}

TEST(Einsum, AnArrowWithoutEllipsisSumsTheEllipsis) {
  EXPECT_TRUE(all_close(einsum("...i->i", {counting({2, 2, 2})}), Tensor::from({12, 16}, {2})));
  EXPECT_TRUE(all_close(einsum("i->...i", {counting({2})}), counting({2})));
}

TEST(Einsum, ManyOperandsAndScalars) {
  const Tensor a = Rng(1).normal({2, 3}), b = Rng(2).normal({3, 4}), c = Rng(3).normal({4, 5}),
               s = Tensor::scalar(2);
  const Tensor want = einsum("ij,jk->ik", {einsum("ij,jk->ik", {a, b}), c});
  EXPECT_TRUE(all_close(einsum("ij,jk,kl->il", {a, b, c}), want, 1e-5, 1e-5));
  EXPECT_TRUE(all_close(einsum(",ij,", {s, a, s}), einsum("ij,->ij", {a, Tensor::scalar(4)})));
  EXPECT_TRUE(all_close(einsum(",", {s, s}), Tensor::scalar(4)));
  EXPECT_TRUE(all_close(einsum("", {s}), s));
}

TEST(Einsum, TheResultSharesStorageWithNoOperand) {
  const Tensor a = counting({2, 2});
  for (const char* equation : {"ij->ij", "ij->ji", "ii->i"}) {
    const Tensor y = einsum(equation, {a});
    EXPECT_FALSE(y.storage() == a.storage()) << equation;
    EXPECT_TRUE(y.is_contiguous()) << equation;
  }
}

TEST(Einsum, EightAxes) {
  const Tensor x = Rng(1).normal({2, 1, 2, 1, 2, 1, 2, 3}, DType::f64);
  const Tensor y = Rng(2).normal({2, 1, 2, 1, 2, 1, 2, 3}, DType::f64);
  // Seven letters of batch, one summed.
  EXPECT_TRUE(all_close(einsum("abcdefgh,abcdefgh->gfedcba", {x, y}),
                        permute(einsum("nh,nh->n", {reshape(x, {16, 3}), reshape(y, {16, 3})})
                                    .with_layout({2, 1, 2, 1, 2, 1, 2}, {8, 8, 4, 4, 2, 2, 1}, 0),
                                {6, 5, 4, 3, 2, 1, 0})));
}

TEST(Einsum, SameBitsForAnyNumberOfThreads) {
  const Tensor q = Rng(1).normal({3, 17, 2, 24}), k = Rng(2).normal({3, 19, 2, 24});
  EXPECT_TRUE(same_bits_for_any_threads([&] { return einsum("bqhd,bkhd->bhqk", {q, k}); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return einsum("bqhd,bkhd->b", {q, k}); }));
}

TEST(Einsum, RefusesDTypes) {
  EXPECT_THROW_TEXT(einsum("i,i", {Tensor::ones({2}), Tensor::ones({2}, DType::f64)}), DTypeError,
                    "einsum: dtypes differ: operand 0 is f32, operand 1 is f64");
  EXPECT_THROW_TEXT(einsum("i", {Tensor::ones({2}, DType::i64)}), DTypeError,
                    "einsum: operand 0 is i64; it must be f32 or f64");
}

TEST(Einsum, APlanRunsOnOperandsOfItsShapesOnly) {
  const std::vector<Shape> shapes{{2, 3}, {3, 2}};
  const EinsumPlan plan = plan_einsum(parse_einsum("ij,jk->ik", shapes));
  EXPECT_TRUE(all_close(einsum(plan, {Tensor::ones({2, 3}), Tensor::ones({3, 2})}),
                        Tensor::full({2, 2}, 3)));
  EXPECT_THROW_TEXT(einsum(plan, {Tensor::ones({2, 3})}), ShapeError,
                    "einsum: the plan is for 2 operands, not for 1");
  EXPECT_THROW_TEXT(einsum(plan, {Tensor::ones({2, 3}), Tensor::ones({3, 4})}), ShapeError,
                    "einsum: the plan is for an operand 1 of shape [3, 2], not [3, 4]");
}

TEST(EinsumExplain, PrintsThePlanAndThoseOfTheGradients) {
  EXPECT_EQ(einsum_explain("bqhd,bkhd->bhqk", {{2, 5, 4, 8}, {2, 6, 4, 8}}),
            "einsum     bqhd,bkhd->bhqk\n"
            "letters    b = 2, d = 8, h = 4, k = 6, q = 5\n"
            "operand 0  [b q h d] [2, 5, 4, 8]\n"
            "operand 1  [b k h d] [2, 6, 4, 8]\n"
            "step 1     operand 0 permuted to [b h q d] x operand 1 permuted to [b h d k] = "
            "[b h q k]\n"
            "           8 products of m = 5, n = 6, k = 8: 3840 FLOP\n"
            "result     [b h q k], 3840 FLOP in all\n"
            "\n"
            "gradient of operand 0: bhqk,bkhd->bqhd of g, operand 1\n"
            "g          [b h q k] [2, 4, 5, 6]\n"
            "operand 1  [b k h d] [2, 6, 4, 8]\n"
            "step 1     g permuted to [b h q k] x operand 1 permuted to [b h k d] = [b h q d]\n"
            "           8 products of m = 5, n = 8, k = 6: 3840 FLOP\n"
            "result     [b q h d], 3840 FLOP in all\n"
            "\n"
            "gradient of operand 1: bhqk,bqhd->bkhd of g, operand 0\n"
            "g          [b h q k] [2, 4, 5, 6]\n"
            "operand 0  [b q h d] [2, 5, 4, 8]\n"
            "step 1     g permuted to [b h k q] x operand 0 permuted to [b h q d] = [b h k d]\n"
            "           8 products of m = 6, n = 8, k = 5: 3840 FLOP\n"
            "result     [b k h d], 3840 FLOP in all");
}

TEST(EinsumExplain, SaysWhatBecomesOfDiagonalsAndOfAxesThatAreSummedOrBroadcast) {
  EXPECT_EQ(einsum_explain("ii...,jk->j...", {{3, 3, 7}, {2, 5}}),
            "einsum     ii...,jk->j...\n"
            "letters    i = 3, j = 2, k = 5, ...1 = 7\n"
            "operand 0  [i i ...1] [3, 3, 7], seen as [...1 i], summed over [i]\n"
            "operand 1  [j k] [2, 5], summed over [k]\n"
            "step 1     operand 0 permuted to [...1] x operand 1 permuted to [j] = [...1 j]\n"
            "           1 product of m = 7, n = 2, k = 1: 28 FLOP\n"
            "result     [j ...1], 28 FLOP in all\n"
            "\n"
            "gradient of operand 0: [j ...1],[j k]->[...1] of g, operand 1\n"
            "g          [j ...1] [2, 7]\n"
            "operand 1  [j k] [2, 5], summed over [k]\n"
            "step 1     g permuted to [...1 j] x operand 1 permuted to [j] = [...1]\n"
            "           1 product of m = 7, n = 1, k = 2: 28 FLOP\n"
            "result     [...1], 28 FLOP in all\n"
            "then       spread over [i]\n"
            "then       put on the diagonal of [i i ...1] [3, 3, 7], 0 elsewhere\n"
            "\n"
            "gradient of operand 1: [j ...1],[i i ...1]->[j] of g, operand 0\n"
            "g          [j ...1] [2, 7]\n"
            "operand 0  [i i ...1] [3, 3, 7], seen as [...1 i], summed over [i]\n"
            "step 1     g permuted to [j ...1] x operand 0 permuted to [...1] = [j]\n"
            "           1 product of m = 2, n = 1, k = 7: 28 FLOP\n"
            "result     [j], 28 FLOP in all\n"
            "then       spread over [k]");
  EXPECT_EQ(einsum_explain("ij->", {{1, 3}}),
            "einsum     ij->\n"
            "letters    i = 1, j = 3\n"
            "operand 0  [i j] [1, 3], summed over [i j]\n"
            "result     [], 0 FLOP in all\n"
            "\n"
            "gradient of operand 0: -> of g\n"
            "g          [] []\n"
            "result     [], 0 FLOP in all\n"
            "then       spread over [i j]");
  EXPECT_EQ(to_string(plan_einsum_gradient(
                plan_einsum(parse_einsum("ij,ij->ij", std::vector<Shape>{{1, 3}, {2, 3}})), 0)),
            "gradient of operand 0: ij,ij->j of g, operand 1\n"
            "g          [i j] [2, 3]\n"
            "operand 1  [i j] [2, 3]\n"
            "step 1     g permuted to [j i] x operand 1 permuted to [j i] = [j]\n"
            "           3 products of m = 1, n = 1, k = 2: 12 FLOP\n"
            "result     [j], 12 FLOP in all\n"
            "then       seen as [i j] [1, 3]");
}

TEST(EinsumExplain, TheEquationOfAGradientComputesIt) {
  const Tensor a = Rng(1).normal({2, 3, 4}, DType::f64), b = Rng(2).normal({4, 3, 5}, DType::f64);
  const EinsumPlan plan =
      plan_einsum(parse_einsum("bij,jik->bk", std::vector<Shape>{a.shape(), b.shape()}));
  const Tensor g = Rng(3).normal({2, 5}, DType::f64);
  const EinsumGradient da = plan_einsum_gradient(plan, 0), db = plan_einsum_gradient(plan, 1);
  EXPECT_EQ(equation_text(da.plan.axes), "bk,jik->bij");
  EXPECT_EQ(equation_text(db.plan.axes), "bk,bij->jik");
  EXPECT_TRUE(all_close(einsum("bk,jik->bij", {g, b}), einsum_gradient(da, {g, b}), 0, 0));
  EXPECT_TRUE(all_close(einsum("bk,bij->jik", {g, a}), einsum_gradient(db, {g, a}), 0, 0));
}

TEST(EinsumExplain, MultipliesThePairWithTheSmallestResultFirst) {
  // A chain whose cheap product is the right one: 2·2·100·2 + 2·100·2·2, not 2·100·2·100·2.
  const std::vector<Shape> shapes{{100, 2}, {2, 100}, {100, 2}};
  const EinsumPlan plan = plan_einsum(parse_einsum("ij,jk,kl->il", shapes));
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].left, 1);
  EXPECT_EQ(plan.steps[0].right, 2);
  EXPECT_EQ(plan.flop(), 1600);
}

void expect_matches_naive_loops(unsigned seed, int equations) {
  EinsumGenerator generator(seed);
  for (int i = 0; i < equations; ++i) {
    const RandomEinsum e = generator.next();
    std::vector<Tensor> operands;
    for (const Shape& shape : e.shapes) operands.push_back(generator.operand(shape));
    const auto described = [&] {
      std::string text = fmt::format("\"{}\"", e.equation);
      for (const Shape& shape : e.shapes) text += fmt::format(" {}", shape);
      return text;
    };
    try {
      ASSERT_TRUE(all_close(einsum(e.equation, operands), naive_einsum(e, operands), 1e-10, 1e-10))
          << described();
    } catch (const std::exception& error) {
      FAIL() << described() << ": " << error.what();
    }
  }
}

TEST(Einsum, RandomEquationsHaveEveryFeatureOften) {
  EinsumGenerator generator(2);
  constexpr int kEquations = 10'000;
  for (int i = 0; i < kEquations; ++i) {
    for (const Shape& shape : generator.next().shapes) generator.operand(shape);
  }
  EXPECT_EQ(generator.features().size(), 19U);
  for (const auto& [feature, count] : generator.features()) {
    EXPECT_GE(count, 200) << feature;
    RecordProperty(feature, count);
  }
}

TEST(Einsum, MatchesNaiveLoopsOnTenThousandRandomEquations) {
  expect_matches_naive_loops(2, 10'000);
}

}  // namespace
}  // namespace lectern
