#include "nn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "nn/state_dict.h"
#include "tensor/kernels/adam.h"
#include "tensor/kernels/sgd.h"
#include "tensor/threads.h"

namespace lectern::nn {
namespace {

void require_fraction(std::string_view optimizer, std::string_view option, double value) {
  require<ValueError>(value >= 0 && value < 1, "{}: {} is {}; it must be in [0, 1)", optimizer,
                      option, value);
}

void require_not_negative(std::string_view optimizer, std::string_view option, double value) {
  require<ValueError>(value >= 0 && std::isfinite(value),
                      "{}: {} is {}; it must be finite and not negative", optimizer, option, value);
}

}  // namespace

Optimizer::Optimizer(std::vector<NamedParameter> parameters, double lr)
    : parameters_(std::move(parameters)), lr_(lr) {
  require_not_negative("Optimizer", "lr", lr);
  std::unordered_map<const Node*, std::string_view> name_of;
  std::unordered_set<std::string_view> names;
  for (const auto& [name, value] : parameters_) {
    require<ValueError>(value.requires_grad(), "Optimizer: \"{}\" requires no gradient", name);
    require<ValueError>(value.node()->is_leaf(),
                        "Optimizer: \"{}\" is the result of {}; only a leaf can be trained", name,
                        value.node()->op);
    require<ValueError>(value.value().is_contiguous(),
                        "Optimizer: \"{}\" of shape {} has strides {}; a parameter must be dense",
                        name, value.shape(), value.value().strides());
    require<ValueError>(names.insert(name).second, "Optimizer: two parameters are named \"{}\"",
                        name);
    const auto [known, is_new] = name_of.emplace(value.node().get(), name);
    require<ValueError>(is_new, "Optimizer: \"{}\" and \"{}\" are one parameter; give it once",
                        known->second, name);
  }
}

void Optimizer::zero_grad() {
  for (NamedParameter& parameter : parameters_) parameter.value.zero_grad();
}

void Optimizer::set_lr(double lr) {
  require_not_negative("set_lr", "lr", lr);
  lr_ = lr;
}

Optimizer::Slots& Optimizer::add(std::string_view kind, Slots slots) {
  slots_.push_back(std::make_unique<NamedSlots>(NamedSlots{std::string(kind), std::move(slots)}));
  return slots_.back()->slots;
}

Optimizer::Slots& Optimizer::add_slots(std::string_view kind) {
  Slots slots;
  for (const NamedParameter& parameter : parameters_) {
    slots.push_back(Tensor::zeros_like(parameter.value.value()));
  }
  return add(kind, std::move(slots));
}

Optimizer::Slots& Optimizer::add_counters(std::string_view kind) {
  Slots slots;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    slots.push_back(Tensor::zeros({}, DType::i64));
  }
  return add(kind, std::move(slots));
}

std::vector<NamedTensor> Optimizer::state_dict() const {
  std::vector<NamedTensor> entries;
  for (const auto& named : slots_) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      entries.push_back({named->kind + "." + parameters_[i].name, named->slots[i]});
    }
  }
  return entries;
}

void Optimizer::load_state_dict(std::span<const NamedTensor> entries) {
  std::vector<NamedTensor> own = state_dict();
  copy_entries(entries, own);
}

std::vector<NamedParameter> numbered(std::span<const Parameter> parameters) {
  std::vector<NamedParameter> named;
  for (const Parameter& parameter : parameters) {
    named.push_back({std::to_string(named.size()), parameter});
  }
  return named;
}

SGD::SGD(std::vector<NamedParameter> parameters, Options options)
    : Optimizer(std::move(parameters), options.lr), options_(options) {
  require_fraction("SGD", "momentum", options.momentum);
  require_not_negative("SGD", "weight_decay", options.weight_decay);
  require<ValueError>(!options.nesterov || options.momentum > 0,
                      "SGD: nesterov needs a momentum, which is 0");
  if (options.momentum > 0) momentum_ = &add_slots("momentum");
}

void SGD::step() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i].value;
    if (!parameter.has_grad()) continue;
    Tensor p = parameter.value();
    const Tensor g = parameter.grad().contiguous();
    visit_floating("SGD", p.dtype(), [&]<class T>() {
      T* const momentum =
          momentum_ == nullptr ? nullptr : (*momentum_)[i].template mutable_data<T>().data();
      kernels::sgd(p.mutable_data<T>().data(), g.data<T>().data(), momentum, p.numel(),
                   {lr(), options_.momentum, options_.nesterov, options_.weight_decay},
                   threads_for(p.numel()));
    });
  }
}

Adam::Adam(std::vector<NamedParameter> parameters, const Options& options, bool decoupled)
    : Optimizer(std::move(parameters), options.lr),
      options_(options),
      decoupled_(decoupled),
      steps_(add_counters("step")),
      m_(add_slots("m")),
      v_(add_slots("v")) {
  const std::string_view name = decoupled ? "AdamW" : "Adam";
  require_fraction(name, "beta1", options.beta1);
  require_fraction(name, "beta2", options.beta2);
  require_not_negative(name, "eps", options.eps);
  require_not_negative(name, "weight_decay", options.weight_decay);
}

namespace {

void require_steps(const NamedTensor& entry) {
  constexpr auto kMostSteps = std::int64_t{1} << 53;  // t is used as a double
  const std::int64_t t = *entry.value.origin<std::int64_t>();
  require<ValueError>(t >= 0 && t < kMostSteps,
                      "load: \"{}\" is {}; a number of steps is in [0, 2^53)", entry.name, t);
}

void require_no_negative(const NamedTensor& entry) {
  visit_floating("load", entry.value.dtype(), [&]<class T>() {
    const Tensor dense = entry.value.contiguous();
    const auto elements = dense.template data<T>();
    const auto negative = std::ranges::find_if(elements, [](T v) { return v < 0; });
    require<ValueError>(negative == elements.end(),
                        "load: \"{}\" has {}; a second moment is not negative", entry.name,
                        negative == elements.end() ? T{0} : *negative);
  });
}

}  // namespace

void Adam::load_state_dict(std::span<const NamedTensor> entries) {
  for (const NamedTensor& entry : entries) {
    const Tensor& value = entry.value;
    if (entry.name.starts_with("step.") && value.dtype() == DType::i64 && value.numel() == 1) {
      require_steps(entry);
    } else if (entry.name.starts_with("v.") && value.defined() && is_floating(value.dtype())) {
      require_no_negative(entry);
    }
  }
  Optimizer::load_state_dict(entries);
}

void Adam::step() {
  update<float>();
  update<double>();
}

template <class T>
void Adam::update() {
  std::vector<kernels::AdamParameter<T>> updates;
  std::vector<Tensor> gradients;  // dense ones, until they are used
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i].value;
    if (!parameter.has_grad() || parameter.dtype() != dtype_of<T>) continue;
    const auto t = static_cast<double>(++steps_[i].mutable_data<std::int64_t>()[0]);
    Tensor p = parameter.value();
    gradients.push_back(parameter.grad().contiguous());
    updates.push_back({.p = p.mutable_origin<T>(),
                       .g = gradients.back().origin<T>(),
                       .m = m_[i].template mutable_origin<T>(),
                       .v = v_[i].template mutable_origin<T>(),
                       .n = p.numel(),
                       .bias_correction1 = 1 - std::pow(options_.beta1, t),
                       .bias_correction2 = 1 - std::pow(options_.beta2, t)});
  }
  const kernels::AdamStep step{.lr = lr(),
                               .beta1 = options_.beta1,
                               .beta2 = options_.beta2,
                               .eps = options_.eps,
                               .weight_decay = options_.weight_decay,
                               .decoupled = decoupled_};
  kernels::adam<T>(updates, step, num_threads());
}

}  // namespace lectern::nn
