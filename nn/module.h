#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "tensor/named_tensor.h"

namespace lectern::nn {

/// A trained leaf of the graph: a handle, so assigning one to another ties the two.
using Parameter = Variable;

struct NamedParameter {
  std::string name;  ///< dotted path, e.g. "encoder.layers.0.self_attn.in_proj_weight"
  Parameter value;   ///< shares value and gradient with the module's own
};

class Module;

/// What a module is made of, filled in by its describe().
class Members {
 public:
  void operator()(std::string_view name, const Parameter& parameter);
  /// A child; with an empty name its members stand in the parent's place.
  void operator()(std::string_view name, Module& child);
  template <std::derived_from<Module> M>
  void operator()(std::string_view name, std::vector<M>& children) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      (*this)(std::string(name) + "." + std::to_string(i), children[i]);
    }
  }
  /// A tensor that is saved but not trained.
  void buffer(std::string_view name, const Tensor& tensor);

 private:
  friend class Module;
  std::string prefix_;
  std::vector<NamedParameter> parameters_;
  std::vector<NamedTensor> buffers_;
  std::vector<Module*> modules_;
};

/// Base of all layers. Names, parameter lists, train/eval, the state dict and printing all follow
/// from describe(), which lists each member exactly once. Whatever asks for them throws ValueError
/// if two have one name.
///
/// operator() is not virtual: each module has its natural signature.
///
/// Thread safety: threads may use one module at the same time in evaluation mode. In training mode
/// dropout draws, backward() adds to the gradients and an optimizer writes: those need the module
/// to themselves, as do train() and load_state_dict().
class Module {
 public:
  virtual ~Module() = default;

  /// In order of description, depth first; a tied parameter once, under its first name.
  std::vector<NamedParameter> named_parameters();
  std::vector<Parameter> parameters();
  /// Elements of all parameters, tied ones counted once.
  std::int64_t parameter_count();

  /// Parameters, then buffers, by name, sharing storage with the module: clone for a snapshot.
  std::vector<NamedTensor> state_dict();
  /// Copies `entries` into the parameters and buffers, by name.
  /// Throws: ShapeError listing every entry that is missing, unexpected, given twice, mis-shaped or
  ///         mis-typed; the module is unchanged then.
  void load_state_dict(std::span<const NamedTensor> entries);

  /// Training mode (dropout drops) or, with false, evaluation mode, for this module and all below.
  void train(bool on = true);
  void eval() { train(false); }
  bool training() const { return training_; }
  void zero_grad();  ///< forgets the gradients of all parameters

 protected:
  Module() = default;
  Module(Module&&) = default;  // move-only: a copy would silently share parameters
  Module& operator=(Module&&) = default;

 private:
  friend class Members;
  virtual void describe(Members& members) = 0;
  Members members();

  bool training_ = true;
};

}  // namespace lectern::nn
