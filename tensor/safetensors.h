#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/named_tensor.h"

namespace lectern {

// The safetensors format: 8 bytes little-endian header length N, N bytes of JSON
// {name: {"dtype", "shape", "data_offsets": [begin, end)}, …}, then the data, which the ranges
// cover exactly once. Numbers are little-endian; dtypes F32, F64, I64 and BOOL.
// Ref: https://github.com/huggingface/safetensors, "Format".

struct Safetensors {
  std::vector<NamedTensor> tensors;             ///< in the order of their data
  std::map<std::string, std::string> metadata;  ///< the header's "__metadata__"
};

/// Reads a file; a malformed one is refused before anything of its claimed size is allocated.
/// Throws: IoError naming the file, the entry and what is wrong.
Safetensors load_safetensors(const std::filesystem::path& path);

/// Reads a file's contents; `name` stands in the messages.
Safetensors parse_safetensors(std::string_view bytes, std::string_view name);

/// Writes all elements, in row-major order whatever the strides, whole or not at all
/// (tensor/atomic_file.h). The same input gives the same bytes.
/// Throws: ValueError if a name occurs twice, is "__metadata__" or no UTF-8; IoError.
void save_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace lectern
