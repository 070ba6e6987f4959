#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/named_tensor.h"
#include "tensor/random.h"

namespace lectern::nn {

/// All that is needed to go on with a run, as one safetensors file: state dicts of models and
/// optimisers, each under a name of its own, and single numbers, kept bit for bit.
///
///   Checkpoint state;
///   state.add("model", model.state_dict());
///   state.add("optimizer", optimizer.state_dict());
///   state.add("rng", rng.state());
///   state.save(folder / "state.safetensors");
class Checkpoint {
 public:
  /// Entry x of `entries` becomes "name.x". The tensors are shared, not copied.
  void add(std::string_view name, std::span<const NamedTensor> entries);
  void add(std::string_view name, const Tensor& tensor);
  void add(std::string_view name, std::int64_t number);
  void add(std::string_view name, double number);
  void add(std::string_view name, Rng::State state);

  /// The entries added under `name`, under their own names again; none if there are none.
  std::vector<NamedTensor> section(std::string_view name) const;
  // Throws: IoError naming the entry if it is missing or of another kind.
  Tensor tensor(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  Rng::State rng(std::string_view name) const;

  /// Replaces the file whole or not at all. Throws: IoError.
  void save(const std::filesystem::path& path) const;
  /// Throws: IoError if the file can not be read or is malformed.
  static Checkpoint load(const std::filesystem::path& path);

 private:
  Tensor entry(std::string_view name, DType dtype, const Shape& shape) const;

  std::vector<NamedTensor> entries_;
  std::filesystem::path path_;  ///< where it was loaded from, for messages
};

}  // namespace lectern::nn
