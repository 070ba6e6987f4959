#include "tensor/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

template <class T>
void run(const Gemm<T>& product, int threads) {
  AlignedBytes scratch(gemm_scratch_bytes(product, threads));
  gemm(product, scratch.data(), threads);
}

/// The definition, in double, with the sum of |a||b| that bounds the error of any order.
template <class T>
void expect_is_product(const Gemm<T>& g, const T* c_before, const std::string& what) {
  std::int64_t count = 1;
  for (const BatchAxis& axis : g.batch) count *= axis.extent;
  for (std::int64_t index = 0; index < count; ++index) {
    std::int64_t rest = index, a0 = 0, b0 = 0, c0 = 0;
    for (std::size_t axis = g.batch.size(); axis-- > 0;) {
      const std::int64_t at = rest % g.batch[axis].extent;
      rest /= g.batch[axis].extent;
      a0 += at * g.batch[axis].a_stride;
      b0 += at * g.batch[axis].b_stride;
      c0 += at * g.batch[axis].c_stride;
    }
    for (std::int64_t i = 0; i < g.m; ++i) {
      for (std::int64_t j = 0; j < g.n; ++j) {
        const std::int64_t at = c0 + i * g.c.row_stride + j * g.c.col_stride;
        double sum = 0, magnitude = 1;
        for (std::int64_t p = 0; p < g.k; ++p) {
          const double term =
              static_cast<double>(g.a.data[a0 + i * g.a.row_stride + p * g.a.col_stride]) *
              static_cast<double>(g.b.data[b0 + p * g.b.row_stride + j * g.b.col_stride]);
          sum += term;
          magnitude += std::abs(term);
        }
        if (g.bias != nullptr) sum += static_cast<double>(g.bias[j]);
        if (g.accumulate) sum += static_cast<double>(c_before[at]);
        if (g.relu) sum = std::max(sum, 0.0);
        const double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                                 std::sqrt(static_cast<double>(g.k + 1)) * magnitude;
        ASSERT_NEAR(static_cast<double>(g.c.data[at]), sum, tolerance)
            << what << ": m n k = " << g.m << " " << g.n << " " << g.k << " at " << i << ", " << j
            << " of product " << index;
      }
    }
  }
}

/// A dense matrix [rows, columns], or its transpose seen as one.
template <class T>
MatrixView<const T> dense(const std::vector<T>& values, std::int64_t rows, std::int64_t columns,
                          bool transposed) {
  return transposed ? MatrixView<const T>{values.data(), 1, rows}
                    : MatrixView<const T>{values.data(), columns, 1};
}

template <class T>
class GemmOf : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmOf, Floats);

template <class T>
void check(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto a = random_values<T>(m * k, 1), b = random_values<T>(k * n, 2);
  const auto bias = random_values<T>(n, 3), before = random_values<T>(m * n, 4);
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      for (const int epilogues : {0, 2, 3}) {
        for (const bool c_transposed : {false, true}) {
          auto c = before;
          const Gemm<T> g{
              .m = m,
              .n = n,
              .k = k,
              .a = dense(a, m, k, a_transposed),
              .b = dense(b, k, n, b_transposed),
              .c = c_transposed ? MatrixView<T>{c.data(), 1, m} : MatrixView<T>{c.data(), n, 1},
              .bias = epilogues > 0 ? bias.data() : nullptr,
              .accumulate = epilogues > 0,
              .relu = epilogues > 2};
          run(g, 1);
          expect_is_product(g, before.data(),
                            std::string(a_transposed ? "T" : "N") + (b_transposed ? "T" : "N"));
        }
      }
    }
  }
}

TYPED_TEST(GemmOf, EqualsTheDefinitionForAllSmallSizesAndLayouts) {
  for (const std::int64_t m : {0, 1, 2, 5, 12, 13, 24, 25}) {
    for (const std::int64_t n : {0, 1, 3, 15, 16, 17, 32, 33, 65}) {
      for (const std::int64_t k : {0, 1, 2, 15, 16, 17, 33}) check<TypeParam>(m, n, k);
    }
  }
}

TYPED_TEST(GemmOf, EqualsTheDefinitionAroundTheEdgesOfBlocks) {
  for (const std::int64_t k : {255, 256, 257, 513}) check<TypeParam>(31, 33, k);
  for (const std::int64_t m : {191, 192, 193, 385}) check<TypeParam>(m, 130, 9);
  for (const std::int64_t n : {511, 512, 513}) check<TypeParam>(26, n, 9);
  for (const std::int64_t n : {2047, 2048, 2049, 4100}) check<TypeParam>(3, n, 2);
  check<TypeParam>(30, 2049, 2);
}

TYPED_TEST(GemmOf, NeverReadsCUnlessAccumulating) {
  using T = TypeParam;
  for (const std::int64_t k : {0, 3, 300}) {
    const auto a = random_values<T>(20 * k, 1), b = random_values<T>(k * 20, 2);
    std::vector<T> c(400, std::numeric_limits<T>::quiet_NaN());
    const Gemm<T> g{.m = 20,
                    .n = 20,
                    .k = k,
                    .a = {a.data(), k, 1},
                    .b = {b.data(), 20, 1},
                    .c = {c.data(), 20, 1}};
    run(g, 1);
    expect_is_product(g, c.data(), "NaN in C");
  }
}

// The room is the widest register of any processor and the rest of one; of it only what completes a
// register is touched.
TYPED_TEST(GemmOf, WholeRegistersChangeNothingBeforeColumnNNorBeyondTheirOwnEnd) {
  using T = TypeParam;
  constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(sizeof(T));
  for (const std::int64_t m : {1, 3, 12, 29}) {
    for (const std::int64_t n : {1, 7, 16, 33, 64}) {
      for (const std::int64_t k : {0, 5, 300}) {
        for (const bool transposed : {false, true}) {
          const std::int64_t end = (n + lanes - 1) / lanes * lanes, stride = end + lanes;
          const auto a = random_values<T>(m * k, 1), b = random_values<T>(k * n, 2);
          const auto bias = random_values<T>(stride, 3), before = random_values<T>(m * stride, 4);
          for (const bool epilogue : {false, true}) {
            auto plain = before, whole = before;
            Gemm<T> g{.m = m,
                      .n = n,
                      .k = k,
                      .a = dense(a, m, k, false),
                      .b = dense(b, k, n, transposed),
                      .c = {plain.data(), stride, 1},
                      .bias = epilogue ? bias.data() : nullptr,
                      .accumulate = epilogue,
                      .relu = epilogue};
            run(g, 1);
            g.c.data = whole.data();
            g.whole_registers = true;
            run(g, 1);
            for (std::size_t i = 0; i < plain.size(); ++i) {
              const std::int64_t column = static_cast<std::int64_t>(i) % stride;
              if (column >= n && column < end) continue;
              ASSERT_EQ(whole[i], plain[i]) << m << " " << n << " " << k << " at " << i;
            }
          }
        }
      }
    }
  }
}

// In every path: whole tiles and edges, dense columns or not, roles exchanged or not, several
// blocks of depth, of which only the last may look at the sign.
TYPED_TEST(GemmOf, ReluIsThatOfThePlainProductBitForBit) {
  using T = TypeParam;
  for (const std::int64_t m : {1, 3, 12, 29}) {
    for (const std::int64_t n : {1, 16, 40, 64}) {
      for (const std::int64_t k : {0, 5, 256, 600}) {
        for (const bool transposed : {false, true}) {
          auto a = random_values<T>(m * k, 1), bias = random_values<T>(n, 3);
          const auto b = random_values<T>(k * n, 2);
          bias[0] = std::numeric_limits<T>::quiet_NaN();
          std::vector<T> plain(static_cast<std::size_t>(m * n)), fused = plain;
          Gemm<T> g{.m = m,
                    .n = n,
                    .k = k,
                    .a = dense(a, m, k, false),
                    .b = dense(b, k, n, transposed),
                    .c = {plain.data(), transposed ? 1 : n, transposed ? m : 1},
                    .bias = bias.data()};
          run(g, 1);
          g.c.data = fused.data();
          g.relu = true;
          run(g, 1);
          for (std::size_t i = 0; i < plain.size(); ++i) {
            if (std::isnan(plain[i])) {
              ASSERT_TRUE(std::isnan(fused[i])) << m << " " << n << " " << k << " at " << i;
            } else {
              ASSERT_EQ(fused[i], std::max(plain[i], T{0})) << m << " " << n << " " << k;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(GemmOf, ReadsHeadsInPlaceAndBroadcastsTheBatch) {
  using T = TypeParam;
  constexpr std::int64_t B = 3, H = 2, D = 18, E = H * D, Length = 21;
  const auto qkv = random_values<T>(B * Length * 3 * E, 1);  // [B, T, 3, H, D]
  std::vector<T> scores(B * H * Length * Length), merged(B * Length * E);
  const BatchAxis samples{B, Length * 3 * E, Length * 3 * E, H * Length * Length};
  const BatchAxis heads{H, D, D, Length * Length};
  const std::vector<BatchAxis> batch{samples, heads};
  const Gemm<T> product{.m = Length,
                        .n = Length,
                        .k = D,
                        .a = {qkv.data(), 3 * E, 1},
                        .b = {qkv.data() + E, 1, 3 * E},
                        .c = {scores.data(), Length, 1},
                        .batch = batch};
  run(product, 2);
  expect_is_product(product, scores.data(), "scores");

  // [B, H, T, T] times one matrix for all, written as [B, T, H, D].
  const std::vector<BatchAxis> one_b{{B, H * Length * Length, 0, Length * E},
                                     {H, Length * Length, 0, D}};
  const Gemm<T> weighted{.m = Length,
                         .n = D,
                         .k = Length,
                         .a = {scores.data(), Length, 1},
                         .b = {qkv.data() + 2 * E, 3 * E, 1},
                         .c = {merged.data(), E, 1},
                         .batch = one_b};
  run(weighted, 2);
  expect_is_product(weighted, merged.data(), "merged");
}

TYPED_TEST(GemmOf, RepeatedRowsAndColumnsHaveStrideZero) {
  using T = TypeParam;
  const auto a = random_values<T>(40, 1), b = random_values<T>(40, 2);
  std::vector<T> c(17 * 40);
  const Gemm<T> columns{.m = 17,
                        .n = 40,
                        .k = 40,
                        .a = {a.data(), 0, 1},
                        .b = {b.data(), 1, 0},
                        .c = {c.data(), 40, 1}};
  run(columns, 1);
  expect_is_product(columns, c.data(), "equal rows of a, equal columns of b");
  const Gemm<T> rows{.m = 17,
                     .n = 40,
                     .k = 40,
                     .a = {a.data(), 1, 0},
                     .b = {b.data(), 0, 1},
                     .c = {c.data(), 40, 1}};
  run(rows, 1);
  expect_is_product(rows, c.data(), "equal columns of a, equal rows of b");
}

TYPED_TEST(GemmOf, AnEmptyBatchWritesNothing) {
  using T = TypeParam;
  const std::vector<BatchAxis> batch{{3, 0, 0, 4}, {0, 0, 0, 0}};
  T c[4] = {1, 2, 3, 4};
  const Gemm<T> g{
      .m = 2, .n = 2, .k = 2, .a = {c, 2, 1}, .b = {c, 2, 1}, .c = {c, 2, 1}, .batch = batch};
  run(g, 2);
  EXPECT_EQ(c[0], 1);
  EXPECT_EQ(c[3], 4);
}

TYPED_TEST(GemmOf, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const SerialThreshold always_a_team(0);
  struct Case {
    std::int64_t batch, m, n, k;
  };
  for (const Case& s : {Case{1, 100, 70, 300},
                        {1, 5, 700, 40},
                        {1, 700, 5, 40},
                        {3, 45, 50, 260},
                        {37, 20, 21, 32},
                        {1, 1, 1, 1000},
                        {2, 13, 4100, 5}}) {
    for (const bool transposed : {false, true}) {
      const auto a = random_values<T>(s.batch * s.m * s.k, 1);
      const auto b = random_values<T>(s.batch * s.k * s.n, 2);
      const std::vector<BatchAxis> batch{{s.batch, s.m * s.k, s.k * s.n, s.m * s.n}};
      std::vector<T> expected;
      for (int threads = 1; threads <= 4; ++threads) {
        std::vector<T> c(static_cast<std::size_t>(s.batch * s.m * s.n));
        run(Gemm<T>{.m = s.m,
                    .n = s.n,
                    .k = s.k,
                    .a = dense(a, s.m, s.k, transposed),
                    .b = dense(b, s.k, s.n, transposed),
                    .c = {c.data(), s.n, 1},
                    .batch = batch},
            threads);
        if (threads == 1) expected = c;
        ASSERT_EQ(c, expected) << threads << " threads, m " << s.m;
      }
    }
  }
}

// Columns shared out over two blocks of depth, the second one smaller: threads of different speed
// must not meet in the panels.
TYPED_TEST(GemmOf, ThreadsDoNotOvertakeEachOtherInThePanels) {
  using T = TypeParam;
  const SerialThreshold always_a_team(0);
  constexpr std::int64_t m = 128, n = 512, k = 384;
  const auto a = random_values<T>(m * k, 1), b = random_values<T>(k * n, 2);
  std::vector<T> expected;
  for (int turn = 0; turn < 40; ++turn) {
    std::vector<T> c(m * n);
    run(Gemm<T>{.m = m,
                .n = n,
                .k = k,
                .a = dense(a, m, k, true),
                .b = dense(b, k, n, false),
                .c = {c.data(), n, 1}},
        turn == 0 ? 1 : 2 + turn % 3);
    if (turn == 0) expected = c;
    ASSERT_EQ(c, expected) << "turn " << turn;
  }
}

// Members that are done early take rows of the others' last blocks, where the team divides columns
// and where it divides rows, with A packed or not; the epilogues come once, whoever writes them.
TYPED_TEST(GemmOf, SameBitsWhoeverHelps) {
  using T = TypeParam;
  const SerialThreshold always_a_team(0);
  struct Sizes {
    std::int64_t m, n, k;
  };
  for (const auto& [m, n, k] :
       {Sizes{200, 600, 260}, {600, 256, 520}, {1100, 520, 40}, {110, 70, 600}}) {
    const auto a = random_values<T>(m * k, 1), b = random_values<T>(k * n, 2);
    const auto bias = random_values<T>(n, 3), before = random_values<T>(m * n, 4);
    for (const bool transposed : {false, true}) {
      std::vector<T> expected;
      for (int threads = 1; threads <= 4; ++threads) {
        auto c = before;
        run(Gemm<T>{.m = m,
                    .n = n,
                    .k = k,
                    .a = dense(a, m, k, transposed),
                    .b = dense(b, k, n, true),
                    .c = {c.data(), n, 1},
                    .bias = bias.data(),
                    .accumulate = true,
                    .relu = true},
            threads);
        if (threads == 1) expected = c;
        ASSERT_EQ(c, expected) << threads << " threads, " << m << " rows, " << transposed;
      }
    }
  }
}

// What decoding token by token relies on: a row's bits do not depend on the rows around it, nor on
// the layout of the operands.
TYPED_TEST(GemmOf, ARowOfAProductIsTheProductOfTheRow) {
  using T = TypeParam;
  constexpr std::int64_t m = 50, n = 150, k = 300;
  const auto a = random_values<T>(m * k, 1), b = random_values<T>(k * n, 2);
  std::vector<T> b_transposed(b.size());
  for (std::int64_t p = 0; p < k; ++p) {
    for (std::int64_t j = 0; j < n; ++j) {
      b_transposed[static_cast<std::size_t>(j * k + p)] = b[static_cast<std::size_t>(p * n + j)];
    }
  }
  std::vector<T> whole(m * n);
  run(Gemm<T>{.m = m,
              .n = n,
              .k = k,
              .a = {a.data(), k, 1},
              .b = {b.data(), n, 1},
              .c = {whole.data(), n, 1}},
      1);
  for (const std::int64_t rows : {1, 2, 13, 33}) {
    for (std::int64_t first = 0; first + rows <= m; first += rows) {
      std::vector<T> part(static_cast<std::size_t>(rows * n));
      run(Gemm<T>{.m = rows,
                  .n = n,
                  .k = k,
                  .a = {a.data() + first * k, k, 1},
                  .b = {b_transposed.data(), 1, k},
                  .c = {part.data(), n, 1}},
          1);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first * n))
          << rows << " rows from " << first;
    }
  }
}

}  // namespace
}  // namespace lectern::kernels
