#include "tests/layering/includes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// One row of the table: a folder, and the folders whose headers its files may include.
struct Layer {
  std::string_view folder;
  std::array<std::string_view, 6> may_include;  // unused places are empty
};

// The first row that a path begins with is its layer, so inner folders stand before outer ones.
constexpr std::array<Layer, 7> kLayers{{
    {"tensor/kernels/", {"tensor/kernels/"}},
    {"tensor/", {"tensor/kernels/", "tensor/"}},
    {"autograd/", {"tensor/kernels/", "tensor/", "autograd/"}},
    {"nn/", {"tensor/kernels/", "tensor/", "autograd/", "nn/"}},
    {"examples/text/", {"tensor/kernels/", "tensor/", "examples/text/"}},
    {"examples/",
     {"tensor/kernels/", "tensor/", "autograd/", "nn/", "examples/text/", "examples/"}},
    {"tests/", {}},  // everything
}};

constexpr std::array<std::string_view, 4> kLibrary{"tensor/kernels/", "tensor/", "autograd/",
                                                   "nn/"};

/// The header named by a line `#include <name>` or `#include "name"`.
struct Include {
  std::string name;
  bool quoted;
};

const Layer* layer_of(std::string_view path) {
  const auto found = std::ranges::find_if(
      kLayers, [&](const Layer& layer) { return path.starts_with(layer.folder); });
  return found == kLayers.end() ? nullptr : &*found;
}

bool contains(std::span<const std::string_view> folders, std::string_view folder) {
  return std::ranges::find(folders, folder) != folders.end();
}

std::string_view without_leading_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::optional<Include> parse_include(std::string_view line) {
  line = without_leading_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_leading_blanks(line.substr(1));
  constexpr std::string_view kDirective = "include";
  if (!line.starts_with(kDirective)) return std::nullopt;
  line = without_leading_blanks(line.substr(kDirective.size()));
  if (!line.starts_with('<') && !line.starts_with('"')) return std::nullopt;
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{.name = std::string(line.substr(1, end - 1)), .quoted = quoted};
}

/// Headers of the standard library have neither a folder nor an extension.
bool is_standard(std::string_view name) { return name.find_first_of("./") == std::string::npos; }

/// What is wrong with `include` in a file of `layer`, or nothing.
std::optional<std::string> fault(std::string_view file, const Layer& layer,
                                 const Include& include) {
  if (const Layer* target = layer_of(include.name)) {
    if (layer.folder != "tests/" && !contains(layer.may_include, target->folder)) {
      return fmt::format("{} may not include {}", layer.folder, target->folder);
    }
    return std::nullopt;
  }
  if (include.quoted) return "project headers are named from the project root, others in < >";
  if (is_standard(include.name)) return std::nullopt;
  const bool of_compiler = include.name == "omp.h" || include.name == "immintrin.h";
  if (layer.folder == "tensor/kernels/" && !of_compiler) {
    return "kernels include only kernels, the standard library and the compiler's headers";
  }
  if (contains(kLibrary, layer.folder) && file.ends_with(".h") &&
      !include.name.starts_with("fmt/") && !of_compiler) {
    return "headers of the library include only the standard library and fmt";
  }
  return std::nullopt;
}

void check_file(const fs::path& root, const std::string& file,
                std::vector<std::string>& violations) {
  const Layer* layer = layer_of(file);
  if (layer == nullptr) {
    violations.push_back(fmt::format("{}: this folder is no layer and may not hold code", file));
    return;
  }
  std::ifstream stream(root / file);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::optional<Include> include = parse_include(line);
    if (!include) continue;
    if (const auto reason = fault(file, *layer, *include)) {
      violations.push_back(
          fmt::format("{}:{}: includes {}: {}", file, number, include->name, *reason));
    }
  }
}

bool is_skipped(const fs::path& folder, int depth) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || (depth == 0 && (name == "build" || name == "runs"));
}

}  // namespace

std::vector<std::string> include_violations(const fs::path& root) {
  std::vector<std::string> violations;
  for (fs::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
    if (entry->is_directory()) {
      if (is_skipped(entry->path(), entry.depth())) entry.disable_recursion_pending();
      continue;
    }
    const fs::path extension = entry->path().extension();
    if (extension == ".h" || extension == ".cpp") {
      check_file(root, fs::relative(entry->path(), root).generic_string(), violations);
    }
  }
  std::ranges::sort(violations);
  return violations;
}

}  // namespace lectern
