#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

// Walking several arrays of one shape together, each through its own strides.
//
// Axes of extent 1 are dropped and neighbouring axes are merged wherever every array steps over
// them as over one longer axis. Dense arrays of any rank become one long row, a bias added to a
// matrix becomes two axes: the inner loop is as long as the layouts allow.

inline constexpr int kMaxNestRank = 8;

/// `Arrays` arrays of the same extents; strides in elements, 0 where an array is broadcast.
template <int Arrays>
struct LoopNest {
  int rank = 1;  ///< at least 1
  std::array<std::int64_t, kMaxNestRank> extents{1};
  std::array<std::array<std::int64_t, kMaxNestRank>, Arrays> strides{};

  std::int64_t row() const { return extents[static_cast<std::size_t>(rank - 1)]; }
  /// Step of array `a` inside a row.
  std::int64_t step(int a) const {
    return strides[static_cast<std::size_t>(a)][static_cast<std::size_t>(rank - 1)];
  }
  std::int64_t numel() const {
    std::int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis) count *= extents[static_cast<std::size_t>(axis)];
    return count;
  }
};

/// The shortest nest that visits the same elements in the same (row-major) order.
template <int Arrays>
LoopNest<Arrays> collapse(int rank, const std::int64_t* extents,
                          const std::array<const std::int64_t*, Arrays>& strides) {
  LoopNest<Arrays> nest;
  if (std::find(extents, extents + rank, 0) != extents + rank) {
    nest.extents[0] = 0;  // beside a 0 the other extents may be too large to multiply
    return nest;
  }
  std::size_t made = 0;  // axes in the nest so far
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = extents[axis];
    if (extent == 1) continue;
    bool merges = made > 0;
    for (std::size_t a = 0; a < Arrays && merges; ++a) {
      merges = nest.strides[a][made - 1] == strides[a][axis] * extent;
    }
    if (!merges) nest.extents[made++] = 1;
    nest.extents[made - 1] *= extent;
    for (std::size_t a = 0; a < Arrays; ++a) nest.strides[a][made - 1] = strides[a][axis];
  }
  nest.rank = static_cast<int>(std::max<std::size_t>(made, 1));
  return nest;
}

/// Calls body(offsets, count) for runs of `count` neighbours inside a row that together are the
/// elements [begin, end) in row-major order; array a's run starts at offsets[a] and steps by
/// nest.step(a).
template <int Arrays, class Body>
void walk(const LoopNest<Arrays>& nest, std::int64_t begin, std::int64_t end, const Body& body) {
  if (begin >= end) return;
  const auto inner = static_cast<std::size_t>(nest.rank - 1);
  std::array<std::int64_t, kMaxNestRank> index{};
  std::array<std::int64_t, Arrays> offsets{};
  std::int64_t rest = begin;
  for (std::size_t axis = inner + 1; axis-- > 0;) {
    index[axis] = rest % nest.extents[axis];
    rest /= nest.extents[axis];
    for (std::size_t a = 0; a < Arrays; ++a) offsets[a] += index[axis] * nest.strides[a][axis];
  }
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t count = std::min(nest.extents[inner] - index[inner], end - at);
    body(offsets, count);
    at += count;
    for (std::size_t a = 0; a < Arrays; ++a) offsets[a] -= index[inner] * nest.strides[a][inner];
    index[inner] = 0;
    for (std::size_t axis = inner; axis-- > 0;) {  // the odometer turns
      const bool carries = ++index[axis] == nest.extents[axis];
      for (std::size_t a = 0; a < Arrays; ++a) {
        offsets[a] += nest.strides[a][axis] * (carries ? 1 - nest.extents[axis] : 1);
      }
      if (!carries) break;
      index[axis] = 0;
    }
  }
}

/// As walk over all elements, shared by a team of `threads`; which thread visits an element is
/// nobody's business, so `body` must treat each element by itself.
template <int Arrays, class Body>
void walk_all(const LoopNest<Arrays>& nest, int threads, const Body& body) {
  parallel_for(nest.numel(), threads,
               [&](std::int64_t begin, std::int64_t end) { walk(nest, begin, end, body); });
}

}  // namespace lectern::kernels
