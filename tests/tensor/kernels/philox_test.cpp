#include "tensor/kernels/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace lectern::kernels {
namespace {

// Known answers published with the reference implementation (Random123, kat_vectors).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SeedStreamAndIndexFillKeyAndCounter) {
  EXPECT_EQ(philox_block({0x299f31d0a4093822, 0x0370734413198a2e}, 0x85a308d3243f6a88),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, WordsOfManyBlocksAreThoseOfEachBlock) {
  const PhiloxKey key{0x0123456789abcdef, 0xfedcba9876543210};
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{0xfffffffa}, ~std::uint64_t{5}}) {
    for (std::int64_t blocks = 0; blocks < 20; ++blocks) {
      std::vector<std::uint32_t> words(static_cast<std::size_t>(4 * blocks));
      philox_words(key, first, blocks, words.data());
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(words[i], philox_block(key, first + i / 4)[i % 4]) << first << " " << i;
      }
    }
  }
}

TEST(Philox, UniformsAreMultiplesOfTwoToTheMinus24Below1) {
  EXPECT_EQ(philox_uniform(0), 0.0F);
  EXPECT_EQ(philox_uniform(0xff), 0.0F);
  EXPECT_EQ(philox_uniform(0x100), 0x1p-24F);
  EXPECT_EQ(philox_uniform(0xffffffff), 1 - 0x1p-24F);
}

TEST(Philox, APartOfADropoutMaskIsThatPartOfTheWhole) {
  const PhiloxDropout dropout{.p = 0.3, .key = {7, 1}, .first_block = 5};
  std::vector<float> whole(1000);
  dropout_factors(dropout, 0, 1000, whole.data());
  for (std::int64_t begin = 0; begin < 12; ++begin) {
    for (std::int64_t count = 0; begin + count <= 30; ++count) {
      std::vector<float> part(static_cast<std::size_t>(count));
      dropout_factors(dropout, begin, count, part.data());
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + begin));
    }
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const float uniform = philox_uniform(philox_block({7, 1}, 5 + i / 4)[i % 4]);
    EXPECT_EQ(whole[i], uniform >= 0.3F ? static_cast<float>(1 / 0.7) : 0.0F);
  }
}

TEST(Philox, DropsTheShareAskedFor) {  // bounds of four standard deviations
  std::vector<float> factors(100'000);
  dropout_factors({.p = 0.3, .key = {42, 0}}, 0, 100'000, factors.data());
  double zeros = 0, sum = 0;
  for (const float factor : factors) {
    zeros += factor == 0;
    sum += static_cast<double>(factor);
  }
  EXPECT_NEAR(zeros / 1e5, 0.3, 0.0072);
  EXPECT_NEAR(sum / 1e5, 1.0, 0.0104);
}

TEST(Philox, ProbabilityZeroKeepsAllAndOneDropsAll) {
  std::vector<double> factors(1000);
  dropout_factors({.p = 0, .key = {1, 0}}, 0, 1000, factors.data());
  EXPECT_EQ(factors, std::vector<double>(1000, 1.0));
  dropout_factors({.p = 1, .key = {1, 0}}, 0, 1000, factors.data());
  EXPECT_EQ(factors, std::vector<double>(1000, 0.0));
}

}  // namespace
}  // namespace lectern::kernels
