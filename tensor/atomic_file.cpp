#include "tensor/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tensor/error.h"

namespace lectern {
namespace {

[[noreturn]] void fail_with_reason(std::string_view op, const std::filesystem::path& path,
                                   int error) {
  fail<IoError>("{}: {}: {}", op, path.string(), std::generic_category().message(error));
}

/// An open file that is removed again unless it was finished.
class TemporaryFile {
 public:
  TemporaryFile(std::filesystem::path path, const std::filesystem::path& final_path)
      : path_(std::move(path)), final_path_(final_path) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_with_reason("save", final_path_, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_with_reason("save", final_path_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  /// Puts the file in its place.
  void finish() {
    if (::fsync(descriptor_) != 0) fail_with_reason("save", final_path_, errno);
    if (::rename(path_.c_str(), final_path_.c_str()) != 0) {
      fail_with_reason("save", final_path_, errno);
    }
    ::close(std::exchange(descriptor_, -1));
  }

 private:
  std::filesystem::path path_;
  const std::filesystem::path& final_path_;
  int descriptor_ = -1;
};

/// Makes the rename itself last: it is an entry of the folder. Where a file system can't sync
/// folders there is nothing more to do, so a failure is none.
void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::span<const std::byte>> parts) {
  // A rename would put a file in the place of a device or a pipe.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  require<IoError>(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status),
                   "save: {}: not a regular file", path.string());
  TemporaryFile file(path.string() + ".tmp", path);
  for (const std::span<const std::byte> part : parts) file.write(part);
  file.finish();
  sync_folder_of(path);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  const std::array parts{std::as_bytes(std::span(text))};
  write_file_atomically(path, parts);
}

FileReader::FileReader(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    fail_with_reason("load", path, ENOENT);
  if (error) fail_with_reason("load", path, error.value());
  require<IoError>(status.type() == std::filesystem::file_type::regular,
                   "load: {}: not a regular file", path.string());
  size_ = std::filesystem::file_size(path, error);
  file_.open(path, std::ios::binary);
  if (error || !file_) fail_with_reason("load", path, error ? error.value() : errno);
}

void FileReader::read(std::span<std::byte> part) {
  file_.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
  read_ += static_cast<std::uint64_t>(file_.gcount());
  require<IoError>(static_cast<std::size_t>(file_.gcount()) == part.size(),
                   "load: {}: {} of {} bytes could be read", path_.string(), read_, size_);
}

std::string read_file(const std::filesystem::path& path) {
  FileReader file(path);
  std::string contents(file.size(), '\0');
  file.read(std::as_writable_bytes(std::span(contents)));
  return contents;
}

}  // namespace lectern
