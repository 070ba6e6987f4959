#pragma once

#include <tuple>

#include "nn/module.h"

namespace lectern::nn {

/// Modules applied one after the other: Sequential mlp(Linear(2, 8, rng), Tanh(), Linear(8, 1,
/// rng)).
///
/// Its children are named "0", "1", …, as in PyTorch.
template <std::derived_from<Module>... Ms>
class Sequential final : public Module {
 public:
  explicit Sequential(Ms... modules) : modules_(std::move(modules)...) {}

  Variable operator()(const Variable& x) const {
    Variable y = x;
    std::apply([&](const Ms&... module) { ((y = module(y)), ...); }, modules_);
    return y;
  }

  template <std::size_t I>
  auto& get() {
    return std::get<I>(modules_);
  }

 private:
  void describe(Members& members) override {
    std::apply([&, i = 0](Ms&... module) mutable { (members(std::to_string(i++), module), ...); },
               modules_);
  }

  std::tuple<Ms...> modules_;
};

}  // namespace lectern::nn
