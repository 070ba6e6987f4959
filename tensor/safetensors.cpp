#include "tensor/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "tensor/atomic_file.h"

static_assert(std::endian::native == std::endian::little,
              "safetensors files are little-endian; this machine would have to swap bytes");

namespace lectern {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::string_view kMetadata = "__metadata__";

std::string_view file_name(DType dtype) {
  constexpr std::string_view names[] = {"F32", "F64", "I64", "BOOL"};
  return names[static_cast<int>(dtype)];
}

/// What the header says of one tensor.
struct Entry {
  std::string name;
  DType dtype;
  Shape shape;
  std::int64_t begin, end;  // bytes of the data part
};

/// Looks for what a hostile header could hide from the parser, or burden it with: keys of one name
/// in one object, of which the parser would keep the last, and deep nesting. `wrong` says what was
/// found.
struct HeaderCheck final : nlohmann::json_sax<Json> {
  std::string wrong;

  bool start_object(std::size_t) override {
    names_.emplace_back();
    return deeper();
  }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_object() override {
    names_.pop_back();
    return --depth_ >= 0;
  }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (!names_.back().insert(name).second) {
      wrong = fmt::format("\"{}\" occurs twice", name);
      if (depth_ > 1) wrong += fmt::format(" in \"{}\"", entry_);
    }
    if (depth_ == 1) entry_ = name;
    return wrong.empty();
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;  // the parser proper will say where
  }

 private:
  bool deeper() {
    if (++depth_ > 3) wrong = "the header is nested too deeply";
    return wrong.empty();
  }

  int depth_ = 0;
  std::string entry_;                                   // the one being read
  std::vector<std::unordered_set<std::string>> names_;  // of each object that is open
};

/// Reads one file; every refusal names it.
class Reader {
 public:
  /// Fills `part` with the next bytes of the file.
  using Next = std::function<void(std::span<std::byte> part)>;

  Reader(std::uint64_t size, Next next, std::string_view name)
      : size_(size), next_(std::move(next)), name_(name) {}

  Safetensors read() {
    const Json header = parse_header();
    Safetensors file;
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name == kMetadata) {
        file.metadata = metadata(value);
      } else {
        entries.push_back(entry(name, value));
      }
    }
    std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
    require_cover(entries);
    for (Entry& e : entries) {
      Tensor value = Tensor::empty(e.shape, e.dtype);
      read_data(e, value);
      file.tensors.push_back({std::move(e.name), std::move(value)});
    }
    return file;
  }

 private:
  template <class... Args>
  void demand(bool holds, fmt::format_string<Args...> text, Args&&... args) const {
    if (!holds) {
      fail<IoError>("load: {}: {}", name_, fmt::vformat(text, fmt::make_format_args(args...)));
    }
  }

  /// The header as JSON.
  Json parse_header() {
    demand(size_ >= kLengthBytes, "{} bytes are too few for a header length", size_);
    std::uint64_t length = 0;
    next_(std::as_writable_bytes(std::span(&length, 1)));
    const std::uint64_t rest = size_ - kLengthBytes;
    demand(length > 0, "the header length is 0");
    demand(length <= rest, "the header is said to have {} bytes, {} follow", length, rest);
    demand(length <= kMostHeaderBytes, "the header is said to have {} bytes; the most is {}",
           length, kMostHeaderBytes);
    data_bytes_ = static_cast<std::int64_t>(rest - length);
    std::string text(length, ' ');
    next_(std::as_writable_bytes(std::span(text)));
    // The parser would end at the one and skip the other.
    demand(text.find('\0') == std::string::npos, "the header has a byte 0");
    demand(!text.starts_with("\xef\xbb\xbf"), "the header begins with a byte order mark");

    HeaderCheck check;
    Json header;
    try {
      Json::sax_parse(text, &check);
      demand(check.wrong.empty(), "{}", check.wrong);
      header = Json::parse(text);
    } catch (const Json::parse_error& error) {
      demand(false, "the header is not JSON in UTF-8: wrong at its byte {}", error.byte);
    } catch (const Json::out_of_range&) {
      demand(false, "the header has a number that is too large to read");
    }
    demand(header.is_object(), "the header is not a JSON object");
    return header;
  }

  std::map<std::string, std::string> metadata(const Json& value) const {
    std::map<std::string, std::string> result;
    demand(value.is_object(), "\"{}\" is not an object of strings", kMetadata);
    for (const auto& [key, text] : value.items()) {
      demand(text.is_string(), "\"{}\" is not an object of strings", kMetadata);
      result[key] = text.get<std::string>();
    }
    return result;
  }

  Entry entry(const std::string& name, const Json& value) const {
    demand(value.is_object(), "\"{}\" is not an object", name);
    for (const char* key : {"dtype", "shape", "data_offsets"}) {
      demand(value.contains(key), "\"{}\" has no {}", name, key);
    }
    Entry e{name, dtype(name, value["dtype"]), shape(name, value["shape"]), 0, 0};
    const std::vector<std::int64_t> offsets = integers(name, "data_offsets", value["data_offsets"]);
    demand(offsets.size() == 2, "\"{}\" has {} data_offsets; there must be 2", name,
           offsets.size());
    e.begin = offsets[0];
    e.end = offsets[1];
    demand(e.begin <= e.end && e.end <= data_bytes_,
           "\"{}\" has data_offsets [{}, {}]; there are {} bytes of data", name, e.begin, e.end,
           data_bytes_);
    const std::int64_t bytes = elements(name, e.shape) * size_of(e.dtype);
    demand(e.end - e.begin == bytes, "\"{}\" {} {} has {} bytes, its data_offsets [{}, {}] hold {}",
           name, e.dtype, e.shape, bytes, e.begin, e.end, e.end - e.begin);
    return e;
  }

  DType dtype(const std::string& name, const Json& value) const {
    for (const DType d : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
      if (value.is_string() && value.get_ref<const std::string&>() == file_name(d)) return d;
    }
    demand(false, "\"{}\" has dtype {}; known are F32, F64, I64 and BOOL", name, value.dump());
    std::terminate();
  }

  Shape shape(const std::string& name, const Json& value) const {
    const std::vector<std::int64_t> extents = integers(name, "shape", value);
    demand(extents.size() <= kMaxRank, "\"{}\" has {} axes; the most is {}", name, extents.size(),
           kMaxRank);
    return Shape(std::span<const std::int64_t>(extents));
  }

  std::int64_t elements(const std::string& name, const Shape& shape) const {
    try {
      return shape.numel();
    } catch (const ShapeError&) {
      demand(false, "\"{}\" has shape {}, too many elements to count", name, shape);
    }
    std::terminate();
  }

  /// A JSON array of numbers 0, 1, 2, … below 2^63.
  std::vector<std::int64_t> integers(const std::string& name, std::string_view key,
                                     const Json& value) const {
    demand(value.is_array(), "\"{}\" has {} {}; it must be a list of numbers", name, key,
           value.dump());
    std::vector<std::int64_t> numbers;
    for (const Json& number : value) {
      const bool fits =
          number.is_number_unsigned() && number.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
      demand(fits, "\"{}\" has {} in its {}; it must be a whole number from 0", name, number.dump(),
             key);
      numbers.push_back(number.get<std::int64_t>());
    }
    return numbers;
  }

  /// Every byte of the data belongs to exactly one entry.
  void require_cover(const std::vector<Entry>& entries) const {
    std::int64_t covered = 0;
    for (const Entry& e : entries) {
      demand(e.begin == covered,
             "\"{}\" begins at byte {} of the data, the entry before it ends at {}", e.name,
             e.begin, covered);
      covered = e.end;
    }
    demand(covered == data_bytes_, "the entries end at byte {} of the data, the file at {}",
           covered, data_bytes_);
  }

  /// The entries are in the order of their data, without gaps.
  void read_data(const Entry& e, Tensor& value) const {
    visit(e.dtype, [&]<class T>() {
      const std::span<std::byte> bytes = std::as_writable_bytes(value.mutable_data<T>());
      next_(bytes);
      const bool valid = !std::is_same_v<T, bool> ||
                         std::ranges::all_of(bytes, [](std::byte b) { return b <= std::byte{1}; });
      demand(valid, "\"{}\" has a BOOL byte that is neither 0 nor 1", e.name);
    });
  }

  std::uint64_t size_;
  Next next_;
  std::string_view name_;
  std::int64_t data_bytes_ = 0;
};

/// Throws ValueError unless `text` can stand in a header; bytes that can not are shown as \xff.
void require_utf8(const std::filesystem::path& path, std::string_view what,
                  const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
  } catch (const Json::type_error&) {
    std::string shown;
    for (const char c : text) {
      const bool printable = c >= ' ' && c <= '~';
      shown +=
          printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    fail<ValueError>("save: {}: the {} \"{}\" is not UTF-8", path.string(), what, shown);
  }
}

}  // namespace

Safetensors load_safetensors(const std::filesystem::path& path) {
  FileReader file(path);
  const auto next = [&file](std::span<std::byte> part) { file.read(part); };
  return Reader(file.size(), next, path.string()).read();
}

Safetensors parse_safetensors(std::string_view bytes, std::string_view name) {
  const auto next = [&bytes](std::span<std::byte> part) {
    if (part.empty()) return;
    std::memcpy(part.data(), bytes.data(), part.size());
    bytes.remove_prefix(part.size());
  };
  return Reader(bytes.size(), next, name).read();
}

void save_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata) {
  for (const auto& [key, text] : metadata) {
    require_utf8(path, "metadata", key);
    require_utf8(path, "metadata", text);
  }
  nlohmann::ordered_json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  std::vector<Tensor> dense;
  std::int64_t offset = 0;
  for (const auto& [name, value] : tensors) {
    require_utf8(path, "name", name);
    require<ValueError>(value.defined(), "save: {}: \"{}\" is undefined", path.string(), name);
    require<ValueError>(name != kMetadata && !header.contains(name),
                        "save: {}: the name \"{}\" is {}", path.string(), name,
                        name == kMetadata ? "reserved" : "used twice");
    const std::int64_t end = offset + value.numel() * size_of(value.dtype());
    header[name] = {
        {"dtype", file_name(value.dtype())},
        {"shape", std::vector<std::int64_t>(value.shape().begin(), value.shape().end())},
        {"data_offsets", {offset, end}}};
    offset = end;
    dense.push_back(value.contiguous());
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the data starts aligned, as readers like it
  const std::uint64_t length = text.size();

  std::vector<std::span<const std::byte>> parts{std::as_bytes(std::span(&length, 1)),
                                                std::as_bytes(std::span(text))};
  for (const Tensor& tensor : dense) {
    visit(tensor.dtype(), [&]<class T>() { parts.push_back(std::as_bytes(tensor.data<T>())); });
  }
  write_file_atomically(path, parts);
}

}  // namespace lectern
