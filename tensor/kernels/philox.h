#pragma once

#include <array>
#include <cstdint>

namespace lectern::kernels {

// Random numbers as a function of a position, not of a history: word i of a draw can be computed
// by any thread, at any time, and again in the backward pass.
//
// Philox4x32-10 scrambles a 128-bit counter with a 64-bit key in ten rounds. A round multiplies two
// of the four words by constants to 64 bits, mixes the high halves with the other two words and the
// round's key, and exchanges places; the key advances by Weyl constants (golden ratio, √3 - 1).
//
// Ref: Salmon, Moraes, Dror, Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", SC'11.

/// Four random words, as one block of the generator yields them.
using PhiloxBlock = std::array<std::uint32_t, 4>;
inline constexpr std::int64_t words_per_block = 4;

// The constants of Philox4x32-10: multipliers of the words, and steps of the key's two words.
inline constexpr int philox_rounds = 10;
inline constexpr std::uint32_t philox_multiplier0 = 0xD2511F53, philox_multiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t philox_weyl0 = 0x9E3779B9, philox_weyl1 = 0xBB67AE85;

/// Philox4x32-10 of a counter and key, words in the order of the paper's reference.
constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{philox_multiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{philox_multiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += philox_weyl0;
    key[1] += philox_weyl1;
  }
  return counter;
}

/// A source of random blocks; different seeds or streams are independent.
struct PhiloxKey {
  std::uint64_t seed = 0;    ///< the generator's key
  std::uint64_t stream = 0;  ///< upper half of the counter
};

/// Block number `index` of a source.
constexpr PhiloxBlock philox_block(PhiloxKey key, std::uint64_t index) {
  return philox4x32(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
       static_cast<std::uint32_t>(key.stream), static_cast<std::uint32_t>(key.stream >> 32)},
      {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
}

/// The words of blocks index, index + 1, …, index + blocks - 1, one after the other.
void philox_words(PhiloxKey key, std::uint64_t index, std::int64_t blocks, std::uint32_t* words);

/// Uniform in [0, 1), a multiple of 2^-24: exact in float and double.
constexpr float philox_uniform(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}

/// A dropout mask: element i of a draw that starts at block `first_block` is kept if the uniform of
/// word i mod 4 of block first_block + i / 4 is at least p.
struct PhiloxDropout {
  double p = 0;  ///< probability of being dropped, 0..1; 0 = no dropout
  PhiloxKey key = {};
  std::uint64_t first_block = 0;

  /// uniform >= p as integers: kept if (word >> 8) >= threshold, the smallest integer >= p 2^24.
  constexpr std::uint32_t threshold() const {
    const double scaled = p * 0x1p24;
    const auto below = static_cast<std::uint32_t>(scaled);
    return static_cast<double>(below) < scaled ? below + 1 : below;
  }

  /// 1 / (1 - p), or 0 where everything is dropped.
  constexpr double kept_scale() const { return p < 1 ? 1 / (1 - p) : 0; }
};

/// Writes factors[i] = kept_scale if element begin + i of the draw is kept, else 0, for i < count.
template <class T>
void dropout_factors(const PhiloxDropout& dropout, std::int64_t begin, std::int64_t count,
                     T* factors);

}  // namespace lectern::kernels
