#include "nn/summary.h"

#include <fmt/format.h>

namespace lectern::nn {
namespace {

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace

std::string summary(Module& module) {
  const std::vector<NamedTensor> entries = module.state_dict();
  std::size_t name_width = 9, shape_width = 5;
  std::int64_t elements = 0, bytes = 0;
  for (const NamedTensor& entry : entries) {
    name_width = std::max(name_width, entry.name.size());
    shape_width = std::max(shape_width, to_string(entry.value.shape()).size());
    elements += entry.value.numel();
    bytes += entry.value.numel() * size_of(entry.value.dtype());
  }
  const auto line = [&](std::string_view name, const std::string& shape, const std::string& count,
                        const std::string& size) {
    return fmt::format("{:<{}}  {:<{}}  {:>12}  {:>13}\n", name, name_width, shape, shape_width,
                       count, size);
  };
  std::string text = line("parameter", "shape", "elements", "bytes");
  for (const NamedTensor& entry : entries) {
    text += line(entry.name, to_string(entry.value.shape()), grouped(entry.value.numel()),
                 grouped(entry.value.numel() * size_of(entry.value.dtype())));
  }
  return text + line("total", "", grouped(elements), grouped(bytes));
}

}  // namespace lectern::nn
