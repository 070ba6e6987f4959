#include "tensor/kernels/variant.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lectern::kernels {
namespace {

constexpr std::array<std::string_view, 3> kNames{"sse2", "avx2", "avx512"};

std::string names_up_to(Variant best) {
  std::string names(kNames[0]);
  for (std::size_t i = 1; i <= static_cast<std::size_t>(best); ++i) {
    names.append(", ").append(kNames[i]);
  }
  return names;
}

}  // namespace

Variant choose_variant(const char* wish, Variant best) {
  if (wish == nullptr) return best;
  const std::string value(wish);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (value != kNames[i]) continue;
    if (i <= static_cast<std::size_t>(best)) return static_cast<Variant>(i);
    throw std::invalid_argument("LECTERN_ISA is " + value +
                                ", which this processor does not have; it has " +
                                names_up_to(best));
  }
  throw std::invalid_argument("LECTERN_ISA is \"" + value + "\"; it must be one of " +
                              names_up_to(best) + " on this processor");
}

}  // namespace lectern::kernels
