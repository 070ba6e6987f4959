#pragma once

#include "autograd/variable.h"
#include "tensor/random.h"

namespace lectern {

/// Sets each element to 0 with probability p and divides the others by 1 - p, so that the expected
/// value stays; outside training it is x itself, for every p. dx = g with the same mask and factor.
///
/// The mask is not kept but computed again in the backward pass. It is reserved from `rng` (which
/// goes on, so the next call drops other elements): element i of x in row-major order is dropped if
/// word i mod 4 of block start + i / 4 says so. p = 0 gives x itself and draws nothing; p = 1 gives
/// zeros, also for the gradient.
/// Throws: ValueError unless 0 <= p <= 1, in training or not; DTypeError unless x is f32 or f64.
/// Ref:    Srivastava et al. (2014), "Dropout: a simple way to prevent neural networks from
///         overfitting", JMLR 15.
Variable dropout(const Variable& x, double p, Rng& rng, bool training = true);

/// a + dropout(b, p, rng, training) in one pass, bit for bit: a residual connection. da = g, db as
/// in dropout. Outside training, and for p = 0, it is a + b.
///
/// Shapes: a, b of one shape, which is the result's; nothing broadcasts.
/// Throws: ShapeError, DTypeError if they do not fit; ValueError as dropout.
Variable add_dropout(const Variable& a, const Variable& b, double p, Rng& rng,
                     bool training = true);

}  // namespace lectern
