#include "tensor/indexing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

using Values = std::vector<double>;

Tensor ids(std::initializer_list<double> values, const Shape& shape) {
  return Tensor::from(values, shape, DType::i64);
}

TEST(Indexing, UnravelIndexCountsInRowMajorOrder) {
  EXPECT_EQ(unravel_index(0, {}), Shape({}));
  EXPECT_EQ(unravel_index(0, {2, 3, 4}), Shape({0, 0, 0}));
  EXPECT_EQ(unravel_index(17, {2, 3, 4}), Shape({1, 1, 1}));
  EXPECT_EQ(unravel_index(23, {2, 3, 4}), Shape({1, 2, 3}));
}

TEST(IndexSelect, TakesEntriesInOrderWithRepeats) {
  const Tensor x = counting({3, 2});
  EXPECT_EQ(values_of(index_select(x, 0, ids({2, 0, 2}, {3}))), (Values{4, 5, 0, 1, 4, 5}));
  EXPECT_EQ(values_of(index_select(x, -1, ids({1}, {1}))), (Values{1, 3, 5}));
  EXPECT_EQ(values_of(index_select(transpose(x, 0, 1), 1, ids({2, 1}, {2}))), (Values{4, 2, 5, 3}));
  EXPECT_EQ(index_select(x, 0, ids({}, {0})).shape(), Shape({0, 2}));
  EXPECT_EQ(index_select(counting({3, 0}), 0, ids({1}, {1})).shape(), Shape({1, 0}));
  EXPECT_EQ(index_select(counting({2, 3, 4}), 1, ids({0, 0, 2, 1}, {4})).shape(), Shape({2, 4, 4}));
  EXPECT_EQ(values_of(index_select(counting({4}), 0, slice(ids({3, 9, 1, 9}, {4}), 0, 0, 4, 2))),
            (Values{3, 1}));
}

TEST(IndexSelect, KeepsEveryDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Tensor y = index_select(counting({2, 2}, dtype), 0, ids({1}, {1}));
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(values_of(y), values_of(Tensor::from({2, 3}, {1, 2}).to(dtype)));
  }
}

TEST(IndexSelect, Refuses) {
  const Tensor x = counting({4, 2});
  EXPECT_THROW_TEXT(index_select(x, 0, ids({0, 4}, {2})), IndexError,
                    "index_select: index 4 at position [1] is out of range: x is [4, 2]; "
                    "0 <= index < 4 on axis 0");
  EXPECT_THROW_TEXT(index_select(x, -1, ids({-1}, {1})), IndexError,
                    "index_select: index -1 at position [0] is out of range: x is [4, 2]; "
                    "0 <= index < 2 on axis 1");
  EXPECT_THROW_TEXT(index_select(x, 0, counting({2})), DTypeError,
                    "index_select: indices is f32; convert it with .to(DType::i64)");
  EXPECT_THROW_TEXT(index_select(x, 0, ids({0}, {1, 1})), ShapeError,
                    "index_select: indices has shape [1, 1]; its rank must be 1");
  EXPECT_THROW_TEXT(index_select(x, 2, ids({0}, {1})), ShapeError,
                    "index_select: axis 2 is out of range for x of shape [4, 2] (rank 2); valid "
                    "axes are -2..1");
}

TEST(Gather, TakesOneEntryForEveryPlace) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(values_of(gather(x, 1, ids({2, 0, 1, 1}, {2, 2}))), (Values{2, 0, 4, 4}));
  EXPECT_EQ(values_of(gather(x, 0, ids({1, 0, 1}, {1, 3}))), (Values{3, 1, 5}));
  EXPECT_EQ(values_of(gather(transpose(x, 0, 1), -1, ids({1, 0, 1}, {3, 1}))), (Values{3, 1, 5}));
  EXPECT_EQ(gather(x, 1, ids({}, {2, 0})).shape(), Shape({2, 0}));
  for (const DType dtype : {DType::f64, DType::i64, DType::boolean}) {
    EXPECT_EQ(values_of(gather(x.to(dtype), 1, ids({0, 1}, {2, 1}))),
              values_of(Tensor::from({0, 4}, {2}).to(dtype)));
  }
}

TEST(Gather, Refuses) {
  const Tensor x = counting({2, 3});
  EXPECT_THROW_TEXT(gather(x, 1, ids({0, 0, 0}, {3, 1})), ShapeError,
                    "gather: shapes differ: x is [2, 3], indices is [3, 1]; all axes but axis 1 "
                    "must agree");
  EXPECT_THROW_TEXT(gather(x, 1, ids({0}, {1})), ShapeError,
                    "gather: shapes differ: x is [2, 3], indices is [1]; all axes but axis 1 must "
                    "agree");
  EXPECT_THROW_TEXT(gather(x, 1, ids({0, 3}, {2, 1})), IndexError,
                    "gather: index 3 at position [1, 0] is out of range: x is [2, 3]; "
                    "0 <= index < 3 on axis 1");
  EXPECT_THROW_TEXT(gather(x, 1, counting({2, 1})), DTypeError,
                    "gather: indices is f32; convert it with .to(DType::i64)");
}

TEST(ScatterAdd, AddsWhereTheIndexPoints) {
  const Tensor x = Tensor::from({10, 20, 30}, {1, 3});
  const Tensor at = ids({2, 0, 2, 2}, {1, 4});
  EXPECT_EQ(values_of(scatter_add(x, 1, at, counting({1, 4}))), (Values{11, 20, 35}));
  EXPECT_EQ(values_of(x), (Values{10, 20, 30})) << "x itself is not written";
  EXPECT_EQ(values_of(scatter_add(transpose(x, 0, 1), 0, transpose(at, 0, 1),
                                  transpose(counting({1, 4}), 0, 1))),
            (Values{11, 20, 35}));
  EXPECT_EQ(values_of(scatter_add(x.to(DType::i64), 1, at, counting({1, 4}, DType::i64))),
            (Values{11, 20, 35}));
  EXPECT_EQ(values_of(scatter_add(x, 1, ids({}, {1, 0}), counting({1, 0}))), values_of(x));
  EXPECT_EQ(scatter_add(counting({0, 3}), 1, ids({}, {0, 2}), counting({0, 2})).shape(),
            Shape({0, 3}));
}

TEST(ScatterAdd, UndoesGatherOfAPermutation) {
  const Tensor x = Rng(1).normal({5, 7}, DType::f64);
  const Tensor order = expand(Rng(2).permutation(7), {5, 7});
  EXPECT_EQ(values_of(scatter_add(Tensor::zeros_like(x), 1, order, gather(x, 1, order))),
            values_of(x));
}

TEST(ScatterAdd, LongSumsKeepTheirDigits) {
  constexpr std::int64_t n = 1000000;
  const Tensor sum =
      scatter_add(Tensor::zeros({1}), 0, Tensor::zeros({n}, DType::i64), Tensor::full({n}, 0.1));
  EXPECT_NEAR(sum.item(), 100000.0015, 0.01) << "adding up in f32 gives 100958.34";
}

TEST(ScatterAdd, Refuses) {
  const Tensor x = counting({2, 3});
  EXPECT_THROW_TEXT(scatter_add(x, 1, ids({0, 0}, {2, 1}), counting({2, 2})), ShapeError,
                    "scatter_add: shapes differ: indices is [2, 1], source is [2, 2]; they must "
                    "agree");
  EXPECT_THROW_TEXT(scatter_add(x, 1, ids({0}, {1, 1}), counting({1, 1})), ShapeError,
                    "scatter_add: shapes differ: x is [2, 3], indices is [1, 1]; all axes but axis "
                    "1 must agree");
  EXPECT_THROW_TEXT(scatter_add(x, 1, ids({0, -1}, {2, 1}), counting({2, 1})), IndexError,
                    "scatter_add: index -1 at position [1, 0] is out of range: x is [2, 3]; "
                    "0 <= index < 3 on axis 1");
  EXPECT_THROW_TEXT(scatter_add(x, 1, ids({0, 0}, {2, 1}), counting({2, 1}, DType::f64)),
                    DTypeError,
                    "scatter_add: x is f32, source is f64; both must have one dtype, and not bool");
}

TEST(AddRows, SumsRowsInF64AndOverwritesOrAdds) {
  const Tensor g = Tensor::from({1, 2, 3, 4, 5, 6}, {3, 2});
  Tensor sum = Tensor::full({4, 2}, 100);
  add_rows(sum, 0, ids({3, 1, 3}, {3}), g, /*accumulate=*/true);
  EXPECT_EQ(values_of(sum), (Values{100, 100, 103, 104, 100, 100, 106, 108}));
  add_rows(sum, 0, ids({3, 1, 3}, {3}), g, /*accumulate=*/false, /*ignored=*/3);
  EXPECT_EQ(values_of(sum), (Values{0, 0, 3, 4, 0, 0, 0, 0}));
}

TEST(AddRows, AgreesWithOneHotProductsOnEveryAxis) {
  const Tensor at = ids({4, 0, 4, 4, 2, 1, 0}, {7});
  for (const std::int64_t width : {1, 31, 32, 33, 70}) {
    const Tensor g = Rng(3).normal({2, 7, width}, DType::f64);
    Tensor sum = Tensor::empty({2, 5, width}, DType::f64);
    add_rows(sum, 1, at, g, false);
    const Tensor places = expand(reshape(at, {1, 7, 1}), {2, 7, width});
    EXPECT_TRUE(all_close(sum, scatter_add(Tensor::zeros_like(sum), 1, places, g), 1e-14, 1e-14));
  }
}

TEST(Nonzero, ListsPositionsInRowMajorOrder) {
  EXPECT_EQ(values_of(nonzero(Tensor::from({0, 3, 0, -1}, {2, 2}))), (Values{0, 1, 1, 1}));
  EXPECT_EQ(values_of(nonzero(transpose(Tensor::from({0, 3, 0, 1, 0, 0}, {2, 3}), 0, 1))),
            (Values{0, 1, 1, 0}));
  EXPECT_EQ(values_of(nonzero(Tensor::from({std::nan(""), -0.0, 1e-40}, {3}))), (Values{0, 2}));
  EXPECT_EQ(nonzero(Tensor::zeros({2, 3})).shape(), Shape({0, 2}));
  EXPECT_EQ(nonzero(Tensor::scalar(1)).shape(), Shape({1, 0}));
  EXPECT_EQ(nonzero(Tensor::zeros({0, 3, 2})).shape(), Shape({0, 3}));
  EXPECT_EQ(nonzero(Tensor::ones({2}, DType::boolean)).dtype(), DType::i64);
}

TEST(MaskedFill, FillsWhereTheMaskIsTrue) {
  const Tensor x = counting({2, 3});
  const Tensor mask = Tensor::from({1, 0, 1}, {3}, DType::boolean);
  EXPECT_EQ(values_of(masked_fill(x, mask, -5)), (Values{-5, 1, -5, -5, 4, -5}));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values_of(masked_fill(transpose(x, 0, 1), reshape(mask, {3, 1}), -inf)),
            (Values{-inf, -inf, 1, 4, -inf, -inf}));
  EXPECT_EQ(values_of(masked_fill(x.to(DType::i64), mask, 7)), (Values{7, 1, 7, 7, 4, 7}));
  EXPECT_EQ(masked_fill(counting({0, 3}), mask, 1).shape(), Shape({0, 3}));
}

TEST(MaskedFill, Refuses) {
  const Tensor x = counting({2, 3});
  EXPECT_THROW_TEXT(masked_fill(x, counting({2, 3}), 0), DTypeError,
                    "masked_fill: mask is f32; it must be bool, true = fill");
  const auto mask = [](const Shape& shape) { return Tensor::zeros(shape, DType::boolean); };
  EXPECT_THROW_TEXT(masked_fill(x, mask({2}), 0), ShapeError,
                    "masked_fill: mask does not broadcast to x: x is [2, 3], mask is [2]");
  EXPECT_THROW_TEXT(masked_fill(x, mask({1, 2, 3}), 0), ShapeError,
                    "masked_fill: mask does not broadcast to x: x is [2, 3], mask is [1, 2, 3]");
  EXPECT_THROW_TEXT(masked_fill(x.to(DType::i64), mask({3}), 0.5), ValueError,
                    "masked_fill: value is 0.5, x is i64; it must be an integer within 2^53");
}

TEST(OneHot, MarksTheClass) {
  const Tensor y = one_hot(ids({2, 0}, {2}), 3);
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_EQ(y.dtype(), DType::f32);
  EXPECT_EQ(values_of(y), (Values{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(one_hot(ids({1}, {}), 2, DType::boolean).shape(), Shape({2}));
  EXPECT_EQ(one_hot(ids({}, {0}), 0).shape(), Shape({0, 0}));
  EXPECT_THROW_TEXT(one_hot(ids({0, 3}, {1, 2}), 3), IndexError,
                    "one_hot: id 3 at position [0, 1] is no class: ids is [1, 2]; "
                    "0 <= id < classes = 3");
  EXPECT_THROW_TEXT(one_hot(counting({2}), 3), DTypeError,
                    "one_hot: ids is f32; convert it with .to(DType::i64)");
  EXPECT_THROW_TEXT(one_hot(ids({0}, {1}), -1), ShapeError,
                    "one_hot: classes is -1; it must be at least 0");
}

TEST(Triangles, KeepOneSideOfADiagonal) {
  const Tensor x = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(values_of(tril(x)), (Values{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(values_of(triu(x)), (Values{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(values_of(tril(x, 1)), (Values{1, 2, 0, 4, 5, 6}));
  EXPECT_EQ(values_of(triu(x, 1)), (Values{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(values_of(tril(x, -1)), (Values{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(values_of(triu(x, -1)), values_of(x));
  EXPECT_EQ(values_of(tril(transpose(x, 0, 1))), (Values{1, 0, 2, 5, 3, 6}));
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(values_of(tril(x, far)), values_of(x));
  EXPECT_EQ(values_of(triu(x, far)), Values(6, 0));
  EXPECT_EQ(values_of(tril(x, -far)), Values(6, 0));
}

TEST(Triangles, OfEveryMatrixAndDType) {
  const Tensor x = counting({2, 2, 2}, DType::i64);
  EXPECT_EQ(values_of(tril(x)), (Values{0, 0, 2, 3, 4, 0, 6, 7}));
  EXPECT_EQ(values_of(triu(Tensor::ones({2, 2}, DType::boolean))), (Values{1, 1, 0, 1}));
  EXPECT_EQ(tril(counting({0, 3})).shape(), Shape({0, 3}));
  EXPECT_THROW_TEXT(tril(counting({3})), ShapeError,
                    "tril: x has shape [3]; its rank must be at least 2");
  EXPECT_THROW_TEXT(triu(Tensor::scalar(1)), ShapeError,
                    "triu: x has shape []; its rank must be at least 2");
}

TEST(Indexing, SameBitsForAnyNumberOfThreads) {
  const Tensor x = Rng(1).normal({5, 11, 67});
  const Tensor at = Rng(2).integers({29}, 0, 11);
  const Tensor places = Rng(3).integers({5, 29, 67}, 0, 11);
  const Tensor g = Rng(4).normal({5, 29, 67});
  EXPECT_TRUE(same_bits_for_any_threads([&] { return index_select(x, 1, at); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return gather(x, 1, places); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return scatter_add(x, 1, places, g); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] { return triu(x, 3); }));
  EXPECT_TRUE(same_bits_for_any_threads([&] {
    Tensor sum = x.clone();
    add_rows(sum, 1, at, g, true);
    return sum;
  }));
}

}  // namespace
}  // namespace lectern
