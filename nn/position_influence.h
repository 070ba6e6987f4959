#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "autograd/variable.h"

namespace lectern::nn {

/// How strongly each position of the input of a function acts on each position of its result, from
/// 0, not at all. Position t of sample b has the number b · T + t.
class PositionInfluence {
 public:
  explicit PositionInfluence(std::int64_t positions)
      : positions_(positions), strength_(static_cast<std::size_t>(positions * positions)) {}

  double operator()(std::int64_t to, std::int64_t from) const { return strength_[at(to, from)]; }
  /// From one position to all: the largest magnitude in each row of `change` [B, T, any].
  void set_from(std::int64_t from, const Tensor& change);
  /// From all positions to one: the largest magnitude in each row of `gradient` [B, T, E].
  void set_to(std::int64_t to, const Tensor& gradient);
  /// Makes it relative to `scale`; all 0 if that is 0.
  void divide_by(double scale);
  double largest() const;

 private:
  std::size_t at(std::int64_t to, std::int64_t from) const {
    return static_cast<std::size_t>(to * positions_ + from);
  }

  std::int64_t positions_;
  std::vector<double> strength_;
};

/// Calls `change` on each position of x in turn ([E] of [B, T, E], or one id of [B, T]) and sees
/// where the result moves away from y = f(x); relative to the largest element of y, or to the
/// largest move if y is 0.
PositionInfluence influence_by_change(const std::function<Tensor(const Tensor& x)>& f,
                                      const Tensor& x, const Tensor& y,
                                      const std::function<void(Tensor& position)>& change);

/// Sends a random gradient back from each position of the result in turn and sees where it arrives
/// at x [B, T, E]; relative to the largest gradient. Gradients that leaves had before are theirs
/// again afterwards.
/// Throws: ValueError naming `op` if a gradient is not finite.
PositionInfluence influence_by_gradient(std::string_view op,
                                        const std::function<Variable(const Variable& x)>& f,
                                        const Tensor& x);

/// Throws ValueError naming `op` and the first element that is infinite or NaN.
void require_finite(std::string_view op, const Tensor& x, std::string_view what);

}  // namespace lectern::nn
