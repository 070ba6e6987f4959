#pragma once

#include <string_view>

#include "autograd/ops/activation.h"
#include "autograd/ops/pointwise.h"
#include "nn/module.h"

namespace lectern::nn {

// Activations as modules, for Sequential.

class Relu final : public Module {
 public:
  Variable operator()(const Variable& x) const { return relu(x); }

 private:
  void describe(Members&) override {}
};

class Gelu final : public Module {
 public:
  Variable operator()(const Variable& x) const { return gelu(x); }

 private:
  void describe(Members&) override {}
};

class Silu final : public Module {
 public:
  Variable operator()(const Variable& x) const { return silu(x); }

 private:
  void describe(Members&) override {}
};

class Tanh final : public Module {
 public:
  Variable operator()(const Variable& x) const { return tanh(x); }

 private:
  void describe(Members&) override {}
};

class Sigmoid final : public Module {
 public:
  Variable operator()(const Variable& x) const { return sigmoid(x); }

 private:
  void describe(Members&) override {}
};

}  // namespace lectern::nn
