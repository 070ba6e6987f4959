#pragma once

#include <cstdint>

namespace lectern::kernels {

/// A strip of a matrix that becomes a panel: element (p, i) is at data[p * along + i * across].
///
/// p runs along k. A strip of A has its row stride `across`, a strip of B its column stride.
template <class T>
struct Strip {
  const T* data;
  std::int64_t across, along;
  std::int64_t count;  ///< i < count
  std::int64_t k;      ///< p < k
};

/// Copies a strip into a panel, the order in which tiles read it: to[p * width + i] = strip(p, i),
/// and 0 for count <= i < width.
///
/// Unless width is a multiple of lanes<T>, up to a register beyond the panel is overwritten.
template <class T>
void pack_panel(const Strip<T>& strip, T* to, std::int64_t width);

}  // namespace lectern::kernels
