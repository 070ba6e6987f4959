#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/variable.h"
#include "tests/reference/reference.h"

namespace lectern {

using Inputs = const std::vector<Variable>&;
using Constants = const std::vector<Tensor>&;

/// What a call returns: one variable or several.
struct Results : std::vector<Variable> {
  Results(const Variable& y) : vector{y} {}
  Results(std::vector<Variable> y) : vector(std::move(y)) {}
};

/// An op, applied to the inputs (which want gradients) and constants of a case.
using Call = std::function<Results(Inputs x, Constants n)>;

/// Calls by what stands before the last '/' of their cases' names: "op" or "op, variant".
using Calls = std::map<std::string, Call>;

/// Runs all cases of data/ops/<family>.safetensors in f64 and f32, with operands that lie in memory
/// in different ways, and holds results and gradients against PyTorch's. Each case must have a call
/// and each call a case. `tolerances` has the cases, by name, that need one of their own.
void expect_cases(std::string_view family, const Calls& calls,
                  const std::map<std::string, Tolerance>& tolerances = {});

}  // namespace lectern
