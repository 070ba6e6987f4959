#pragma once

#include <span>

#include "nn/module.h"

namespace lectern::nn {

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), norm being their Euclidean norm, taken
/// over all together. Returns the norm before that.
///
/// The 1e-6 is PyTorch's: clipped gradients end below max_norm by that much, and gradients begin to
/// be scaled that much before they reach it.
///
/// A norm that is not finite is returned with the gradients left as they are: the caller skips the
/// step. Parameters without a gradient do not count.
/// Throws: ValueError unless max_norm > 0 and the parameters are leaves, each given once.
/// Ref:    Pascanu, Mikolov and Bengio (2013), "On the difficulty of training recurrent neural
///         networks", algorithm 1, arXiv:1211.5063.
double clip_grad_norm(std::span<const Parameter> parameters, double max_norm);

/// Limits every element of every gradient to -max_value..max_value. NaN stays NaN.
///
/// Throws: ValueError unless max_value > 0.
void clip_grad_value(std::span<const Parameter> parameters, double max_value);

}  // namespace lectern::nn
