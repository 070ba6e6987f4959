#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "autograd/grad_check.h"

namespace lectern {

/// Passes if backward() agrees with central differences for every element of every input (f64);
/// see check_gradients.
///   EXPECT_TRUE(gradients_match([](auto x) { return x[0] * x[1]; }, {a, b}));
inline testing::AssertionResult gradients_match(const DifferentiableFunction& f,
                                                const std::vector<Tensor>& inputs,
                                                GradCheckOptions options = {}) {
  const GradCheck check = check_gradients(f, inputs, options);
  if (check) return testing::AssertionSuccess();
  return testing::AssertionFailure() << check.report;
}

}  // namespace lectern
