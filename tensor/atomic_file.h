#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace lectern {

/// Replaces the file `path` by the concatenation of `parts`, whole or not at all: written to
/// `path`.tmp, synced to the disk and renamed. However the process ends meanwhile, `path` holds the
/// complete old or the complete new contents; a left-over temporary file is overwritten next time.
///
/// Throws: IoError naming the path and the reason, also where `path` is a folder, a device or a
/// pipe; what was there is untouched then.
void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::span<const std::byte>> parts);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// A regular file, read from its beginning on. Throws: IoError naming the path and the reason.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path);
  std::uint64_t size() const { return size_; }  ///< of the whole file, in bytes
  void read(std::span<std::byte> part);         ///< fills `part` with the next bytes

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t size_ = 0, read_ = 0;
};

/// The contents of a regular file. Throws: IoError naming the path and the reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace lectern
