#pragma once

#include <string>
#include <vector>

#include "tensor/einsum_plan.h"
#include "tensor/tensor.h"

namespace lectern {

/// How the gradient of one operand of an einsum is computed: by another einsum, of g, the gradient
/// of the result, and the other operands, the letters exchanged.
///
///   y = einsum("ij,jk->ik", {a, b})     da = einsum("ik,jk->ij", {g, b})
///                                       db = einsum("ik,ij->jk", {g, a})
///
/// A letter that only the operand has is then spread over its axis, and one that the operand
/// repeats is put on its diagonal, 0 elsewhere. An axis of extent 1 that was broadcast is summed.
struct EinsumGradient {
  std::size_t which;      ///< the operand's number
  EinsumPlan plan;        ///< of g, then the other operands in their order
  EinsumOperand operand;  ///< whose gradient it is
  Labels letters;         ///< of the operand, distinct, those of broadcast axes left out
  Shape with_ones;        ///< extents of `letters`, 1 where the plan does not give the letter
  Shape full;             ///< extents of `letters`
};

/// Plans the gradient of operand number `which` of an einsum; all of it follows from shapes.
EinsumGradient plan_einsum_gradient(const EinsumPlan& forward, std::size_t which);

/// The gradient of the operand, from g and the other operands in their order.
Tensor einsum_gradient(const EinsumGradient& gradient, const std::vector<Tensor>& g_and_others);

/// The equation, the plan as a table, and what becomes of its result.
std::string to_string(const EinsumGradient& gradient);

}  // namespace lectern
