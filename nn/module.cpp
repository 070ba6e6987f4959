#include "nn/module.h"

#include <algorithm>
#include <unordered_set>

#include "nn/state_dict.h"

namespace lectern::nn {
namespace {

std::string joined(const std::string& prefix, std::string_view name) {
  if (prefix.empty()) return std::string(name);
  return name.empty() ? prefix : prefix + "." + std::string(name);
}

}  // namespace

void Members::operator()(std::string_view name, const Parameter& parameter) {
  const auto tied = [&](const NamedParameter& known) {
    return known.value.value().storage() == parameter.value().storage();
  };
  if (std::ranges::any_of(parameters_, tied)) return;
  parameters_.push_back({joined(prefix_, name), parameter});
}

void Members::operator()(std::string_view name, Module& child) {
  std::string parent = std::exchange(prefix_, joined(prefix_, name));
  modules_.push_back(&child);
  child.describe(*this);
  prefix_ = std::move(parent);
}

void Members::buffer(std::string_view name, const Tensor& tensor) {
  buffers_.push_back({joined(prefix_, name), tensor});
}

Members Module::members() {
  Members members;
  members("", *this);
  std::unordered_set<std::string_view> names;
  const auto require_new = [&names](const std::string& name) {
    require<ValueError>(names.insert(name).second, "describe: two members are named \"{}\"", name);
  };
  for (const NamedParameter& parameter : members.parameters_) require_new(parameter.name);
  for (const NamedTensor& buffer : members.buffers_) require_new(buffer.name);
  return members;
}

std::vector<NamedParameter> Module::named_parameters() { return members().parameters_; }

std::vector<Parameter> Module::parameters() {
  std::vector<Parameter> values;
  for (NamedParameter& parameter : members().parameters_) {
    values.push_back(std::move(parameter.value));
  }
  return values;
}

std::int64_t Module::parameter_count() {
  std::int64_t count = 0;
  for (const NamedParameter& parameter : members().parameters_) {
    count += parameter.value.value().numel();
  }
  return count;
}

std::vector<NamedTensor> Module::state_dict() {
  const Members all = members();
  std::vector<NamedTensor> entries;
  for (const NamedParameter& parameter : all.parameters_) {
    entries.push_back({parameter.name, parameter.value.value()});
  }
  entries.insert(entries.end(), all.buffers_.begin(), all.buffers_.end());
  return entries;
}

void Module::load_state_dict(std::span<const NamedTensor> entries) {
  std::vector<NamedTensor> own = state_dict();
  copy_entries(entries, own);
}

void Module::train(bool on) {
  for (Module* module : members().modules_) module->training_ = on;
}

void Module::zero_grad() {
  for (NamedParameter& parameter : members().parameters_) parameter.value.zero_grad();
}

}  // namespace lectern::nn
