#include "nn/state_dict.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lectern::nn {

void copy_entries(std::span<const NamedTensor> entries, std::span<NamedTensor> own) {
  std::unordered_map<std::string_view, const Tensor*> given;
  for (const NamedTensor& entry : entries) given.emplace(entry.name, &entry.value);

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

}  // namespace lectern::nn
