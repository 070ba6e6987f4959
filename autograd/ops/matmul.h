#pragma once

#include "autograd/variable.h"

namespace lectern {

/// Matrix product by NumPy's rules: c_ij = sum_p a_ip b_pj over the last two axes.
///
/// Rules, shapes and errors as for tensors (tensor/matmul.h). Each gradient is one product that is
/// added straight to the running sum; where an operand was broadcast over the batch, the batch is
/// summed inside the product.
Variable matmul(const Variable& a, const Variable& b);

}  // namespace lectern
