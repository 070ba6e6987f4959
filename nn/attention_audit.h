#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/mask.h"
#include "autograd/variable.h"

namespace lectern::nn {

/// What an attention may do against what was declared of it.
enum class AttentionFault {
  mixes_no_positions,  ///< no position reaches another one
  looks_at_future,     ///< a later position reaches an earlier one, though declared causal
  sees_padding,        ///< a position beyond its sample's key length reaches another one
  ignores_mask,        ///< a position reaches one from which Mask::allowed hides it
  depends_on_batch,    ///< a sample reaches another one
  gradient_differs,    ///< backward() and changing the input disagree on who reaches whom
};

/// "mixes no positions", …
std::string_view name(AttentionFault fault);

/// One fault, found at one place or at many.
struct AttentionViolation {
  AttentionFault fault;
  std::string text;  ///< a sentence with the numbers of the positions where it was first seen
};

/// What is declared of the function under audit.
struct AttentionAuditOptions {
  bool causal = false;  ///< it lets position i see the positions 0..i alone, by itself
  /// What else it hides; handed to it if it takes a mask. A position always reaches itself, since
  /// its query is made from it, so that hiding it from itself is not checked.
  Mask mask = {};
  /// A change of the result, relative to its largest element, or a gradient, relative to the
  /// largest one, that is no more than this counts as rounding. Usually every bit may count: in the
  /// library's ops a position that is hidden, or another sample, changes none. A function that
  /// takes, say, the largest score of the whole batch off all scores needs 1e-5 in f32.
  double tolerance = 0;
};

/// Who reaches whom. Rows are positions of the result and columns positions of the input, as
/// queries and keys are in attention weights.
struct AttentionAudit {
  Tensor reaches;    ///< bool [B, T, T]: [b, i, j] if position j of sample b reaches position i
  Tensor may_reach;  ///< bool [B, T, T]: the same as declared; true where i = j
  Tensor samples;    ///< bool [B, B]: [b, a] if any position of sample a reaches one of sample b
  std::vector<AttentionViolation> violations;  ///< at most one of each fault

  bool passed() const { return violations.empty(); }
};

/// The tables of positions, a line for each violation, and the verdict.
std::string to_string(const AttentionAudit& audit);

/// Finds out which position reaches which in y = f(x), and what of it was not declared.
///
/// Two ways, which should agree: each position of x is replaced by another vector to see where y
/// changes; and a gradient is sent back from each position of y to see where it arrives. That makes
/// B·T calls and B·T backward passes, so a small x is best. f is given clones of x, so x stays as
/// it is. Gradients that parameters had before are theirs again afterwards.
///
/// Through a stack of layers `allowed` is to hold what the stack as a whole may reach: what one
/// layer hides can come by way of a third position. A causal mask and padding hold through all.
/// Shapes: x [B, T, E] -> y [B, T, any].
/// Throws: ShapeError unless x is [B, T, E] with T >= 2 and f keeps B and T; DTypeError unless x is
///         f32 or f64; ValueError if f is empty, if x, y or a gradient is not finite, or if f gives
///         two results for one x, as dropout does: call eval() first; GradError under NoGrad; the
///         errors of validate() for the mask.
AttentionAudit attention_audit(const std::function<Variable(const Variable& x)>& f,
                               const Variable& x, const AttentionAuditOptions& options = {});

/// As above for a function that is told what to hide: it is called with options.mask. If its result
/// is the same without a mask, it ignores it.
AttentionAudit attention_audit(
    const std::function<Variable(const Variable& x, const Mask& mask)>& f, const Variable& x,
    const AttentionAuditOptions& options);

/// As the first for token ids, which have no gradient: each in turn is replaced by the next id.
///
/// Shapes: ids i64 [B, T] -> y [B, T, any].
/// Throws: as the first; ShapeError unless ids is [B, T]; DTypeError unless it is i64; IndexError
///         unless all ids are in 0..vocabulary-1; ValueError unless vocabulary >= 2.
AttentionAudit attention_audit(const std::function<Variable(const Tensor& ids)>& f,
                               const Tensor& ids, std::int64_t vocabulary,
                               const AttentionAuditOptions& options = {});

}  // namespace lectern::nn
