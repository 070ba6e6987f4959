#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/einsum_plan.h"
#include "tensor/tensor.h"

namespace lectern {

/// Einstein's summation: names the axes of each operand with letters, and sums the products of all
/// elements over the letters that the result does not have.
///
///   einsum("bij,bjk->bik", {x, y})     batched matrix product
///   einsum("bqhd,bkhd->bhqk", {q, k})  attention scores, heads not yet moved to the front
///   einsum("ii", {a})                  trace
///
/// The equation:
///   - Blanks mean nothing. Upper and lower case are different letters.
///   - A letter that one operand repeats walks along the diagonal.
///   - An ellipsis stands for any number of axes, which broadcast aligned at the right.
///   - A letter of extent 1 in one operand takes the extent it has in the others.
///   - Without an arrow the result has the ellipsis, then the letters that occur exactly once, in
///     code-point order. With an arrow whose result has no ellipsis, the ellipsis is summed.
///
/// Views and batched matrix products do the work; einsum_explain shows which. The result is dense
/// and shares storage with no operand.
/// Throws: ValueError if the equation is malformed, ShapeError if the operands do not fit it,
///         DTypeError unless all are f32 or all f64.
/// Ref:    Einstein (1916), "Die Grundlage der allgemeinen Relativitätstheorie", section 5.
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands);

/// Runs a plan on operands of the shapes it was made for.
Tensor einsum(const EinsumPlan& plan, const std::vector<Tensor>& operands);

/// What einsum does with operands of these shapes, as text: the letters, how each operand is
/// permuted, the extents of each matrix product and its FLOP; then the same for the gradient of
/// each operand, which is an einsum with the letters exchanged (tensor/einsum_gradient.h).
/// Throws: as einsum.
std::string einsum_explain(std::string_view equation, const std::vector<Shape>& shapes);

/// The view of x, an operand, that has these distinct axes: letters that the operand repeats walk
/// its diagonal, axes of extent 1 that broadcast and are not asked for are left out.
Tensor labelled_view(const Tensor& x, const EinsumOperand& operand, const Labels& wanted);

}  // namespace lectern
