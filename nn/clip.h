#pragma once

#include <span>

#include "nn/module.h"

namespace lectern::nn {

/// Scales all gradients by max_norm / norm if their Euclidean norm, taken over all together, is
/// more than max_norm. Returns the norm before that.
///
/// A norm that is not finite is returned with the gradients left as they are: the caller skips the
/// step. Parameters without a gradient do not count.
/// Throws: ValueError unless max_norm > 0.
/// Ref:    Pascanu, Mikolov and Bengio (2013), "On the difficulty of training recurrent neural
///         networks", algorithm 1, arXiv:1211.5063; as in PyTorch, the divisor is norm + 1e-6.
double clip_grad_norm(std::span<const Parameter> parameters, double max_norm);

/// Limits every element of every gradient to -max_value..max_value. NaN stays NaN.
///
/// Throws: ValueError unless max_value > 0.
void clip_grad_value(std::span<const Parameter> parameters, double max_value);

}  // namespace lectern::nn
