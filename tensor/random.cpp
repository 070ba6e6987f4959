#include "tensor/random.h"

#include <cmath>
#include <utility>

#include "tensor/kernels/random.h"
#include "tensor/threads.h"

namespace lectern {
namespace {

// Streams of a key: draws take theirs from the lowest numbers, keys of child generators come from
// the highest, so that no draw can meet the words a child's key was made of.
constexpr std::uint64_t kDraws = 0;
constexpr std::uint64_t kChildren = ~std::uint64_t{0};

// A word of Philox and its use cost a few dozen elementary operations; where many are computed at
// once and compared with a bound, as in dropout, about one.
int threads_for_draw(std::int64_t count) { return threads_for(32 * count); }

}  // namespace

Rng::Rng(std::uint64_t seed) : Rng(State{.key = seed, .counter = 0}) {}

Rng Rng::stream(std::uint64_t n) const {
  const kernels::PhiloxBlock block = kernels::philox_block({state_->key, kChildren}, n);
  return Rng(State{.key = block[0] | std::uint64_t{block[1]} << 32, .counter = 0});
}

kernels::PhiloxKey Rng::key() const { return {.seed = state_->key, .stream = kDraws}; }

std::uint64_t Rng::reserve(std::int64_t words) {
  if (words == 0) return state_->counter;  // unwritten: threads may share what draws nothing
  const std::uint64_t blocks = (static_cast<std::uint64_t>(words) + 3) / 4;
  return std::exchange(state_->counter, state_->counter + blocks);
}

Tensor Rng::uniform(const Shape& shape, double low, double high, DType dtype) {
  require<ValueError>(high - low >= 0 && std::isfinite(high - low),
                      "uniform: low is {}, high is {}; high - low must be finite and at least 0",
                      low, high);
  return visit_floating("uniform", dtype, [&]<class T>() {
    Tensor y = Tensor::empty(shape, dtype);
    kernels::uniform(key(), reserve(y.numel() * size_of(dtype) / 4), y.numel(), low, high,
                     y.mutable_origin<T>(), threads_for_draw(y.numel()));
    return y;
  });
}

Tensor Rng::normal(const Shape& shape, double mean, double stddev, DType dtype) {
  require<ValueError>(std::isfinite(mean) && stddev >= 0 && std::isfinite(stddev),
                      "normal: mean is {}, stddev is {}; both must be finite and stddev at least 0",
                      mean, stddev);
  return visit_floating("normal", dtype, [&]<class T>() {
    Tensor y = Tensor::empty(shape, dtype);
    kernels::normal(key(), reserve(y.numel() * size_of(dtype) / 4), y.numel(), mean, stddev,
                    y.mutable_origin<T>(), threads_for_draw(y.numel()));
    return y;
  });
}

Tensor Rng::bernoulli(const Shape& shape, double p) {
  require<ValueError>(p >= 0 && p <= 1, "bernoulli: p is {}; it must be in 0..1", p);
  Tensor y = Tensor::empty(shape, DType::boolean);
  kernels::bernoulli(key(), reserve(y.numel()), y.numel(), p, y.mutable_origin<bool>(),
                     threads_for_draw(y.numel()));
  return y;
}

Tensor Rng::integers(const Shape& shape, std::int64_t low, std::int64_t high) {
  require<ValueError>(low < high, "integers: low is {}, high is {}; low must be less", low, high);
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  Tensor y = Tensor::empty(shape, DType::i64);
  kernels::integers(key(), reserve(2 * y.numel()), y.numel(), low, range,
                    y.mutable_origin<std::int64_t>(), threads_for_draw(y.numel()));
  return y;
}

Tensor Rng::permutation(std::int64_t n) {
  require<ValueError>(n >= 0, "permutation: n is {}; it must be at least 0", n);
  Tensor y = Tensor::empty({n}, DType::i64);
  std::int64_t* order = y.mutable_origin<std::int64_t>();
  for (std::int64_t i = 0; i < n; ++i) order[i] = i;
  const std::uint64_t first = reserve(2 * n);
  for (std::int64_t i = n - 1; i > 0; --i) {
    const std::uint64_t other =
        kernels::integer_below(static_cast<std::uint64_t>(i) + 1, key(), first, i);
    std::swap(order[i], order[other]);
  }
  return y;
}

kernels::PhiloxDropout reserve_dropout(std::string_view op, double p, std::int64_t elements,
                                       Rng& rng) {
  require<ValueError>(p >= 0 && p <= 1, "{}: p is {}; it must be in 0..1", op, p);
  return {.p = p, .key = rng.key(), .first_block = rng.reserve(elements)};
}

Tensor dropout(const Tensor& x, const kernels::PhiloxDropout& mask) {
  return visit_floating("dropout", x.dtype(), [&]<class T>() {
    const Tensor dense = x.contiguous();
    Tensor y = Tensor::empty_like(dense);
    kernels::dropout(mask, y.numel(), dense.origin<T>(), y.mutable_origin<T>(),
                     threads_for(y.numel()));
    return y;
  });
}

}  // namespace lectern
