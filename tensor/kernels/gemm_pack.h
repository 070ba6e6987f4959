#pragma once

#include <cstdint>

namespace lectern::kernels {

/// Copies a strip of a matrix into a panel, the order in which tiles read it:
/// to[p * width + i] = from[i * across + p * along] for i < count, 0 for count <= i < width.
///
/// A strip of A has `across` = its row stride, a strip of B its column stride. Up to one register
/// beyond the panel's k * width elements may be overwritten.
template <class T>
void pack_panel(const T* from, std::int64_t across, std::int64_t along, std::int64_t count,
                std::int64_t k, T* to, std::int64_t width);

}  // namespace lectern::kernels
