#pragma once

#include "tensor/kernels/loop_nest.h"

namespace lectern::kernels {

/// to[i] = To(from[i]) for all elements of the nest, which lists {to, from}; the arrays do not
/// overlap. Anything but 0 becomes true; floats become integers by truncation.
template <class From, class To>
void copy(const LoopNest<2>& nest, const From* from, To* to, int threads);

/// to[i] = value.
template <class To>
void fill(const LoopNest<1>& nest, To value, To* to, int threads);

}  // namespace lectern::kernels
