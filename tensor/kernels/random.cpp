#include "tensor/kernels/random.h"

#include <cmath>
#include <numbers>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd.h"

namespace lectern::kernels {
namespace {

/// The 64 bits of words 2·half and 2·half + 1, the first one lowest.
std::uint64_t wide_word(const PhiloxBlock& block, std::size_t half) {
  return block[2 * half] | std::uint64_t{block[2 * half + 1]} << 32;
}

/// Uniform in [0, 1), a multiple of 2^-53.
double wide_uniform(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

/// Elements of T that one block yields.
template <class T>
constexpr std::size_t kPerBlock = 16 / std::max<std::size_t>(sizeof(T), 4);

template <class T>
using Values = std::array<T, kPerBlock<T>>;

/// Writes the elements values(block) that each block yields.
template <class T, class Make>
void draw(PhiloxKey key, std::uint64_t first, std::int64_t count, T* y, int threads,
          const Make& values) {
  constexpr std::int64_t per_block = kPerBlock<T>;
  constexpr std::int64_t chunk = 64;  // blocks whose words are computed together
  const std::int64_t blocks = (count + per_block - 1) / per_block;
  parallel_for((blocks + chunk - 1) / chunk, threads, [&](std::int64_t begin, std::int64_t end) {
    std::array<PhiloxBlock, chunk> words;
    for (std::int64_t at = begin * chunk; at < std::min(end * chunk, blocks); at += chunk) {
      const std::int64_t here = std::min(chunk, blocks - at);
      philox_words(key, first + static_cast<std::uint64_t>(at), here, words[0].data());
      for (std::int64_t b = 0; b < here; ++b) {
        const Values<T> made = values(words[static_cast<std::size_t>(b)]);
        const std::int64_t to = (at + b) * per_block;
        std::copy_n(made.begin(), std::min(per_block, count - to), y + to);
      }
    }
  });
}

double unit_uniform(const PhiloxBlock& block, std::size_t j, float) {
  return static_cast<double>(philox_uniform(block[j]));
}
double unit_uniform(const PhiloxBlock& block, std::size_t j, double) {
  return wide_uniform(wide_word(block, j));
}

/// The two uniforms behind elements 2·pair and 2·pair + 1 of a block; the first is in (0, 1].
struct UniformPair {
  double u, v;
};
UniformPair uniform_pair(const PhiloxBlock& block, std::size_t pair, float) {
  return {(static_cast<double>(block[2 * pair]) + 1) * 0x1p-32,
          static_cast<double>(block[2 * pair + 1]) * 0x1p-32};
}
UniformPair uniform_pair(const PhiloxBlock& block, std::size_t, double) {
  return {wide_uniform(wide_word(block, 0)) + 0x1p-53, wide_uniform(wide_word(block, 1))};
}

}  // namespace

template <class T>
void uniform(PhiloxKey key, std::uint64_t first, std::int64_t count, double low, double high, T* y,
             int threads) {
  // Rounding may lift low + width · u to high itself, which does not belong to the interval.
  const T last = std::nextafter(static_cast<T>(high), static_cast<T>(low));
  draw(key, first, count, y, threads, [&](const PhiloxBlock& block) {
    Values<T> made;
    for (std::size_t j = 0; j < made.size(); ++j) {
      made[j] = std::min(static_cast<T>(low + (high - low) * unit_uniform(block, j, T{})), last);
    }
    return made;
  });
}

template <class T>
void normal(PhiloxKey key, std::uint64_t first, std::int64_t count, double mean, double stddev,
            T* y, int threads) {
  draw(key, first, count, y, threads, [&](const PhiloxBlock& block) {
    Values<T> made;
    for (std::size_t j = 0; j < made.size(); j += 2) {
      const auto [u, v] = uniform_pair(block, j / 2, T{});
      const double radius = stddev * std::sqrt(-2 * std::log(u));
      const double angle = 2 * std::numbers::pi * v;
      made[j] = static_cast<T>(mean + radius * std::cos(angle));
      made[j + 1] = static_cast<T>(mean + radius * std::sin(angle));
    }
    return made;
  });
}

void bernoulli(PhiloxKey key, std::uint64_t first, std::int64_t count, double p, bool* y,
               int threads) {
  const std::uint32_t threshold = PhiloxDropout{.p = p}.threshold();
  draw(key, first, count, y, threads, [&](const PhiloxBlock& block) {
    Values<bool> made;
    for (std::size_t j = 0; j < made.size(); ++j) made[j] = block[j] >> 8 < threshold;
    return made;
  });
}

std::uint64_t integer_below(std::uint64_t range, PhiloxKey key, std::uint64_t first,
                            std::int64_t i) {
  const auto place = static_cast<std::uint64_t>(i);
  for (;; ++key.stream) {
    const std::uint64_t word = wide_word(philox_block(key, first + place / 2), place % 2);
    if (range == 0) return word;
    __extension__ using Product = unsigned __int128;
    const Product product = Product{word} * range;
    const std::uint64_t refused = (0 - range) % range;  // 2^64 mod range
    if (static_cast<std::uint64_t>(product) >= refused) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

void integers(PhiloxKey key, std::uint64_t first, std::int64_t count, std::int64_t low,
              std::uint64_t range, std::int64_t* y, int threads) {
  parallel_for(count, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      y[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) +
                                       integer_below(range, key, first, i));
    }
  });
}

namespace {

/// y[i] = f(i, factor i of the mask).
template <class T, class F>
void map_factors(const PhiloxDropout& mask, std::int64_t count, T* y, int threads, const F& f) {
  constexpr std::int64_t chunk = 256;
  parallel_for((count + chunk - 1) / chunk, threads, [&](std::int64_t begin, std::int64_t end) {
    T factors[chunk];
    for (std::int64_t at = begin * chunk; at < std::min(end * chunk, count); at += chunk) {
      const std::int64_t here = std::min(chunk, count - at);
      fetch_for_writing(y + at, here);
      dropout_factors(mask, at, here, factors);
#pragma omp simd
      for (std::int64_t i = 0; i < here; ++i) y[at + i] = f(at + i, factors[i]);
    }
  });
}

template <class T>
T dropped(T x, T factor) {
  const T scaled = x * factor;
  return factor == 0 ? T{0} : scaled;
}

}  // namespace

template <class T>
void dropout(const PhiloxDropout& mask, std::int64_t count, const T* x, T* y, int threads) {
  map_factors(mask, count, y, threads,
              [=](std::int64_t i, T factor) { return dropped(x[i], factor); });
}

template <class T>
void add_dropout(const PhiloxDropout& mask, std::int64_t count, const T* a, const T* b, T* y,
                 int threads) {
  map_factors(mask, count, y, threads,
              [=](std::int64_t i, T factor) { return a[i] + dropped(b[i], factor); });
}

template void dropout(const PhiloxDropout&, std::int64_t, const float*, float*, int);
template void dropout(const PhiloxDropout&, std::int64_t, const double*, double*, int);
template void add_dropout(const PhiloxDropout&, std::int64_t, const float*, const float*, float*,
                          int);
template void add_dropout(const PhiloxDropout&, std::int64_t, const double*, const double*, double*,
                          int);
template void uniform(PhiloxKey, std::uint64_t, std::int64_t, double, double, float*, int);
template void uniform(PhiloxKey, std::uint64_t, std::int64_t, double, double, double*, int);
template void normal(PhiloxKey, std::uint64_t, std::int64_t, double, double, float*, int);
template void normal(PhiloxKey, std::uint64_t, std::int64_t, double, double, double*, int);

}  // namespace lectern::kernels
