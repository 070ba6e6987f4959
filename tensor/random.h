#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tensor/kernels/philox.h"
#include "tensor/tensor.h"

namespace lectern {

/// Counter-based random numbers (Philox4x32-10): block n of a key is a pure function of key and n,
/// so any element of any draw can be computed by itself, by any thread, again.
///
/// A handle: copies share key and counter. A draw of n 32-bit words reserves ceil(n/4) blocks from
/// the counter on; element i in row-major order is word i mod 4 of block start + i/4 (doubles take
/// two words each). Threads that draw at the same time need generators of their own (stream()).
/// Ref: Salmon et al. (2011), "Parallel random numbers: as easy as 1, 2, 3", SC11.
class Rng {
 public:
  /// Where a generator stands: all that a checkpoint has to store.
  struct State {
    std::uint64_t key;
    std::uint64_t counter;  ///< next block
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Rng(std::uint64_t seed);
  /// An independent generator that depends only on this one's key and on n, not on the counter.
  Rng stream(std::uint64_t n) const;

  State state() const { return *state_; }
  void set_state(State state) { *state_ = state; }  ///< for every copy of this handle
  /// Reserves blocks for a draw of `words` 32-bit words; returns the first block's number.
  std::uint64_t reserve(std::int64_t words);

  /// The source its draws come from, for kernels that compute their own words.
  kernels::PhiloxKey key() const;

  /// Uniform in [low, high): f32 has 24 random bits, f64 has 53.
  /// Throws: DTypeError unless floating, ValueError unless high - low is finite and >= 0.
  Tensor uniform(const Shape& shape, double low, double high, DType dtype = DType::f32);
  Tensor uniform(const Shape& shape, DType dtype = DType::f32) {
    return uniform(shape, 0, 1, dtype);
  }
  /// Normal, by the Box–Muller transform.
  /// Throws: DTypeError unless floating, ValueError unless both are finite, stddev >= 0.
  Tensor normal(const Shape& shape, double mean, double stddev, DType dtype = DType::f32);
  Tensor normal(const Shape& shape, DType dtype = DType::f32) { return normal(shape, 0, 1, dtype); }
  /// bool, true with probability p, which counts in steps of 2^-24. True is what a dropout of the
  /// same words would drop. Throws: ValueError unless 0 <= p <= 1.
  Tensor bernoulli(const Shape& shape, double p);
  /// i64, exactly uniform in [low, high). Throws: ValueError unless low < high.
  Tensor integers(const Shape& shape, std::int64_t low, std::int64_t high);
  /// i64 [n]: 0..n-1 in random order (Fisher–Yates). Throws: ValueError unless n >= 0.
  Tensor permutation(std::int64_t n);

 private:
  explicit Rng(State state) : state_(std::make_shared<State>(state)) {}
  std::shared_ptr<State> state_;
};

/// The mask of a dropout over `elements`, reserved but not computed: kernels compute it where they
/// need it, forward and backward. Every op that drops begins with this.
/// Throws: ValueError naming `op` unless 0 <= p <= 1; NaN is refused too.
kernels::PhiloxDropout reserve_dropout(std::string_view op, double p, std::int64_t elements,
                                       Rng& rng);

/// x with the elements of the mask set to 0 and the others divided by 1 - p; all 0 for p = 1.
/// Throws: DTypeError unless floating.
Tensor dropout(const Tensor& x, const kernels::PhiloxDropout& mask);

}  // namespace lectern
