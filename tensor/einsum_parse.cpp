#include "tensor/einsum_parse.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lectern {
namespace {

constexpr char kEllipsis = '.';

/// A letter or an ellipsis, and where it stands in the text.
struct Symbol {
  char character;
  std::size_t column;
};
using Term = std::vector<Symbol>;

/// The equation as text: one term for each operand, and one for the result if there is an arrow.
struct Equation {
  std::string_view text;
  std::vector<Term> operands{1};
  std::optional<Term> output = {};
};

/// Throws Error with the message and the equation, marked at these columns.
template <class Error>
[[noreturn]] void refuse(const Equation& equation, std::initializer_list<std::size_t> columns,
                         const std::string& message) {
  std::string marks(1 + std::max(columns), ' ');
  for (const std::size_t column : columns) marks[column] = '^';
  fail<Error>("einsum: {}\n    {}\n    {}", message, equation.text, marks);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

const Symbol* find(const Term& term, char character) {
  const auto found = std::ranges::find(term, character, &Symbol::character);
  return found == term.end() ? nullptr : &*found;
}

/// Reads the ellipsis at `column`, whose three dots must stand together.
void read_ellipsis(const Equation& equation, std::size_t column, Term& term) {
  if (equation.text.substr(column, 3) != "...") {
    refuse<ValueError>(equation, {column}, "a dot that is no part of an ellipsis '...'");
  }
  if (const Symbol* first = find(term, kEllipsis)) {
    refuse<ValueError>(equation, {first->column, column}, "two ellipses in one term");
  }
  term.push_back({kEllipsis, column});
}

Equation read(std::string_view text) {
  Equation equation{.text = text};
  Term* term = &equation.operands.back();
  std::optional<std::size_t> arrow;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ') continue;
    if (is_letter(c)) {
      term->push_back({c, at});
    } else if (c == '.') {
      read_ellipsis(equation, at, *term);
      at += 2;
    } else if (c == ',' && !arrow) {
      term = &equation.operands.emplace_back();
    } else if (c == ',') {
      refuse<ValueError>(equation, {*arrow, at}, "a comma after the arrow: there is one result");
    } else if (text.substr(at, 2) == "->") {
      if (arrow) refuse<ValueError>(equation, {*arrow, at}, "two arrows");
      arrow = at++;
      term = &equation.output.emplace();
    } else {
      const bool printable = c > ' ' && c <= '~';
      refuse<ValueError>(equation, {at},
                         printable ? fmt::format("character '{}' means nothing here", c)
                                   : fmt::format("byte {:#04x} means nothing here",
                                                 static_cast<unsigned char>(c)));
    }
  }
  return equation;
}

/// The equation's letters bound to the axes of the operands.
class Binding {
 public:
  Binding(const Equation& equation, std::span<const Shape> shapes)
      : equation_(equation), shapes_(shapes) {
    require<ValueError>(equation.operands.size() == shapes.size(),
                        "einsum: the equation \"{}\" has {} term{}, but there {} {} operand{}",
                        equation.text, equation.operands.size(),
                        equation.operands.size() == 1 ? "" : "s", shapes.size() == 1 ? "is" : "are",
                        shapes.size(), shapes.size() == 1 ? "" : "s");
    number_letters();
    for (std::size_t operand = 0; operand < shapes.size(); ++operand) bind(operand);
    bind_output();
  }

  EinsumAxes take() { return std::move(axes_); }

 private:
  /// A place in the equation that has given a letter its extent.
  struct Use {
    std::size_t operand;
    int axis;
    std::size_t column;
  };

  /// Letters in code-point order, then the axes of the ellipsis, the last one first.
  void number_letters() {
    for (const Term& term : equation_.operands) {
      for (const Symbol& symbol : term) {
        if (symbol.character != kEllipsis) labels_[symbol.character] = 0;
      }
    }
    for (auto& [letter, label] : labels_) {
      label = static_cast<int>(axes_.letters.size());
      axes_.letters.push_back({std::string(1, letter)});
    }
    for (std::size_t operand = 0; operand < shapes_.size(); ++operand) {
      ellipsis_rank_ = std::max(ellipsis_rank_, axes_of_ellipsis(operand));
    }
    for (int i = 1; i <= ellipsis_rank_; ++i) {
      axes_.letters.push_back({fmt::format("...{}", i)});
    }
    uses_.resize(axes_.letters.size());
  }

  /// How many axes of an operand its letters leave to the ellipsis; 0 without one.
  int axes_of_ellipsis(std::size_t operand) const {
    const Term& term = equation_.operands[operand];
    const Shape& shape = shapes_[operand];
    const Symbol* ellipsis = find(term, kEllipsis);
    const int letters = static_cast<int>(term.size()) - (ellipsis != nullptr ? 1 : 0);
    const int rest = shape.rank() - letters;
    if (rest < 0) {
      const auto last_letter = std::ranges::find_if(
          term.rbegin(), term.rend(), [](const Symbol& s) { return s.character != kEllipsis; });
      refuse<ShapeError>(equation_, {last_letter->column},
                         fmt::format("operand {} is {} of rank {}, but its term has {} letters",
                                     operand, to_string(shape), shape.rank(), letters));
    }
    if (rest > 0 && ellipsis == nullptr) {
      const std::string message =
          fmt::format("operand {} is {} of rank {}, but its term has {} letter{} and no ellipsis",
                      operand, to_string(shape), shape.rank(), letters, letters == 1 ? "" : "s");
      if (term.empty()) fail<ShapeError>("einsum: {}: \"{}\"", message, equation_.text);
      refuse<ShapeError>(equation_, {term.back().column}, message);
    }
    return rest;
  }

  int ellipsis_label(int from_the_right) const {  // 1 = the last axis
    return static_cast<int>(labels_.size()) + from_the_right - 1;
  }

  void bind(std::size_t operand) {
    EinsumOperand bound{shapes_[operand], {}};
    const auto add = [&](int label, std::size_t column) {
      use(label, {operand, static_cast<int>(bound.labels.size()), column});
      bound.labels.push_back(label);
    };
    for (const Symbol& symbol : equation_.operands[operand]) {
      if (symbol.character != kEllipsis) {
        add(labels_.at(symbol.character), symbol.column);
      } else {
        for (int i = axes_of_ellipsis(operand); i > 0; --i) add(ellipsis_label(i), symbol.column);
      }
    }
    axes_.operands.push_back(std::move(bound));
  }

  /// Checks one more use of a letter against those before it. Inside one operand the extents must
  /// be equal; between operands 1 broadcasts.
  void use(int label, const Use& use) {
    const auto index = static_cast<std::size_t>(label);
    EinsumLetter& letter = axes_.letters[index];
    const std::int64_t extent = shapes_[use.operand][use.axis];
    for (const Use& before : uses_[index]) {
      const std::int64_t other = shapes_[before.operand][before.axis];
      const bool broadcasts = use.operand != before.operand && (extent == 1 || other == 1);
      if (extent != other && !broadcasts) refuse_extents(letter, before, use);
    }
    if (uses_[index].empty() || letter.extent == 1) letter.extent = extent;
    uses_[index].push_back(use);
  }

  [[noreturn]] void refuse_extents(const EinsumLetter& letter, const Use& first,
                                   const Use& second) const {
    const auto place = [&](const Use& use) {
      const Shape& shape = shapes_[use.operand];
      return fmt::format("{} in operand {} (axis {} of {})", shape[use.axis], use.operand, use.axis,
                         to_string(shape));
    };
    const bool is_ellipsis = letter.name.front() == kEllipsis;
    refuse<ShapeError>(
        equation_, {first.column, second.column},
        fmt::format("{} is {} but {}",
                    is_ellipsis ? fmt::format("axis -{} of the ellipsis", letter.name.substr(3))
                                : fmt::format("letter '{}'", letter.name),
                    place(first), place(second)));
  }

  void bind_output() {
    const auto add_ellipsis = [&] {
      for (int i = ellipsis_rank_; i > 0; --i) axes_.output.push_back(ellipsis_label(i));
    };
    if (!equation_.output) {
      add_ellipsis();
      for (const auto& [letter, label] : labels_) {
        if (uses_[static_cast<std::size_t>(label)].size() == 1) axes_.output.push_back(label);
      }
      return;
    }
    for (const Symbol& symbol : *equation_.output) {
      const char c = symbol.character;
      const Symbol* first = find(*equation_.output, c);
      if (first->column != symbol.column) {
        refuse<ValueError>(equation_, {first->column, symbol.column},
                           fmt::format("output letter '{}' occurs twice", c));
      }
      if (c == kEllipsis) {
        add_ellipsis();
      } else if (const auto found = labels_.find(c); found != labels_.end()) {
        axes_.output.push_back(found->second);
      } else {
        refuse<ValueError>(equation_, {symbol.column},
                           fmt::format("output letter '{}' is in no operand", c));
      }
    }
  }

  const Equation& equation_;
  std::span<const Shape> shapes_;
  EinsumAxes axes_;
  std::map<char, int> labels_;
  std::vector<std::vector<Use>> uses_;  // of each label
  int ellipsis_rank_ = 0;
};

}  // namespace

EinsumAxes parse_einsum(std::string_view equation, std::span<const Shape> shapes) {
  const Equation read_equation = read(equation);
  return Binding(read_equation, shapes).take();
}

}  // namespace lectern
