#include "tensor/kernels/philox.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tensor/kernels/simd.h"

namespace lectern::kernels {
namespace {

constexpr std::int64_t blocks_together = 8;

/// A word of each of the blocks that are computed together, in a lane wide enough for its products.
using Words [[gnu::vector_size(8 * blocks_together)]] = std::uint64_t;

constexpr std::uint64_t low_half = 0xFFFFFFFF;

/// The same ten rounds as philox4x32, for eight blocks at a time.
[[maybe_unused]] void philox_words_together(PhiloxKey key, std::uint64_t index, std::uint32_t* words) {
  const Words counter = index + Words{0, 1, 2, 3, 4, 5, 6, 7};
  Words c0 = counter & low_half;
  Words c1 = counter >> 32;
  Words c2 = Words{} + (key.stream & low_half);
  Words c3 = Words{} + (key.stream >> 32);
  auto k0 = static_cast<std::uint32_t>(key.seed);
  auto k1 = static_cast<std::uint32_t>(key.seed >> 32);
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const Words product0 = c0 * std::uint64_t{0xD2511F53};
    const Words product1 = c2 * std::uint64_t{0xCD9E8D57};
    c0 = (product1 >> 32) ^ c1 ^ std::uint64_t{k0};
    c1 = product1 & low_half;
    c2 = (product0 >> 32) ^ c3 ^ std::uint64_t{k1};
    c3 = product0 & low_half;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  // Little endian: the two words of a lane lie in memory one after the other.
  const Words first = c0 | c1 << 32;
  const Words second = c2 | c3 << 32;
  const Words pairs[] = {__builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11),
                         __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15)};
  std::memcpy(words, pairs, sizeof pairs);
}

}  // namespace

void philox_words(PhiloxKey key, std::uint64_t index, std::int64_t blocks, std::uint32_t* words) {
  // Only with registers of 512 bits is there an instruction for these products; without it the
  // scalar code is faster.
  if constexpr (vector_bytes == sizeof(Words) && std::endian::native == std::endian::little) {
    for (; blocks >= blocks_together; blocks -= blocks_together) {
      philox_words_together(key, index, words);
      index += static_cast<std::uint64_t>(blocks_together);
      words += blocks_together * words_per_block;
    }
  }
  for (; blocks > 0; --blocks, ++index, words += words_per_block) {
    const PhiloxBlock block = philox_block(key, index);
    std::memcpy(words, block.data(), sizeof block);
  }
}

template <class T>
void dropout_factors(const PhiloxDropout& dropout, std::int64_t begin, std::int64_t count,
                     T* factors) {
  constexpr std::int64_t chunk = 8 * blocks_together;  // blocks
  std::uint32_t words[chunk * words_per_block];
  const auto p = static_cast<float>(dropout.p);
  const T kept = static_cast<T>(dropout.kept_scale());
  std::int64_t skipped = begin % words_per_block;  // words of the first block that come before
  std::uint64_t block = dropout.first_block + static_cast<std::uint64_t>(begin) / words_per_block;
  while (count > 0) {
    const std::int64_t blocks = std::min(chunk, (skipped + count + 3) / words_per_block);
    const std::int64_t here = std::min(count, blocks * words_per_block - skipped);
    philox_words(dropout.key, block, blocks, words);
    for (std::int64_t i = 0; i < here; ++i) {
      factors[i] = philox_uniform(words[skipped + i]) >= p ? kept : T{0};
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
