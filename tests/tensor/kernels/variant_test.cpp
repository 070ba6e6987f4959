#include "tensor/kernels/variant.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/expect_throw_text.h"

namespace lectern::kernels {
namespace {

TEST(KernelVariant, IsTheBestOfTheProcessor) {
  for (const Variant best : {Variant::sse2, Variant::avx2, Variant::avx512}) {
    EXPECT_EQ(choose_variant(/*wish=*/nullptr, best), best);
  }
}

TEST(KernelVariant, IsALowerOneIfWished) {
  EXPECT_EQ(choose_variant("sse2", Variant::avx512), Variant::sse2);
  EXPECT_EQ(choose_variant("avx2", Variant::avx512), Variant::avx2);
  EXPECT_EQ(choose_variant("avx512", Variant::avx512), Variant::avx512);
  EXPECT_EQ(choose_variant("sse2", Variant::sse2), Variant::sse2);
}

TEST(KernelVariant, IsNoneThatTheProcessorHasNot) {
  EXPECT_THROW_TEXT(choose_variant("avx512", Variant::avx2), std::invalid_argument,
                    "LECTERN_ISA is avx512, which this processor does not have; it has sse2, avx2");
  EXPECT_THROW_TEXT(choose_variant("avx2", Variant::sse2), std::invalid_argument,
                    "LECTERN_ISA is avx2, which this processor does not have; it has sse2");
}

TEST(KernelVariant, HasAName) {
  EXPECT_THROW_TEXT(
      choose_variant("AVX2", Variant::avx512), std::invalid_argument,
      "LECTERN_ISA is \"AVX2\"; it must be one of sse2, avx2, avx512 on this processor");
  EXPECT_THROW_TEXT(choose_variant("", Variant::sse2), std::invalid_argument,
                    "LECTERN_ISA is \"\"; it must be one of sse2 on this processor");
}

}  // namespace
}  // namespace lectern::kernels
