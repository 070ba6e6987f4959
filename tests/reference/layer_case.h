#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "autograd/mask.h"
#include "nn/module.h"
#include "tests/reference/reference.h"

namespace lectern {

/// What a layer is called with.
struct LayerInputs {
  std::vector<Variable> x;
  std::vector<Tensor> n;  ///< integers and booleans
  std::string form;       ///< what the case's name has behind the '/'
};

/// A layer and how it is called.
struct LayerCall {
  std::shared_ptr<nn::Module> module;
  std::function<std::vector<Variable>(const LayerInputs&)> call;
};

/// call(module, inputs) returns the results.
template <class Layer, class Call>
LayerCall layer_call(Layer module, Call call) {
  const auto shared = std::make_shared<Layer>(std::move(module));
  return {shared, [shared, call](const LayerInputs& in) { return call(*shared, in); }};
}

/// Layers by the name that their cases have before the '/', to be made in a dtype.
using LayerTable = std::map<std::string, std::function<LayerCall(DType)>>;

/// Holds results and all gradients of one case, computed in `dtype`, against PyTorch's.
inline void expect_layer_case(const Reference& reference, const std::string& name, DType dtype,
                              const LayerCall& layer) {
  SCOPED_TRACE(name);
  const std::vector<NamedTensor> weights = reference.weights(name, dtype);
  layer.module->load_state_dict(weights);
  LayerInputs in{{}, reference.inputs(name, "n", dtype), name.substr(name.find('/') + 1)};
  for (const Tensor& x : reference.inputs(name, "x", dtype)) {
    in.x.emplace_back(x, /*requires_grad=*/true);
  }
  const std::vector<Variable> y = layer.call(in);

  const std::vector<Tensor> g = reference.inputs(name, "g", dtype);
  ASSERT_EQ(y.size(), g.size()) << "results";
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_TRUE(reference.matches(fmt::format("{}/y{}", name, i), y[i].value()));
    backward(y[i], g[i], {.retain_graph = true});
  }
  const auto expect_grad = [&](const std::string& entry, const Variable& leaf) {
    ASSERT_TRUE(leaf.has_grad()) << entry;
    EXPECT_TRUE(reference.matches(name + "/d" + entry, leaf.grad()));
  };
  for (std::size_t i = 0; i < in.x.size(); ++i) expect_grad(fmt::format("x{}", i), in.x[i]);
  const std::vector<nn::NamedParameter> parameters = layer.module->named_parameters();
  ASSERT_EQ(parameters.size(), weights.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].name, weights[i].name) << "parameters stand in another order";
    expect_grad("w." + parameters[i].name, parameters[i].value);
  }
}

/// Holds all cases of a file against the layers of `table`, none of which may be without cases.
inline void expect_layer_cases(std::string_view file, DType dtype, const LayerTable& table) {
  const Reference reference(file);
  std::set<std::string> seen;
  for (const std::string& name : reference.cases()) {
    const std::string layer = name.substr(0, name.find('/'));
    ASSERT_TRUE(table.contains(layer)) << name << " has values but no call";
    seen.insert(layer);
    expect_layer_case(reference, name, dtype, table.at(layer)(dtype));
  }
  for (const auto& [layer, call] : table) {
    EXPECT_TRUE(seen.contains(layer)) << layer << " has a call but no values";
  }
}

/// The mask of a case: its form says whether it is causal, its constants are the other parts.
inline Mask mask_of(const LayerInputs& in) {
  Mask mask{.causal = in.form.find("causal") != std::string::npos};
  for (const Tensor& part : in.n) {
    (part.dtype() == DType::boolean ? mask.allowed : mask.key_lengths) = part;
  }
  return mask;
}

}  // namespace lectern
