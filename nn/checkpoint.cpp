#include "nn/checkpoint.h"

#include <algorithm>
#include <array>
#include <bit>

#include "tensor/safetensors.h"

namespace lectern::nn {

void Checkpoint::add(std::string_view name, std::span<const NamedTensor> entries) {
  for (const NamedTensor& entry : entries) {
    entries_.push_back({fmt::format("{}.{}", name, entry.name), entry.value});
  }
}

void Checkpoint::add(std::string_view name, const Tensor& tensor) {
  entries_.push_back({std::string(name), tensor});
}

void Checkpoint::add(std::string_view name, std::int64_t number) {
  add(name, Tensor::from(std::span<const std::int64_t>(&number, 1), {}));
}

void Checkpoint::add(std::string_view name, double number) {
  add(name, Tensor::scalar(number, DType::f64));
}

void Checkpoint::add(std::string_view name, Rng::State state) {
  const std::array words{std::bit_cast<std::int64_t>(state.key),
                         std::bit_cast<std::int64_t>(state.counter)};
  add(name, Tensor::from(std::span<const std::int64_t>(words), {2}));
}

std::vector<NamedTensor> Checkpoint::section(std::string_view name) const {
  const std::string prefix = std::string(name) + ".";
  std::vector<NamedTensor> found;
  for (const NamedTensor& entry : entries_) {
    if (entry.name.starts_with(prefix)) {
      found.push_back({entry.name.substr(prefix.size()), entry.value});
    }
  }
  return found;
}

Tensor Checkpoint::tensor(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &NamedTensor::name);
  require<IoError>(found != entries_.end(), "load: {}: \"{}\" is missing", path_.string(), name);
  return found->value;
}

std::int64_t Checkpoint::integer(std::string_view name) const {
  return entry(name, DType::i64, {}).data<std::int64_t>()[0];
}

double Checkpoint::real(std::string_view name) const { return entry(name, DType::f64, {}).item(); }

Rng::State Checkpoint::rng(std::string_view name) const {
  const Tensor words = entry(name, DType::i64, {2});
  return {std::bit_cast<std::uint64_t>(words.data<std::int64_t>()[0]),
          std::bit_cast<std::uint64_t>(words.data<std::int64_t>()[1])};
}

Tensor Checkpoint::entry(std::string_view name, DType dtype, const Shape& shape) const {
  const Tensor found = tensor(name);
  require<IoError>(found.dtype() == dtype && found.shape() == shape,
                   "load: {}: \"{}\" is {} {}; it must be {} {}", path_.string(), name,
                   found.dtype(), found.shape(), dtype, shape);
  return found;
}

void Checkpoint::save(const std::filesystem::path& path) const { save_safetensors(path, entries_); }

Checkpoint Checkpoint::load(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  checkpoint.entries_ = load_safetensors(path).tensors;
  checkpoint.path_ = path;
  return checkpoint;
}

}  // namespace lectern::nn
