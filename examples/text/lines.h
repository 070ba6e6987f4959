#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lectern::text {

/// The whole content of a file, as bytes.
///
/// Throws: IoError, as "`op`: …", if it is missing, a directory, empty or not readable.
std::string read_text_file(std::string_view op, const std::filesystem::path& path);

/// Walks through the lines of a text, the same way for every text file the library reads.
///
/// A line ends at \n and nowhere else; one \r before it is dropped, and so is a byte order mark
/// before the first line. The last line need not end in \n. Lines are numbered from 1.
class LineReader {
 public:
  /// `name` is what errors call the text: a file name as a rule. Neither string is copied.
  LineReader(std::string_view op, std::string_view name, std::string_view text);

  /// Moves to the next line; false behind the last one.
  ///
  /// Throws: IoError naming line and byte (both counted from 1) if it is not well-formed UTF-8.
  bool next();

  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }

 private:
  std::string_view op_;
  std::string_view name_;
  std::string_view rest_;
  std::string_view line_;
  std::int64_t number_ = 0;
};

}  // namespace lectern::text
