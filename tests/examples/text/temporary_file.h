#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace lectern::text {

/// A file with the given bytes that is gone when the test is over.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    static int made = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("lectern_text_" + std::to_string(::getpid()) + "_" + std::to_string(++made));
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace lectern::text
