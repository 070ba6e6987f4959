#include "autograd/ops/matmul.h"

#include "tensor/matmul.h"
#include "tensor/views.h"

namespace lectern {
namespace {

Tensor as_row(const Tensor& a) { return a.rank() == 1 ? unsqueeze(a, 0) : a; }     // [..., m, k]
Tensor as_column(const Tensor& b) { return b.rank() == 1 ? unsqueeze(b, 1) : b; }  // [..., k, n]

/// g with the axes that a 1-d operand took from the result.
Tensor as_matrix(const Tensor& g, bool a_is_row, bool b_is_column) {
  const Tensor columns = b_is_column ? unsqueeze(g, -1) : g;  // [..., n]
  return a_is_row ? unsqueeze(columns, -2) : columns;         // [..., m, n]
}

Tensor transposed(const Tensor& x) { return transpose(x, -2, -1); }

}  // namespace

// C = A B        dA = G Bᵀ        dB = Aᵀ G        (summed over the batch where an operand has
// none)
Variable matmul(const Variable& a, const Variable& b) {
  const bool row = a.rank() == 1, column = b.rank() == 1;
  const auto da = [=, b = saved(b), shape = a.shape()](const Tensor& g, Gradient& sum) {
    const auto [out, accumulate] = sum.target(shape, g.dtype());
    matmul_into(as_row(out), as_matrix(g, row, column), transposed(as_column(*b)), accumulate);
  };
  const auto db = [=, a = saved(a), shape = b.shape()](const Tensor& g, Gradient& sum) {
    const auto [out, accumulate] = sum.target(shape, g.dtype());
    matmul_into(as_column(out), transposed(as_row(*a)), as_matrix(g, row, column), accumulate);
  };
  return record("matmul", matmul(a.value(), b.value()), wrt(a, da), wrt(b, db));
}

}  // namespace lectern
