#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tensor/error.h"

namespace lectern {

/// Element type of a tensor. f64 exists so that gradients are checked with the code that trains.
enum class DType : std::uint8_t { f32, f64, i64, boolean };

constexpr std::string_view name(DType dtype) {
  constexpr std::string_view names[] = {"f32", "f64", "i64", "bool"};
  return names[static_cast<int>(dtype)];
}

/// Bytes of one element.
constexpr std::int64_t size_of(DType dtype) {
  constexpr std::int64_t sizes[] = {sizeof(float), sizeof(double), sizeof(std::int64_t),
                                    sizeof(bool)};
  return sizes[static_cast<int>(dtype)];
}

constexpr bool is_floating(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

/// The C++ types that can be elements, one for each DType.
template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool>;

/// The DType whose elements are of C++ type T.
template <Element T>
inline constexpr DType dtype_of = std::is_same_v<T, float>          ? DType::f32
                                  : std::is_same_v<T, double>       ? DType::f64
                                  : std::is_same_v<T, std::int64_t> ? DType::i64
                                                                    : DType::boolean;

/// Calls f.operator()<T>() with the C++ type of `dtype`: visit(d, [&]<class T>() { … }).
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32:
      return f.template operator()<float>();
    case DType::f64:
      return f.template operator()<double>();
    case DType::i64:
      return f.template operator()<std::int64_t>();
    case DType::boolean:
      return f.template operator()<bool>();
  }
  std::terminate();  // no such DType
}

/// Throws DTypeError naming `op` unless `dtype`, that of operand `operand`, is f32 or f64.
inline void require_floating(std::string_view op, DType dtype, std::string_view operand = "x") {
  require<DTypeError>(is_floating(dtype), "{}: {} is {}; it must be f32 or f64", op, operand,
                      name(dtype));
}

/// As visit, for the floating types alone. Throws DTypeError naming `op` for the others.
template <class F>
decltype(auto) visit_floating(std::string_view op, DType dtype, F&& f) {
  require_floating(op, dtype);
  return dtype == DType::f32 ? f.template operator()<float>() : f.template operator()<double>();
}

}  // namespace lectern

template <>
struct fmt::formatter<lectern::DType> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(lectern::DType dtype, auto& context) const {
    return std::ranges::copy(name(dtype), context.out()).out;
  }
};
