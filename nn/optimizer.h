#pragma once

#include <span>
#include <vector>

#include "nn/module.h"

namespace lectern::nn {

/// Changes parameters by their gradients. The state of each parameter is saved under its name.
///
/// A parameter that no gradient has reached since zero_grad() is left alone.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One update from the gradients that are there.
  virtual void step() = 0;
  void zero_grad();  ///< forgets the gradients

  double lr() const { return lr_; }
  /// Throws: ValueError unless lr is finite and not negative.
  void set_lr(double lr);

  /// All that a later step depends on besides parameters and options: by parameter name, the
  /// optimiser's own tensors, which it shares: clone them for a snapshot.
  std::vector<NamedTensor> state_dict() const;
  /// Throws: ShapeError listing every entry that does not fit, ValueError for a value that no
  ///         optimiser reaches; nothing is changed then.
  virtual void load_state_dict(std::span<const NamedTensor> entries);

 protected:
  /// Throws: ValueError unless every parameter is a dense leaf that requires a gradient, given once
  ///         and under a name of its own.
  Optimizer(std::vector<NamedParameter> parameters, double lr);

  /// What the optimiser keeps of one kind (a moment, say) for each parameter.
  using Slots = std::vector<Tensor>;
  Slots& add_slots(std::string_view kind);     ///< like the parameters, zero at first
  Slots& add_counters(std::string_view kind);  ///< i64 [], zero at first

  std::vector<NamedParameter> parameters_;

 private:
  Slots& add(std::string_view kind, Slots slots);
  struct NamedSlots {
    std::string kind;
    Slots slots;
  };
  std::vector<std::unique_ptr<NamedSlots>> slots_;
  double lr_;
};

/// Names parameters "0", "1", …, for optimisers of parameters that belong to no module.
std::vector<NamedParameter> numbered(std::span<const Parameter> parameters);

/// Stochastic gradient descent:
///
///   g = dp + weight_decay p
///   u = g, or with momentum  b = momentum b + g,  u = b, or with nesterov  u = g + momentum b
///   p -= lr u
///
/// b starts at 0, so its first value is g.
/// Ref: Sutskever et al. (2013), "On the importance of initialization and momentum in deep
///      learning", ICML; the form of the update is PyTorch's.
class SGD final : public Optimizer {
 public:
  struct Options {
    double lr = 1e-2;
    double momentum = 0;
    bool nesterov = false;
    double weight_decay = 0;
  };
  SGD(std::vector<NamedParameter> parameters, Options options);
  void step() override;

 private:
  Options options_;
  Slots* momentum_ = nullptr;
};

/// Adam: steps of about lr in each coordinate, whatever the size of the gradients.
///
///   g = dp + weight_decay p
///   m = β₁ m + (1-β₁) g,  v = β₂ v + (1-β₂) g²,  m̂ = m / (1-β₁ᵗ),  v̂ = v / (1-β₂ᵗ)
///   p -= lr m̂ / (√v̂ + ε)        t = 1 at the first step
///
/// As in PyTorch, t counts the updates of each parameter by itself: one that has no gradient at
/// first then begins with steps of about lr, too.
/// Ref: Kingma and Ba (2015), "Adam: a method for stochastic optimization", algorithm 1,
///      arXiv:1412.6980.
class Adam : public Optimizer {
 public:
  struct Options {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 0;
  };
  Adam(std::vector<NamedParameter> parameters, Options options)
      : Adam(std::move(parameters), options, /*decoupled=*/false) {}
  void step() override;
  void load_state_dict(std::span<const NamedTensor> entries) override;

 protected:
  Adam(std::vector<NamedParameter> parameters, const Options& options, bool decoupled);

 private:
  template <class T>
  void update();  ///< the parameters with elements of type T

  Options options_;
  bool decoupled_;
  Slots& steps_;  ///< t
  Slots& m_;
  Slots& v_;
};

/// Adam with weight decay that does not pass through the moments: p -= lr weight_decay p first.
///
/// Ref: Loshchilov and Hutter (2019), "Decoupled weight decay regularization", algorithm 2,
///      arXiv:1711.05101.
class AdamW final : public Adam {
 public:
  struct Options {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 1e-2;
  };
  AdamW(std::vector<NamedParameter> parameters, Options o)
      : Adam(std::move(parameters), {o.lr, o.beta1, o.beta2, o.eps, o.weight_decay},
             /*decoupled=*/true) {}
};

}  // namespace lectern::nn
