#include "tensor/kernels/philox.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "tensor/kernels/simd.h"

namespace lectern::kernels {

// A block is four words that ten rounds mix with each other, but blocks do not touch: a batch of
// them is kept as four arrays of words, and the loop over the batch becomes vector code, ten times
// faster than block after block. A word has a lane of 64 bits, since its product has 64; what
// stands in the upper half of a lane is never used.

namespace {

using Words [[gnu::vector_size(vector_bytes)]] = std::uint64_t;
constexpr std::int64_t words_per_register = vector_bytes / 8;

constexpr std::int64_t batch_blocks = 32;
constexpr std::int64_t batch_words = batch_blocks * words_per_block;
constexpr std::int64_t fewest_for_batch = 256 / vector_bytes;  // below, single blocks are faster

/// The products of 64 bits of each lane's lower half and a number. Vector extensions know only
/// products of whole lanes, for which most processors need several instructions.
Words multiply(Words words, std::uint32_t by) {
  const Words factor = Words{} + by;
#if defined(__AVX512F__)
  constexpr __mmask8 all = 0xFF;  // without a mask, GCC 12 warns of its own header
  return std::bit_cast<Words>(
      _mm512_maskz_mul_epu32(all, std::bit_cast<__m512i>(words), std::bit_cast<__m512i>(factor)));
#elif defined(__AVX2__)
  return std::bit_cast<Words>(
      _mm256_mul_epu32(std::bit_cast<__m256i>(words), std::bit_cast<__m256i>(factor)));
#elif defined(__SSE2__) && !defined(__AVX__)
  return std::bit_cast<Words>(
      _mm_mul_epu32(std::bit_cast<__m128i>(words), std::bit_cast<__m128i>(factor)));
#else
  return (words & 0xFFFFFFFF) * factor;
#endif
}

/// Words of blocks first..first+batch_blocks-1, in order.
void philox_batch(PhiloxKey key, std::uint64_t first, std::uint32_t* words) {
  constexpr std::int64_t registers = batch_blocks / words_per_register;
  Words c[words_per_block][registers];
  Words index;
  for (std::uint64_t lane = 0; lane < words_per_register; ++lane) index[lane] = first + lane;
  for (std::int64_t i = 0; i < registers; ++i, index += words_per_register) {
    c[0][i] = index;
    c[1][i] = c[0][i] >> 32;
    c[2][i] = Words{} + key.stream;
    c[3][i] = c[2][i] >> 32;
  }
  auto key0 = static_cast<std::uint32_t>(key.seed);
  auto key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < philox_rounds; ++round) {
    for (std::int64_t i = 0; i < registers; ++i) {
      const Words product0 = multiply(c[0][i], philox_multiplier0);
      const Words product1 = multiply(c[2][i], philox_multiplier1);
      c[0][i] = (product1 >> 32) ^ c[1][i] ^ std::uint64_t{key0};
      c[1][i] = product1;
      c[2][i] = (product0 >> 32) ^ c[3][i] ^ std::uint64_t{key1};
      c[3][i] = product0;
    }
    key0 += philox_weyl0;
    key1 += philox_weyl1;
  }
  // Words 0 and 1 of each block as one number, the lower first, as they lie in memory; and 2 and 3.
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t pairs[2][batch_blocks];
  for (std::int64_t half = 0; half < 2; ++half) {
    for (std::int64_t i = 0; i < registers; ++i) {
      const Words pair = (c[2 * half][i] & 0xFFFFFFFF) | c[2 * half + 1][i] << 32;
      std::memcpy(pairs[half] + i * words_per_register, &pair, sizeof pair);
    }
  }
  for (std::int64_t block = 0; block < batch_blocks; ++block, words += words_per_block) {
    std::memcpy(words, &pairs[0][block], 8);
    std::memcpy(words + 2, &pairs[1][block], 8);
  }
}

/// The words of `blocks` <= batch_blocks blocks; there is room for a batch, and what follows those
/// asked for may be overwritten.
void draw(PhiloxKey key, std::uint64_t first, std::int64_t blocks, std::uint32_t* words) {
  if (blocks >= fewest_for_batch) return philox_batch(key, first, words);
  for (std::int64_t i = 0; i < blocks; ++i) {
    std::ranges::copy(philox_block(key, first + static_cast<std::uint64_t>(i)),
                      words + i * words_per_block);
  }
}

}  // namespace

void philox_words(PhiloxKey key, std::uint64_t index, std::int64_t blocks, std::uint32_t* words) {
  for (; blocks >= batch_blocks; blocks -= batch_blocks, words += batch_words) {
    philox_batch(key, index, words);
    index += batch_blocks;
  }
  std::uint32_t last[batch_words];
  draw(key, index, blocks, last);
  std::copy_n(last, blocks * words_per_block, words);
}

template <class T>
void dropout_factors(const PhiloxDropout& dropout, std::int64_t begin, std::int64_t count,
                     T* factors) {
  const std::uint32_t threshold = dropout.threshold();
  const T kept = static_cast<T>(dropout.kept_scale());
  std::uint32_t words[batch_words];
  std::int64_t skipped = begin % words_per_block;  // words of the first block that come before
  std::uint64_t block = dropout.first_block + static_cast<std::uint64_t>(begin) / words_per_block;
  while (count > 0) {
    const std::int64_t blocks =
        std::min(batch_blocks, (skipped + count + words_per_block - 1) / words_per_block);
    const std::int64_t here = std::min(count, blocks * words_per_block - skipped);
    draw(dropout.key, block, blocks, words);
    for (std::int64_t i = 0; i < here; ++i) {
      factors[i] = words[skipped + i] >> 8 >= threshold ? kept : T{0};
    }
    factors += here;
    count -= here;
    block += static_cast<std::uint64_t>(blocks);
    skipped = 0;
  }
}

template void dropout_factors(const PhiloxDropout&, std::int64_t, std::int64_t, float*);
template void dropout_factors(const PhiloxDropout&, std::int64_t, std::int64_t, double*);

}  // namespace lectern::kernels
