#pragma once

#include <functional>
#include <span>
#include <string>

#include "autograd/variable.h"

namespace lectern {

/// Something differentiable of some inputs, for example
///   [](std::span<const Variable> x) { return x[0] * x[1]; }
using DifferentiableFunction = std::function<Variable(std::span<const Variable>)>;

struct GradCheckOptions {
  double step = 5e-6;  ///< of the differences, times max(1, |x|)
  /// A gradient is right if |backward − differences| <= atol + rtol · |differences|, plus what
  /// rounding can do to the differences.
  double rtol = 1e-6;
  double atol = 1e-8;
};

/// What a gradient check found.
struct GradCheck {
  bool passed = true;
  /// If not passed: which element of which input is off, both numbers, and the likeliest fault.
  std::string report;
  explicit operator bool() const { return passed; }
};

/// Compares the gradients that backward() computes for f at `inputs` with central differences
///   (f(x + h) − f(x − h)) / 2h
/// for every element of every input, against two independent random cotangents. Never against
/// ones: the sum of a softmax is constant, so ones would pass a backward that returns zeros.
///
/// f must be smooth near the inputs, and draw the same random numbers each time. Each input keeps
/// the strides it is given with, unless elements overlap.
/// Throws: DTypeError unless all inputs and the result are f64.
GradCheck check_gradients(const DifferentiableFunction& f, std::span<const Tensor> inputs,
                          GradCheckOptions options = {});

}  // namespace lectern
