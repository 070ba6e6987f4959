#pragma once

#include <cstdint>

#include "tensor/kernels/philox.h"

namespace lectern::kernels {

// Draws from a Philox source. Every element is a function of key, first block and its own number,
// so the split over threads can not be seen in the result.
//
// A block has four words of 32 bits. Element i of a float draw belongs to word i mod 4 of block
// first + i / 4; elements of 64 bits take two words each, so element i belongs to words
// 2 (i mod 2) and 2 (i mod 2) + 1 of block first + i / 2.

/// y[i] uniform in [low, high), with 24 random bits for float and 53 for double.
template <class T>
void uniform(PhiloxKey key, std::uint64_t first, std::int64_t count, double low, double high, T* y,
             int threads);

/// y[i] normal with mean and standard deviation, two at a time from two uniforms u, v:
///   r = √(-2 ln u), y[2j] = mean + stddev r cos 2πv, y[2j + 1] = mean + stddev r sin 2πv
/// u is in (0, 1], so |y - mean| <= 6.7 stddev for float (32 bits), 8.6 for double (53 bits).
/// Ref: Box, Muller (1958), "A note on the generation of random normal deviates".
template <class T>
void normal(PhiloxKey key, std::uint64_t first, std::int64_t count, double mean, double stddev,
            T* y, int threads);

/// y[i] = philox_uniform(word) < p.
void bernoulli(PhiloxKey key, std::uint64_t first, std::int64_t count, double p, bool* y,
               int threads);

/// A number below `range`, or any 64 bits if range is 0, exactly uniform, for element i.
///
/// The upper half of the 128-bit product word · range is below range; it is uniform once the
/// 2^64 mod range lowest of the lower halves are refused. A refused word is drawn again from the
/// same place of the next stream, so that the element stays a function of its place.
/// Ref: Lemire (2019), "Fast random integer generation in an interval", arXiv:1805.10941.
std::uint64_t integer_below(std::uint64_t range, PhiloxKey key, std::uint64_t first,
                            std::int64_t i);

/// y[i] uniform in low, low + 1, …, low + range - 1 (mod 2^64); range as in integer_below.
void integers(PhiloxKey key, std::uint64_t first, std::int64_t count, std::int64_t low,
              std::uint64_t range, std::int64_t* y, int threads);

/// y[i] = x[i] · factor i of the mask, and 0 where that is 0, even if x[i] is not finite. Factors
/// are made a few hundred at a time and never stored: forward and backward are the same pass.
template <class T>
void dropout(const PhiloxDropout& mask, std::int64_t count, const T* x, T* y, int threads);

/// y[i] = a[i] + what dropout makes of b[i], bit for bit.
template <class T>
void add_dropout(const PhiloxDropout& mask, std::int64_t count, const T* a, const T* b, T* y,
                 int threads);

}  // namespace lectern::kernels
