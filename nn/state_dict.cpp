#include "nn/state_dict.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lectern::nn {
namespace {

/// How an entry of the file differs from the model's own; empty if it fits.
std::string difference(const Tensor& file, const Tensor& model) {
  constexpr std::string_view kBoth = "{} {} in the file, {} {} in the model",
                             kOne = "{} in the file, {} in the model";
  if (!file.defined() || !model.defined()) {
    return file.defined() ? "undefined in the model" : "undefined in the file";
  }
  const bool same_shape = file.shape() == model.shape(), same_dtype = file.dtype() == model.dtype();
  if (same_shape && same_dtype) return {};
  if (same_dtype) return fmt::format(kOne, file.shape(), model.shape());
  if (same_shape) return fmt::format(kOne, file.dtype(), model.dtype());
  return fmt::format(kBoth, file.dtype(), file.shape(), model.dtype(), model.shape());
}

}  // namespace

void copy_entries(std::span<const NamedTensor> entries, std::span<NamedTensor> own) {
  std::vector<std::string> faults;
  std::unordered_map<std::string_view, const Tensor*> given;
  for (const NamedTensor& entry : entries) {
    if (!given.emplace(entry.name, &entry.value).second) {
      faults.push_back(fmt::format("\"{}\" occurs twice", entry.name));
    }
  }
  std::unordered_set<std::string_view> expected;
  for (const NamedTensor& mine : own) {
    expected.insert(mine.name);
    const auto found = given.find(mine.name);
    if (found == given.end()) {
      faults.push_back(fmt::format("\"{}\" {} is missing", mine.name, mine.value.shape()));
    } else if (const std::string fault = difference(*found->second, mine.value); !fault.empty()) {
      faults.push_back(fmt::format("\"{}\" is {}", mine.name, fault));
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

  // Where an entry is part of what is written here, it is read before the first write.
  std::unordered_set<const std::byte*> written;
  for (const NamedTensor& mine : own) written.insert(mine.value.storage().data());
  std::vector<Tensor> sources;
  for (const NamedTensor& mine : own) {
    const Tensor& source = *given.at(mine.name);
    sources.push_back(written.contains(source.storage().data()) ? source.clone() : source);
  }
  for (std::size_t i = 0; i < own.size(); ++i) own[i].value.copy_from(sources[i]);
}

}  // namespace lectern::nn
