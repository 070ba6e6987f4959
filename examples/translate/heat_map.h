#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::translate {

/// Attention weights as pictures for a terminal: one map for each head, side by side as far as
/// `width` characters allow. A row stands for a query and names it; the columns are numbered like
/// the keys. The darker, the larger the weight: · below 0.05, ░ 0.2, ▒ 0.4, ▓ 0.7, █ from there on.
///
/// Shapes: weights f32 [H, Tq, Tk] with Tq names.
/// Throws: ShapeError if they do not fit.
std::string heat_maps(const Tensor& weights, std::span<const std::string> queries,
                      std::int64_t width = 100);

/// "1 I  2 love  3 tea": which word each column stands for, in lines of at most `width` characters.
std::string numbered_words(std::span<const std::string> words, std::int64_t width = 100);

}  // namespace lectern::translate
