#include "tensor/kernels/gemm.h"

#include <algorithm>
#include <utility>

#include "tensor/kernels/gemm_pack.h"
#include "tensor/kernels/gemm_tile.h"
#include "tensor/kernels/parallel.h"

namespace lectern::kernels {

// Every value that is fetched from memory should be used many times before it is dropped again.
// The product is therefore cut into blocks that fit the caches (Goto and van de Geijn 2008):
//
//              n              for each column_block of B and C          cache level 3
//        ┌───────────┐          for each depth_block of k
//      k │     B     │            pack that block of B: panels of tile_columns
//        └───────────┘            for each row_block of A                     level 2
//    k   ┌───────────┐              pack it: panels of tile_rows
//  ┌───┐ │           │              for each panel of B                       level 1
//  │ A │m│     C     │                for each panel of A
//  └───┘ │           │                  one tile of C                       registers
//        └───────────┘
//
// Packing lets tiles read memory in order, and is what makes every stride equally fast. Where a
// matrix is used only a few times, packing would cost more than it saves, so tiles read it in
// place: A when C has few columns, whole registers of B when C has few rows. They read an A of
// dense columns in place, too, where the values that a step takes are neighbours anyway.
//
// An element of C is a chain of fused multiply-adds over each depth_block, added up block by block.
// Nothing else enters: packing, the exchange of roles and the threads' shares only decide where a
// value is read and by whom.
//
// Reached with AVX-512 on Zen 5, float, one thread, in percent of a peak of 230 GFLOP/s: 85 at
// 512³, 80 to 88 at 1024³ (as neighbours leave the last level of the cache), 84 to 90 for
// projections of 768 tokens (NN, NT and TN alike), 63 for 256 products 20×20 by 20×32 and 20 for
// 20×20 by (32×20)ᵀ, whose small B is transposed first.
//
// Ref: Goto, van de Geijn (2008), "Anatomy of high-performance matrix multiplication", ACM TOMS
//      34(3); Van Zee, van de Geijn (2015), "BLIS", ACM TOMS 41(3).

namespace {

// In bytes for float: a panel of B is 32 KiB and one of A 12 KiB, which fit the first level; a
// block of A is 192 KiB, a fraction of the second level; a block of B is 2 MiB, a fraction of the
// third. The depth also bounds the chains of roundings. Measured on Zen 5: half or twice of any of
// these changes less than the noise.
constexpr std::int64_t depth_block = 256;
constexpr std::int64_t row_block = 16 * tile_rows;
constexpr std::int64_t column_block = 2048;

// Up to these sizes reading in place was no slower in training steps, where operands come from
// distant caches and packing waits for them.
constexpr std::int64_t columns_for_packing_a = 512;
constexpr std::int64_t rows_for_packing_b = 2 * tile_rows;

constexpr double multiplies_per_work = 40;  // multiply-adds per nanosecond of one core, roughly

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// One product without its batch, after a possible exchange of roles.
template <class T>
struct Product {
  std::int64_t m, n, k;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  const T* bias;
  std::int64_t bias_row, bias_col;
  bool accumulate, relu, whole_registers;
};

/// With few rows and columns of B that are not dense, Cᵀ = Bᵀ Aᵀ is the same product with a small
/// matrix to pack and the large one read in place.
template <class T>
void exchange_roles_if_better(Product<T>& p) {
  if (p.m >= p.n || p.m > tile_columns<T> || p.b.col_stride == 1) return;
  const auto transpose = [](auto& view) { std::swap(view.row_stride, view.col_stride); };
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  transpose(p.a);
  transpose(p.b);
  transpose(p.c);
  std::swap(p.bias_row, p.bias_col);
  p.whole_registers = false;
}

template <class T>
std::int64_t batch_count(const Gemm<T>& g) {
  std::int64_t count = 1;
  for (const BatchAxis& axis : g.batch) count *= axis.extent;
  return count;
}

/// The product at position `index` of the batch in row-major order.
template <class T>
Product<T> product_at(const Gemm<T>& g, std::int64_t index) {
  Product<T> p{g.m, g.n, g.k, g.a, g.b, g.c, g.bias, 0, 1, g.accumulate, g.relu, g.whole_registers};
  // Operands without elements may have no address, from which only steps of 0 lead anywhere.
  if (g.k == 0) p.a = p.b = {nullptr, 0, 0};
  for (std::size_t axis = g.batch.size(); axis-- > 0;) {
    const BatchAxis& along = g.batch[axis];
    const std::int64_t position = index % along.extent;
    index /= along.extent;
    if (p.k > 0) {  // else there are no operands to step along
      p.a.data += position * along.a_stride;
      p.b.data += position * along.b_stride;
    }
    p.c.data += position * along.c_stride;
  }
  exchange_roles_if_better(p);
  return p;
}

/// The part of B that is multiplied before the next is fetched.
struct Block {
  std::int64_t column, columns;  ///< first column and their number
  std::int64_t depth, depths;    ///< first k and their number
};

template <class T>
bool reads_in_place(const Product<T>& p, std::int64_t panel_columns) {
  return p.m <= rows_for_packing_b && p.b.col_stride == 1 && panel_columns % lanes<T> == 0;
}

template <class T>
bool packs_a(const Product<T>& p) {
  return p.n > columns_for_packing_a && p.a.row_stride != 1;
}

/// Width of a panel of B: the whole registers that its columns fill.
template <class T>
std::int64_t panel_width(std::int64_t columns) {
  return round_up(columns, lanes<T>);
}

/// Packs panels of the block of B, one after the other: that of columns.begin comes first.
template <class T>
void pack_b(const Product<T>& p, const Block& block, Range columns, T* to) {
  for (std::int64_t j = columns.begin; j < columns.end; j += tile_columns<T>) {
    const std::int64_t count = std::min(tile_columns<T>, block.columns - j);
    if (reads_in_place(p, count)) continue;
    const T* const from =
        p.b.data + block.depth * p.b.row_stride + (block.column + j) * p.b.col_stride;
    const Strip<T> strip{from, p.b.col_stride, p.b.row_stride, count, block.depths};
    pack_panel(strip, to + (j - columns.begin) * block.depths, panel_width<T>(count));
  }
}

/// Packs `rows` of A, over the depths of the block, into panels.
template <class T>
void pack_a(const Product<T>& p, const Block& block, Range rows, T* to) {
  for (std::int64_t i = rows.begin; i < rows.end; i += tile_rows) {
    const T* const from = p.a.data + i * p.a.row_stride + block.depth * p.a.col_stride;
    const std::int64_t count = std::min<std::int64_t>(tile_rows, rows.end - i);
    const Strip<T> strip{from, p.a.row_stride, p.a.col_stride, count, block.depths};
    pack_panel(strip, to + (i - rows.begin) * block.depths, tile_rows);
  }
}

/// What the tile at (i, j) needs, j counted from the block's first column; its panel of B may be
/// packed.
template <class T>
Tile<T> tile_at(const Product<T>& p, const Block& block, std::int64_t i, std::int64_t j,
                const T* b_panel) {
  const std::int64_t column = block.column + j;
  const std::int64_t columns = std::min(tile_columns<T>, block.columns - j);
  const bool in_place = reads_in_place(p, columns);
  const bool first = block.depth == 0, last = block.depth + block.depths == p.k;
  return {
      .k = block.depths,
      .a = p.a.data + i * p.a.row_stride + block.depth * p.a.col_stride,
      .a_row = p.a.row_stride,
      .a_col = p.a.col_stride,
      .b = in_place ? p.b.data + block.depth * p.b.row_stride + column : b_panel,
      .b_row = in_place ? p.b.row_stride : panel_width<T>(columns),
      .c = p.c.data + i * p.c.row_stride + column * p.c.col_stride,
      .c_row = p.c.row_stride,
      .c_col = p.c.col_stride,
      .columns = p.whole_registers ? panel_width<T>(columns) : columns,
      .bias = first && p.bias != nullptr ? p.bias + i * p.bias_row + column * p.bias_col : nullptr,
      .bias_row = p.bias_row,
      .bias_col = p.bias_col,
      .accumulate = p.accumulate || !first,
      .relu = p.relu && last,
  };
}

template <class T>
void compute(const Tile<T>& tile, std::int64_t rows) {
  const int count = static_cast<int>(rows);
  if (tile.columns <= lanes<T>) return tile_function<T, 1>(count)(tile);
  if (rows == tile_rows && tile.a_row == 1) {
    return compute_tile<T, tile_rows, 2, 1>(tile);
  }
  tile_function<T, 2>(count)(tile);
}

/// Multiplies a share of A's rows by a share of the block's columns.
template <class T>
void multiply_block(const Product<T>& p, const Block& block, Range rows, Range columns, T* a_panels,
                    const T* b_panels) {
  for (std::int64_t top = rows.begin; top < rows.end; top += row_block) {
    const Range these{top, std::min(rows.end, top + row_block)};
    if (packs_a(p)) pack_a(p, block, these, a_panels);
    for (std::int64_t j = columns.begin; j < columns.end; j += tile_columns<T>) {
      for (std::int64_t i = these.begin; i < these.end; i += tile_rows) {
        Tile<T> tile = tile_at(p, block, i, j, b_panels + (j - columns.begin) * block.depths);
        if (packs_a(p)) {
          tile.a = a_panels + (i - top) * block.depths;
          tile.a_row = 1;
          tile.a_col = tile_rows;
        }
        compute(tile, std::min<std::int64_t>(tile_rows, these.end - i));
      }
    }
  }
}

/// Whether a team of `size` divides the rows of C, and not its columns.
///
/// Columns are better while A is read in place: each member then fetches its own part of B and
/// nothing of what another has packed. Packed, A would be packed by each of them.
template <class T>
bool divides_rows(const Product<T>& p, int size) {
  if (size == 1) return true;
  const std::int64_t rows = p.m / tile_rows, columns = p.n / tile_columns<T>;
  const bool columns_are_even = columns >= 4 * size || p.n % (size * tile_columns<T>) == 0;
  return rows >= columns && (packs_a(p) || !columns_are_even);
}

/// The part of one product that falls to `rank` of a team of `size`. Rows of C need all of B, so
/// the team packs it together, and nobody may go on to the next block while others still read this
/// one. Columns need only their own part of B, for which each member has a place of its own.
template <class T>
void multiply(const Product<T>& p, T* a_panels, T* b_panels, int rank, int size) {
  const auto mine = [&](std::int64_t extent, std::int64_t unit) {
    if (size == 1) return Range{0, extent};
    const Range units = share((extent + unit - 1) / unit, rank, size);
    return Range{std::min(units.begin * unit, extent), std::min(units.end * unit, extent)};
  };
  const bool by_rows = divides_rows(p, size);
  const Range rows = by_rows ? mine(p.m, tile_rows) : Range{0, p.m};
  const std::int64_t place = mine(std::min(p.n, column_block), tile_columns<T>).begin;
  for (std::int64_t column = 0; column < p.n; column += column_block) {
    const std::int64_t width = std::min(column_block, p.n - column);
    const Range my_columns = mine(width, tile_columns<T>);
    for (std::int64_t depth = 0; depth == 0 || depth < p.k; depth += depth_block) {
      const Block block{column, width, depth, std::min(depth_block, p.k - depth)};
      if (by_rows) {
        pack_b(p, block, my_columns, b_panels + my_columns.begin * block.depths);
        team_barrier(size);
        multiply_block(p, block, rows, {0, width}, a_panels, b_panels);
        team_barrier(size);
      } else {
        T* const panels = b_panels + place * std::min(p.k, depth_block);
        pack_b(p, block, my_columns, panels);
        multiply_block(p, block, rows, my_columns, a_panels, panels);
      }
    }
  }
}

/// Elements of a thread's panels of A, and of a set of panels of B.
struct PanelSizes {
  std::int64_t a, b;
};

template <class T>
PanelSizes panel_sizes(const Product<T>& p) {
  const std::int64_t depths = std::min(p.k, depth_block);
  const std::int64_t rows = round_up(std::min(p.m, row_block), tile_rows);
  const std::int64_t columns = round_up(std::min(p.n, column_block), tile_columns<T>);
  const std::int64_t a = packs_a(p) ? round_up(rows * depths + lanes<T>, lanes<T>) : 0;
  return {a, columns * depths + lanes<T>};
}

/// Nanoseconds of one core, roughly, that one product takes.
template <class T>
double work_of(const Gemm<T>& g) {
  return static_cast<double>(g.m) * static_cast<double>(g.n) *
         static_cast<double>(g.k + tile_rows) / multiplies_per_work;
}

template <class T>
std::int64_t product_count(const Gemm<T>& g) {
  return g.m * g.n == 0 ? 0 : batch_count(g);
}

/// Whether each thread of a team takes whole products, not a part of each.
template <class T>
bool divides_batch(const Gemm<T>& g, int team) {
  return product_count(g) >= 4 * team || !is_worth_a_team(work_of(g));
}

}  // namespace

template <std::floating_point T>
std::int64_t gemm_scratch_bytes(const Gemm<T>& g, int threads) {
  if (product_count(g) == 0) return 0;
  const PanelSizes sizes = panel_sizes(product_at(g, 0));
  const std::int64_t b_copies = product_count(g) > 1 ? threads : 1;  // a smaller team may want more
  return (threads * sizes.a + b_copies * sizes.b) * static_cast<std::int64_t>(sizeof(T));
}

template <std::floating_point T>
void gemm(const Gemm<T>& g, std::byte* scratch, int threads) {
  const std::int64_t products = product_count(g);
  if (products == 0) return;
  T* const panels = reinterpret_cast<T*>(scratch);
  const Product<T> first = product_at(g, 0);
  const PanelSizes sizes = panel_sizes(first);
  const int team = team_size(work_of(g) * static_cast<double>(products), threads);
  // A tile of attention is so small that what follows would take as long as the product.
  if (products == 1 && team == 1) return multiply(first, panels, panels + sizes.a, 0, 1);
  const bool by_batch = divides_batch(g, team);  // decided once: all members must agree
  on_team(team, [&](int rank, int size) {
    T* const a_panels = panels + rank * sizes.a;
    T* b_panels = panels + team * sizes.a;
    if (by_batch) {
      b_panels += rank * sizes.b;
      const Range mine = share(products, rank, size);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        multiply(product_at(g, i), a_panels, b_panels, 0, 1);
      }
    } else {
      for (std::int64_t i = 0; i < products; ++i) {
        multiply(product_at(g, i), a_panels, b_panels, rank, size);
      }
    }
  });
}

template std::int64_t gemm_scratch_bytes(const Gemm<float>&, int);
template std::int64_t gemm_scratch_bytes(const Gemm<double>&, int);
template void gemm(const Gemm<float>&, std::byte*, int);
template void gemm(const Gemm<double>&, std::byte*, int);

}  // namespace lectern::kernels
