#include "nn/module.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
  std::unordered_map<std::string_view, const Tensor*> given;
  for (const NamedTensor& entry : entries) given.emplace(entry.name, &entry.value);

  std::vector<NamedTensor> own = state_dict();
  std::vector<std::string> faults;
  std::unordered_set<std::string_view> expected;
  for (const NamedTensor& mine : own) {
    expected.insert(mine.name);
    const auto found = given.find(mine.name);
    if (found == given.end()) {
      faults.push_back(fmt::format("\"{}\" {} is missing", mine.name, mine.value.shape()));
    } else if (found->second->shape() != mine.value.shape()) {
      faults.push_back(fmt::format("\"{}\" is {} in the file, {} in the model", mine.name,
                                   found->second->shape(), mine.value.shape()));
    } else if (found->second->dtype() != mine.value.dtype()) {
      faults.push_back(fmt::format("\"{}\" is {} in the file, {} in the model", mine.name,
                                   found->second->dtype(), mine.value.dtype()));
    }
  }
  for (const NamedTensor& entry : entries) {
    if (!expected.contains(entry.name)) {
      faults.push_back(
          fmt::format("\"{}\" {} is not in the model", entry.name, entry.value.shape()));
    }
  }
  if (!faults.empty()) {
    std::string text = "load: " + faults.front();
    for (std::size_t i = 1; i < faults.size(); ++i) text += "\n      " + faults[i];
    throw ShapeError(text);
  }
  for (NamedTensor& mine : own) mine.value.copy_from(*given.at(mine.name));
}

void Module::train(bool on) {
  for (Module* module : members().modules_) module->training_ = on;
}

void Module::zero_grad() {
  for (NamedParameter& parameter : members().parameters_) parameter.value.zero_grad();
}

}  // namespace lectern::nn
