#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <functional>

#include "tensor/threads.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"

namespace lectern {
namespace {

TEST(Tensor, HoldsValuesInRowMajorOrder) {
  const Tensor x = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x.data<float>()[4], 5.0F);
  EXPECT_TRUE(x.is_contiguous());
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor x = Tensor::zeros({2});
  const Tensor shared = x;
  const Tensor cloned = x.clone();
  x.mutable_data<float>()[0] = 7;
  EXPECT_EQ(shared.data<float>()[0], 7.0F);
  EXPECT_EQ(cloned.data<float>()[0], 0.0F);
}

TEST(Tensor, CopyFromItsOwnElementsReadsThemAllFirst) {
  using Values = std::vector<float>;
  const auto copied = [](const std::function<void(Tensor&)>& copy) {
    Tensor x = Tensor::from({0, 1, 2, 3, 4, 5, 6, 7, 8}, {9});
    copy(x);
    const auto values = x.data<float>();
    return Values(values.begin(), values.end());
  };
  const auto square = [](const Tensor& x) { return x.with_layout({3, 3}, Strides{3, 1}, 0); };
  EXPECT_EQ(copied([](Tensor& x) { x.copy_from(x); }), Values({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(copied([](Tensor& x) { slice(x, 0, 1, 9).copy_from(slice(x, 0, 0, 8)); }),
            Values({0, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(copied([](Tensor& x) { slice(x, 0, 0, 8).copy_from(slice(x, 0, 1, 9)); }),
            Values({1, 2, 3, 4, 5, 6, 7, 8, 8}));
  EXPECT_EQ(copied([&](Tensor& x) { square(x).copy_from(transpose(square(x), 0, 1)); }),
            Values({0, 3, 6, 1, 4, 7, 2, 5, 8}));
  EXPECT_EQ(copied([](Tensor& x) { x.copy_from(x.with_layout({9}, Strides{0}, 8)); }),
            Values({8, 8, 8, 8, 8, 8, 8, 8, 8}));
}

TEST(Tensor, WritingRaisesTheVersionAndReadingDoesNot) {
  Tensor x = Tensor::zeros({2});
  const std::uint64_t before = x.storage().version();
  static_cast<void>(x.data<float>());
  EXPECT_EQ(x.storage().version(), before);
  x.fill(1);
  EXPECT_GT(x.storage().version(), before);
}

TEST(Tensor, ContiguousReadsThroughTheStrides) {
  const Tensor x = Tensor::from({0, 1, 2, 3, 4, 5}, {2, 3});
  const Tensor transposed = x.with_layout({3, 2}, Strides{1, 3}, 0);
  EXPECT_FALSE(transposed.is_contiguous());
  const Tensor dense = transposed.contiguous();
  const std::vector<float> want{0, 3, 1, 4, 2, 5};
  EXPECT_TRUE(std::ranges::equal(dense.data<float>(), want));
}

TEST(Tensor, ConvertsBetweenAllDTypes) {
  for (const DType from : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    for (const DType to : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
      const Tensor x = Tensor::from({0, 1}, {2}, from).to(to);
      EXPECT_EQ(x.dtype(), to);
      EXPECT_EQ(x.to(DType::f64).data<double>()[0], 0.0);
      EXPECT_EQ(x.to(DType::f64).data<double>()[1], 1.0);
    }
  }
  EXPECT_EQ(Tensor::scalar(-1.75).to(DType::i64).item(), -1.0);
}

TEST(Tensor, RefusesWithTheNumbers) {
  EXPECT_THROW_TEXT(Tensor::from({1, 2, 3}, {2, 2}), ShapeError,
                    "from: 3 values do not fill shape [2, 2], which has 4 elements");
  EXPECT_THROW_TEXT(Tensor::zeros({2}).item(), ShapeError,
                    "item: x has 2 elements, its shape is [2]; it must have 1");
  EXPECT_THROW_TEXT(Tensor::zeros({2}).data<double>(), DTypeError,
                    "data: x is f32, read as f64; convert it with .to(DType::f64)");
  EXPECT_THROW_TEXT(Tensor::empty({std::int64_t{1} << 45, 1024}), MemoryError,
                    "memory: the system has no block of 144115188075855872 bytes");
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THROW_TEXT(transpose(x, 0, 1).data<float>(), ShapeError,
                    "data: x of shape [3, 2] has strides [1, 3]; take .contiguous() first");
  EXPECT_THROW_TEXT(x.clone().copy_from(Tensor::ones({3, 2})), ShapeError,
                    "copy_from: shapes differ: source is [3, 2], this is [2, 3]");
  EXPECT_THROW_TEXT(x.clone().copy_from(Tensor::ones({2, 3}, DType::i64)), DTypeError,
                    "copy_from: dtypes differ: source is i64, this is f32");
  EXPECT_THROW_TEXT(set_num_threads(0), ValueError,
                    "set_num_threads: threads is 0; it must be at least 1");
}

TEST(Tensor, SameBitsForAnyNumberOfThreads) {
  set_parallel_threshold(0);
  Tensor x = Tensor::empty({7, 5, 3});
  for (std::int64_t i = 0; i < x.numel(); ++i) x.mutable_origin<float>()[i] = static_cast<float>(i);
  const Tensor permuted = x.with_layout({3, 7, 5}, Strides{1, 15, 3}, 0);
  const Tensor want = permuted.clone();
  for (const int threads : {2, 3, 4}) {
    const ThreadScope scope(threads);
    EXPECT_TRUE(std::ranges::equal(permuted.clone().data<float>(), want.data<float>()));
  }
  set_parallel_threshold(1 << 15);
}

TEST(Storage, CountsLiveBytesAndReusesBlocks) {
  const MemoryStats before = memory_stats();
  {
    const Tensor x = Tensor::empty({1000});
    EXPECT_EQ(memory_stats().live_bytes, before.live_bytes + 4000);
  }
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
  EXPECT_GE(memory_stats().peak_bytes, before.live_bytes + 4000);
}

}  // namespace
}  // namespace lectern
