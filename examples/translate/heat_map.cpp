#include "examples/translate/heat_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "examples/text/unicode.h"
#include "tensor/error.h"

namespace lectern::translate {
namespace {

const std::string kGap = "   ";  // between maps
constexpr std::int64_t kMaxNameWidth = 16;

std::string_view shade(double weight) {
  if (weight < 0.05) return " ·";
  if (weight < 0.2) return "░░";
  if (weight < 0.4) return "▒▒";
  if (weight < 0.7) return "▓▓";
  return "██";
}

std::int64_t width_of(std::string_view text) { return text::display_width(text); }

std::string padded(const std::string& text, std::int64_t width) {
  return text +
         std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, width - width_of(text))),
                     ' ');
}

/// The line without blanks at its end.
std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

/// Two characters for each key, and room for the title.
std::int64_t map_width_of(std::int64_t keys) { return std::max<std::int64_t>(2 * keys, 7); }

/// At most kMaxNameWidth characters; what is longer ends in "…".
std::string shortened(const std::string& name) {
  if (width_of(name) <= kMaxNameWidth) return name;
  std::u32string points = text::decode_utf8(name);
  while (width_of(text::encode_utf8(points)) >= kMaxNameWidth) points.pop_back();
  return text::encode_utf8(points) + "…";
}

/// Heads [first, last) next to each other.
std::string row_of_maps(const Tensor& weights, std::span<const std::string> names,
                        std::int64_t first, std::int64_t last, std::int64_t name_width) {
  const std::int64_t queries = weights.shape()[1], keys = weights.shape()[2];
  const std::span<const float> values = weights.data<float>();
  const std::int64_t map_width = map_width_of(keys);
  const std::string margin(static_cast<std::size_t>(name_width), ' ');
  std::string titles = margin, numbers = margin;
  for (std::int64_t head = first; head < last; ++head) {
    std::string columns;
    for (std::int64_t key = 1; key <= keys; ++key) columns += fmt::format("{:2}", key % 100);
    titles += kGap + padded(fmt::format("head {}", head + 1), map_width);
    numbers += kGap + padded(columns, map_width);
  }
  std::string text = trimmed(titles) + trimmed(numbers);
  for (std::int64_t query = 0; query < queries; ++query) {
    std::string line = padded(shortened(names[static_cast<std::size_t>(query)]), name_width);
    for (std::int64_t head = first; head < last; ++head) {
      std::string cells;
      for (std::int64_t key = 0; key < keys; ++key) {
        cells += shade(values[static_cast<std::size_t>((head * queries + query) * keys + key)]);
      }
      line += kGap + padded(cells, map_width);
    }
    text += trimmed(line);
  }
  return text;
}

}  // namespace

std::string heat_maps(const Tensor& weights, std::span<const std::string> queries,
                      std::int64_t width) {
  const auto count = static_cast<std::int64_t>(queries.size());
  require<ShapeError>(weights.rank() == 3 && weights.shape()[1] == count,
                      "heat_maps: weights is {}, and there are {} queries; it must be [H, {}, Tk]",
                      weights.shape(), count, count);
  std::int64_t name_width = 0;
  for (const std::string& name : queries)
    name_width = std::max(name_width, width_of(shortened(name)));

  const std::int64_t heads = weights.shape()[0];
  const std::int64_t map_width = map_width_of(weights.shape()[2]) + width_of(kGap);
  const std::int64_t side_by_side = std::max<std::int64_t>(1, (width - name_width) / map_width);
  const Tensor dense = weights.contiguous();
  std::string text;
  for (std::int64_t head = 0; head < heads; head += side_by_side) {
    text += row_of_maps(dense, queries, head, std::min(heads, head + side_by_side), name_width);
  }
  return text;
}

std::string numbered_words(std::span<const std::string> words, std::int64_t width) {
  std::string text;
  std::int64_t column = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string entry = fmt::format("{} {}", i + 1, words[i]);
    if (column > 0 && column + 2 + width_of(entry) > width) {
      text += '\n';
      column = 0;
    } else if (column > 0) {
      text += "  ";
      column += 2;
    }
    text += entry;
    column += width_of(entry);
  }
  return text + '\n';
}

}  // namespace lectern::translate
