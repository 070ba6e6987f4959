#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace lectern {

/// Letters of an einsum by number: label l is EinsumAxes::letters[l].
using Labels = std::vector<int>;

/// A letter of the equation, or one of the axes its ellipsis stands for.
struct EinsumLetter {
  std::string name;         ///< "i"; "...1" is the last axis of the ellipsis, "...2" the one before
  std::int64_t extent = 1;  ///< in any operand it may instead be 1: it broadcasts
};

/// An operand with the label of each of its axes.
struct EinsumOperand {
  Shape shape;
  Labels labels;
};

/// What an equation says about operands of given shapes: no text any more, no ellipsis.
struct EinsumAxes {
  std::vector<EinsumLetter> letters;
  std::vector<EinsumOperand> operands;
  Labels output;  ///< distinct
};

/// Reads an equation such as "bij,bjk->bik" for operands of these shapes; the rules are those of
/// einsum (tensor/einsum.h).
/// Throws: ValueError if the text is malformed, ShapeError if the shapes do not fit it; the text of
///         either points at the place.
EinsumAxes parse_einsum(std::string_view equation, std::span<const Shape> shapes);

}  // namespace lectern
