#include "tensor/print.h"

#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <vector>

#include "tensor/join.h"
#include "tensor/views.h"

namespace lectern {
namespace {

/// How many columns a text takes; its only character of several bytes is the ellipsis.
int columns_of(std::string_view text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; }));
}

constexpr std::string_view kGap = "…";

bool is_shortened(std::int64_t extent, const PrintOptions& options) {
  return extent > 2 * options.edge;
}

/// The entries at the edges of every long axis.
Tensor edges(Tensor x, const PrintOptions& options) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!is_shortened(x.shape()[axis], options)) continue;
    const Tensor first = slice(x, axis, 0, options.edge);
    const Tensor last = slice(x, axis, x.shape()[axis] - options.edge);
    x = concat({first, last}, axis);
  }
  return x;
}

/// Digits behind the point in "12.500" or "1.250e+03" without the zeros at the end.
int digits_needed(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) return 0;
  const std::string_view digits = number.substr(point + 1, number.find('e') - point - 1);
  const std::size_t last = digits.find_last_not_of('0');
  return last == std::string_view::npos ? 0 : static_cast<int>(last) + 1;
}

std::vector<std::string> float_texts(std::span<const double> values, int precision) {
  double largest = 0;
  double smallest = 1;
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  const bool scientific = largest >= 1e8 || smallest < 1e-4;
  int digits = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    digits = std::max(digits, digits_needed(scientific ? fmt::format("{:.{}e}", value, precision)
                                                       : fmt::format("{:.{}f}", value, precision)));
  }
  std::vector<std::string> texts;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      texts.push_back(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    } else {  // '#' keeps the point of "3.": a float is not mistaken for an integer
      texts.push_back(scientific ? fmt::format("{:.{}e}", value, digits)
                                 : fmt::format("{:#.{}f}", value, digits));
    }
  }
  return texts;
}

/// The elements of `x` as texts of one width.
std::vector<std::string> cells(const Tensor& x, const PrintOptions& options) {
  std::vector<std::string> texts;
  const Tensor dense = x.contiguous();
  if (x.dtype() == DType::i64) {
    for (const std::int64_t value : dense.data<std::int64_t>()) {
      texts.push_back(std::to_string(value));
    }
  } else if (x.dtype() == DType::boolean) {
    for (const bool value : dense.data<bool>()) texts.emplace_back(value ? "true" : "false");
  } else {
    texts = float_texts(dense.to(DType::f64).data<double>(), options.precision);
  }
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
  return texts;
}

/// Writes brackets around brackets, depth first.
class Writer {
 public:
  Writer(const Shape& shape, const Shape& shown, std::span<const std::string> texts,
         const PrintOptions& options)
      : shape_(shape), shown_(shown), texts_(texts), options_(options) {}

  std::string text() {
    write(0);
    return std::move(out_);
  }

 private:
  void write(int axis) {
    if (axis == shape_.rank()) {
      out_ += texts_[next_++];
      return;
    }
    out_ += '[';
    for (std::int64_t i = 0; i < shown_[axis]; ++i) {
      if (i > 0) separate(axis, columns_of(texts_[next_]));
      if (i == options_.edge && shown_[axis] < shape_[axis]) {
        out_ += kGap;
        separate(axis, columns_of(texts_[next_]));
      }
      write(axis + 1);
    }
    out_ += ']';
  }

  /// What stands between two entries of an axis: numbers share lines, rows have lines of their
  /// own, matrices an empty line between them, and so on.
  void separate(int axis, int next_width) {
    out_ += ',';
    const int inner = shape_.rank() - 1 - axis;
    const std::size_t line = out_.rfind('\n') + 1;
    const int used = columns_of(std::string_view(out_).substr(line));
    if (inner == 0 && used + 1 + next_width + 1 <= options_.line_width) {
      out_ += ' ';
      return;
    }
    out_.append(static_cast<std::size_t>(std::max(inner, 1)), '\n');
    out_.append(static_cast<std::size_t>(axis + 1), ' ');
  }

  const Shape& shape_;
  const Shape& shown_;
  std::span<const std::string> texts_;
  const PrintOptions& options_;
  std::size_t next_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Tensor& x, const PrintOptions& options) {
  if (!x.defined()) return "undefined tensor";
  if (x.numel() == 0) return fmt::format("[] {} {}", x.dtype(), x.shape());
  const bool large = x.numel() > options.threshold;
  const Tensor shown = large ? edges(x, options) : x;
  const std::vector<std::string> texts = cells(shown, options);
  const std::string body = Writer(x.shape(), shown.shape(), texts, options).text();
  return large ? fmt::format("{}\n{} {}", body, x.dtype(), x.shape()) : body;
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << to_string(x); }

}  // namespace lectern
