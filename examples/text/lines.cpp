#include "examples/text/lines.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "examples/text/unicode.h"
#include "tensor/error.h"

namespace lectern::text {

std::string read_text_file(std::string_view op, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string name = path.string();
  require<IoError>(std::filesystem::exists(path, ignored), "{}: file not found: {}", op, name);
  require<IoError>(!std::filesystem::is_directory(path, ignored),
                   "{}: {} is a directory; name a file", op, name);
  std::ifstream file(path, std::ios::binary);
  require<IoError>(file.is_open(), "{}: cannot open {}; is it yours to read?", op, name);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  require<IoError>(!file.bad(), "{}: cannot read {}", op, name);
  require<IoError>(!text.empty(), "{}: file is empty: {}", op, name);
  return text;
}

LineReader::LineReader(std::string_view op, std::string_view name, std::string_view text)
    : op_(op), name_(name), rest_(text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(rest_.size(), line_.size() + 1));
  ++number_;
  if (end != std::string_view::npos && line_.ends_with('\r')) line_.remove_suffix(1);

  const std::optional<std::size_t> invalid = find_invalid_utf8(line_);
  require<IoError>(!invalid, "{}: {} line {}: invalid UTF-8 at byte {}; save the file as UTF-8",
                   op_, name_, number_, invalid.value_or(0) + 1);
  return true;
}

}  // namespace lectern::text
