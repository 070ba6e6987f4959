#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// The op whose derivative is running on this thread; empty outside backward().
std::string_view op_in_backward();

/// Throws GradError naming the op in backward unless dx, made for an input of this shape and dtype,
/// has them. A sum that is missing after broadcasting is pointed out.
void require_gradient_fits(const Tensor& dx, const Shape& shape, DType dtype);

/// The running sum of the gradients that arrive at one node during a backward pass.
class Gradient {
 public:
  bool empty() const { return !sum_.defined(); }

  /// Adds dx. The first one is kept as it is; later ones are added in place if the sum is dense
  /// and nobody else holds its storage. Throws: GradError unless it has the shape and dtype of the
  /// sum.
  void add(Tensor dx);

  /// Where a derivative may write its own part: the kernel adds to `out` if `accumulate`, else it
  /// overwrites it.
  struct Target {
    Tensor& out;  ///< dense, of the node's shape and dtype
    bool accumulate;
  };
  /// For large summed gradients (weights of a product): the kernel adds straight into the sum,
  /// without a tensor in between.
  Target target(const Shape& shape, DType dtype);

  const Tensor& value() const { return sum_; }  ///< undefined if empty()
  /// The sum, which is given up.
  Tensor take() { return std::move(sum_); }
  /// As take(), sharing storage with nothing.
  Tensor take_unshared();

 private:
  Tensor sum_;
};

}  // namespace lectern
