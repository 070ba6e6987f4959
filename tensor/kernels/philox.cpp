#include "tensor/kernels/philox.h"

#include <algorithm>
#include <cstddef>

namespace lectern::kernels {

// A block is four words that ten rounds mix with each other, but blocks do not touch: a batch of
// them is kept as four arrays of words, and the loop over the batch becomes vector code, seven
// times faster than block after block.

namespace {

constexpr std::int64_t batch_blocks = 64;
constexpr std::int64_t batch_words = batch_blocks * words_per_block;
constexpr std::int64_t fewest_for_batch = 10;  // below, single blocks are faster

/// Words of blocks first..first+batch_blocks-1, in order.
void philox_batch(PhiloxKey key, std::uint64_t first, std::uint32_t* words) {
  constexpr auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  constexpr auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  std::uint32_t c[words_per_block][batch_blocks];
  for (std::int64_t i = 0; i < batch_blocks; ++i) {
    const std::uint64_t index = first + static_cast<std::uint64_t>(i);
    c[0][i] = low(index);
    c[1][i] = high(index);
    c[2][i] = low(key.stream);
    c[3][i] = high(key.stream);
  }
  std::uint32_t key0 = low(key.seed), key1 = high(key.seed);
  for (int round = 0; round < philox_rounds; ++round) {
    for (std::int64_t i = 0; i < batch_blocks; ++i) {
      const std::uint64_t product0 = std::uint64_t{philox_multiplier0} * c[0][i];
      const std::uint64_t product1 = std::uint64_t{philox_multiplier1} * c[2][i];
      c[0][i] = high(product1) ^ c[1][i] ^ key0;
      c[1][i] = low(product1);
      c[2][i] = high(product0) ^ c[3][i] ^ key1;
      c[3][i] = low(product0);
    }
    key0 += philox_weyl0;
    key1 += philox_weyl1;
  }
  for (std::int64_t i = 0; i < batch_blocks; ++i) {
    for (std::int64_t word = 0; word < words_per_block; ++word) {
      words[i * words_per_block + word] = c[word][i];
    }
  }
}

}  // namespace

void philox_words(PhiloxKey key, std::uint64_t index, std::int64_t blocks, std::uint32_t* words) {
  while (blocks >= fewest_for_batch) {
    const std::int64_t drawn = std::min(blocks, batch_blocks);
    if (drawn == batch_blocks) {
      philox_batch(key, index, words);
    } else {
      std::uint32_t batch[batch_words];
      philox_batch(key, index, batch);
      std::copy_n(batch, drawn * words_per_block, words);
    }
    index += static_cast<std::uint64_t>(drawn);
    words += drawn * words_per_block;
    blocks -= drawn;
  }
  for (; blocks > 0; --blocks, ++index, words += words_per_block) {
    std::ranges::copy(philox_block(key, index), words);
  }
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
    philox_words(dropout.key, block, blocks, words);
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
