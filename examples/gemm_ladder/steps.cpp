#include "examples/gemm_ladder/steps.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd.h"
#include "tensor/threads.h"

namespace lectern::gemm_ladder {
namespace {

using kernels::lanes;
using kernels::Vector;

// 1. The formula: c(i, j) = sum over p of a(i, p) b(p, j).
//
// Two things are slow. The innermost loop goes down a column of B, so that each step touches
// another line of the cache, of which it uses 4 bytes. And every addition waits for the one before:
// a chain of k additions of 4 cycles each. (If the rows are a multiple of 4 KiB apart, the lines of
// a column also fall on the same few places of the cache and drive each other out: try --size
// 1024.)

void naive(const Sizes& s, const float* a, const float* b, float* c) {
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < s.k; ++p) sum += a[i * s.k + p] * b[p * s.n + j];
      c[i * s.n + j] = sum;
    }
  }
}

// 2. The same additions with the loops over p and j exchanged: a row of C is a sum of rows of B.
//
// Now the innermost loop goes along rows of B and C, its steps do not depend on each other, and the
// compiler makes vector instructions of it. But each multiply-add reads B and C and writes C.

/// Adds to columns j0..j1 of a row of C the products of a(i, p) and the rows p0..p1 of B.
void add_rows(const Sizes& s, const float* a_row, const float* b, float* c_row, std::int64_t j0,
              std::int64_t j1, std::int64_t p0, std::int64_t p1) {
  for (std::int64_t p = p0; p < p1; ++p) {
    const float factor = a_row[p];
    for (std::int64_t j = j0; j < j1; ++j) c_row[j] += factor * b[p * s.n + j];
  }
}

void reordered(const Sizes& s, const float* a, const float* b, float* c) {
  std::fill(c, c + s.m * s.n, 0.0F);
  for (std::int64_t i = 0; i < s.m; ++i) {
    add_rows(s, a + i * s.k, b, c + i * s.n, 0, s.n, 0, s.k);
  }
}

// 3. B in blocks that stay in the cache while every row of A passes by.
//
// Before, all of B came again for each row of C from the last level of the cache, or from memory. A
// block of 128 × 1024 values, 512 KiB, stays in the second level and is used m times; the part of
// the row of C, 4 KiB, stays in the first. A narrower block would be read in shorter pieces, and
// each piece begins with work that is no multiplication.

constexpr std::int64_t depth_block = 128;
constexpr std::int64_t column_block = 1024;

void blocked(const Sizes& s, const float* a, const float* b, float* c) {
  std::fill(c, c + s.m * s.n, 0.0F);
  for (std::int64_t p = 0; p < s.k; p += depth_block) {
    for (std::int64_t j = 0; j < s.n; j += column_block) {
      for (std::int64_t i = 0; i < s.m; ++i) {
        add_rows(s, a + i * s.k, b, c + i * s.n, j, std::min(j + column_block, s.n), p,
                 std::min(p + depth_block, s.k));
      }
    }
  }
}

// 4. Tiles of C that are summed up in local variables, from copies of A and B in reading order.
//
// A tile of R × W values of C needs, for each p, R values of A and W of B, and makes R · W
// multiply-adds of them: the larger the tile, the less is read for each. C is written once for a
// whole block. So that the tile's reads follow each other in memory, B is first copied ("packed")
// into panels W columns wide and A into panels R rows high; zeros fill up the last ones.

constexpr std::int64_t tile_rows = kernels::vector_registers == 32 ? 12 : 6;
constexpr std::int64_t tile_columns = 2 * lanes<float>;
constexpr std::int64_t packed_depth = 256;

/// A panel holds, for each p, `width` neighbours across: to[p * width + i].
void pack(const float* from, std::int64_t across, std::int64_t along, std::int64_t count,
          std::int64_t depth, float* to, std::int64_t width) {
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t i = 0; i < width; ++i) {
      to[p * width + i] = i < count ? from[p * along + i * across] : 0;
    }
  }
}

/// Adds the product of a panel of A and a panel of B to a tile.
using ComputeTile = void (*)(std::int64_t depth, const float* a, const float* b,
                             float (&tile)[tile_rows][tile_columns]);

void compute_tile(std::int64_t depth, const float* a, const float* b,
                  float (&tile)[tile_rows][tile_columns]) {
  for (std::int64_t p = 0; p < depth; ++p, a += tile_rows, b += tile_columns) {
    for (std::int64_t i = 0; i < tile_rows; ++i) {
      for (std::int64_t j = 0; j < tile_columns; ++j) tile[i][j] += a[i] * b[j];
    }
  }
}

/// All panels of a matrix over a part of k, one after the other, in memory that is kept from call
/// to call: the system hands out fresh memory page by page, which takes longer than packing it.
void pack_all(const float* from, std::int64_t across, std::int64_t along, std::int64_t extent,
              std::int64_t depth, std::int64_t width, std::vector<float>& to) {
  const std::int64_t panels = (extent + width - 1) / width;
  to.resize(static_cast<std::size_t>(panels * depth * width));
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const std::int64_t first = panel * width;
    pack(from + first * across, across, along, std::min(width, extent - first), depth,
         to.data() + first * depth, width);
  }
}

/// Rows first..last of C.
template <ComputeTile Compute>
void multiply_rows(const Sizes& s, std::int64_t first, std::int64_t last, const float* a,
                   const float* b, float* c) {
  thread_local std::vector<float> a_panels, b_panels;
  std::fill(c + first * s.n, c + last * s.n, 0.0F);
  for (std::int64_t p = 0; p < s.k; p += packed_depth) {
    const std::int64_t depth = std::min(packed_depth, s.k - p);
    pack_all(a + first * s.k + p, s.k, 1, last - first, depth, tile_rows, a_panels);
    pack_all(b + p * s.n, 1, s.n, s.n, depth, tile_columns, b_panels);
    for (std::int64_t j = 0; j < s.n; j += tile_columns) {  // a panel of B stays in the first level
      for (std::int64_t i = first; i < last; i += tile_rows) {
        float tile[tile_rows][tile_columns] = {};
        Compute(depth, a_panels.data() + (i - first) * depth, b_panels.data() + j * depth, tile);
        for (std::int64_t r = 0; r < std::min(tile_rows, last - i); ++r) {
          for (std::int64_t q = 0; q < std::min(tile_columns, s.n - j); ++q) {
            c[(i + r) * s.n + j + q] += tile[r][q];
          }
        }
      }
    }
  }
}

void packed(const Sizes& s, const float* a, const float* b, float* c) {
  multiply_rows<compute_tile>(s, 0, s.m, a, b, c);
}

// 5. The tile in vector registers, and said so.
//
// The whole tile fits the registers: 12 rows of 2 vectors are 24 of the 32 that AVX-512 and NEON
// have, 6 × 2 are 12 of the 16 of AVX2. With that the loop only reads A and B: 2 vectors and 12
// single values for 24 multiply-adds. A compiler may see this by itself in the step before, and
// then this one is no faster; or not, and then the step before is slower than the first ones: of
// g++ 12 and clang 16, g++ sees it for AVX-512 alone and clang for AVX2 alone, where the other is
// 12 to 40 times slower. What the speed depends on is better said than hoped for.

void compute_tile_in_registers(std::int64_t depth, const float* a, const float* b,
                               float (&tile)[tile_rows][tile_columns]) {
  Vector<float> sum[tile_rows][2] = {};
  for (std::int64_t p = 0; p < depth; ++p, a += tile_rows, b += tile_columns) {
    const Vector<float> left = kernels::load(b), right = kernels::load(b + lanes<float>);
    for (std::int64_t i = 0; i < tile_rows; ++i) {
      const Vector<float> factor = kernels::broadcast(a[i]);
      sum[i][0] += factor * left;
      sum[i][1] += factor * right;
    }
  }
  for (std::int64_t i = 0; i < tile_rows; ++i) {
    kernels::store(&tile[i][0], sum[i][0]);
    kernels::store(&tile[i][lanes<float>], sum[i][1]);
  }
}

void simd(const Sizes& s, const float* a, const float* b, float* c) {
  multiply_rows<compute_tile_in_registers>(s, 0, s.m, a, b, c);
}

// 6. The rows of C shared out among the cores.
//
// No two threads write the same row, and each sum is formed by one thread in the order of p: the
// result is the same for any number of threads. Each packs all of B for itself, which a library
// would share, too; tensor/kernels/gemm.cpp does, and takes care of small matrices besides.

void threaded(const Sizes& s, const float* a, const float* b, float* c) {
  kernels::on_team(num_threads(), [&](int rank, int size) {
    const kernels::Range tiles = kernels::share((s.m + tile_rows - 1) / tile_rows, rank, size);
    const std::int64_t first = tiles.begin * tile_rows;
    const std::int64_t last = std::min(tiles.end * tile_rows, s.m);
    if (first < last) multiply_rows<compute_tile_in_registers>(s, first, last, a, b, c);
  });
}

}  // namespace

const std::array<Step, 6> kSteps = {{{"naive", naive},
                                     {"reordered", reordered},
                                     {"blocked", blocked},
                                     {"packed", packed},
                                     {"simd", simd},
                                     {"threaded", threaded}}};

}  // namespace lectern::gemm_ladder
