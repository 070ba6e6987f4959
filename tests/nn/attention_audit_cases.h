#pragma once

#include <string>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "nn/attention_audit.h"
#include "tensor/compare.h"
#include "tensor/indexing.h"
#include "tensor/random.h"

namespace lectern::nn {

using Fault = AttentionFault;
using Faults = std::vector<Fault>;

inline Variable sentences(DType dtype = DType::f64) {  // [B, T, E]
  return Variable(Rng(5).normal({2, 5, 4}, dtype));
}

inline Tensor lengths(double a, double b) { return Tensor::from({a, b}, {2}, DType::i64); }

/// bool [5, 5]: every position sees itself and its neighbours.
inline Tensor band() {
  const Tensor ones = Tensor::ones({5, 5});
  return equal(tril(triu(ones, -1), 1), 1);
}

/// The plainest attention: x itself is queries, keys and values. The scores are small, so that no
/// weight is nearly 0.
inline Variable attend(const Variable& x, const Mask& mask) {
  return matmul(masked_softmax(0.1 * matmul(x, transpose(x, 1, 2)), mask), x);
}

inline Faults faults(const AttentionAudit& audit) {
  Faults found;
  for (const AttentionViolation& violation : audit.violations) found.push_back(violation.fault);
  return found;
}

/// The sentence about a fault; empty if it was not found.
inline std::string sentence(const AttentionAudit& audit, Fault fault) {
  for (const AttentionViolation& violation : audit.violations) {
    if (violation.fault == fault) return violation.text;
  }
  return "";
}

}  // namespace lectern::nn
