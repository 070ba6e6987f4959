#pragma once

#include <cstddef>
#include <filesystem>
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

/// The contents of a regular file. Throws: IoError naming the path and the reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace lectern
