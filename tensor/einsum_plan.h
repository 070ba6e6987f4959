#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/einsum_parse.h"

namespace lectern {

/// How one operand is read before any product: letters that it repeats become a diagonal, axes of
/// extent 1 that broadcast are left out (views, both), and letters that occur nowhere else are
/// summed.
struct EinsumRead {
  Labels kept;    ///< distinct
  Labels summed;  ///< distinct
};

/// A product of two tensors over the letters that end here. Each letter of the two falls into one
/// of four groups; together the groups make it a batch of matrix products:
///   c[batch, rows, columns] = sum over summed of a[batch, rows, summed] · b[batch, summed,
///   columns]
struct EinsumStep {
  int left, right;           ///< 0..n-1 are the operands, n + s is the result of step s
  Labels batch;              ///< in both, and needed later
  Labels rows;               ///< in the left one alone
  Labels columns;            ///< in the right one alone
  Labels summed;             ///< in both, and needed no more
  double products, m, n, k;  ///< extents of the four groups

  Labels result() const;  ///< batch, rows, columns
  /// Floating-point operations: a multiplication and an addition for each term.
  double flop() const { return 2 * products * m * n * k; }
};

/// How an einsum is computed: how each operand is read, then which two tensors are multiplied.
struct EinsumPlan {
  EinsumAxes axes;
  std::vector<EinsumRead> reads;  ///< one for each operand
  std::vector<EinsumStep> steps;  ///< one fewer than operands

  double flop() const;
};

/// Plans the pairs greedily: next is always the product whose result is the smallest compared to
/// what it replaces; among equals the one with the fewest operations, then the leftmost.
EinsumPlan plan_einsum(EinsumAxes axes);

/// The plan as a table: letters and extents; for each step how the operands are permuted, the
/// extents of its products and its FLOP.
std::string to_string(const EinsumPlan& plan);

// Parts of that text.

/// The letters as "[b q k]".
std::string labels_text(const EinsumAxes& axes, const Labels& labels);
/// The equation that `axes` stands for: "bij,bjk->bik", or "[...1 i],[i]->[...1]" if there are axes
/// of an ellipsis, each of which has its own name.
std::string equation_text(const EinsumAxes& axes);
/// The table without its letters, the operands under these names.
std::string plan_text(const EinsumPlan& plan, std::span<const std::string> names);

}  // namespace lectern
