#include "tensor/kernels/gemm.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "tensor/kernels/gemm_block.h"
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

constexpr std::int64_t rows_at_once = 8 * tile_rows;  // of a block that others may help with
constexpr int most_members = 64;                      // of a team

constexpr double multiplies_per_work = 40;  // multiply-adds per nanosecond of one core, roughly

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

/// Calls body(block) for each block of some columns of B, of at most `widest` columns.
template <class T, class Body>
void each_block(const Product<T>& p, Range columns, std::int64_t widest, const Body& body) {
  for (std::int64_t column = columns.begin; column < columns.end; column += widest) {
    const std::int64_t width = std::min(widest, columns.end - column);
    for (std::int64_t depth = 0; depth == 0 || depth < p.k; depth += depth_block) {
      body(Block{column, width, depth, std::min(depth_block, p.k - depth)});
    }
  }
}

/// The whole product, on one thread.
template <class T>
void multiply(const Product<T>& p, T* a_panels, T* b_panels) {
  each_block(p, {0, p.n}, column_block, [&](const Block& block) {
    pack_b(p, block, {0, block.columns}, b_panels);
    multiply_block(p, block, {0, p.m}, a_panels, b_panels);
  });
}

/// Whether a team divides the rows of C, and not its columns.
///
/// Columns are better while A is read in place: each member then fetches its own part of B and
/// nothing of what another has packed. Packed, A would be packed by each of them.
template <class T>
bool divides_rows(const Product<T>& p, int team) {
  const std::int64_t rows = p.m / tile_rows, columns = p.n / tile_columns<T>;
  const bool columns_are_even = columns >= 4 * team || p.n % (team * tile_columns<T>) == 0;
  return rows >= columns && (packs_a(p) || !columns_are_even);
}

/// The share of 0..extent-1 that falls to `rank` out of `size`, in whole units but for the last.
Range share_of_units(std::int64_t extent, std::int64_t unit, int rank, int size) {
  const Range units = share((extent + unit - 1) / unit, rank, size);
  return {std::min(units.begin * unit, extent), std::min(units.end * unit, extent)};
}

/// The rows of C that fall to `rank` of a team of `size`. They need all of B, so the team packs it
/// together, and nobody may go on to the next block while others still read this one.
template <class T>
void multiply_rows(const Product<T>& p, T* a_panels, T* b_panels, int rank, int size) {
  const Range rows = share_of_units(p.m, tile_rows, rank, size);
  each_block(p, {0, p.n}, column_block, [&](const Block& block) {
    const Range columns = share_of_units(block.columns, tile_columns<T>, rank, size);
    pack_b(p, block, columns, b_panels + columns.begin * block.depths);
    team_barrier(size);
    multiply_block(p, block, rows, a_panels, b_panels);
    team_barrier(size);
  });
}

/// The last block of a team's member. Once it is packed, members that are done with their own help
/// with its rows: processors are seldom equally fast, since others share their caches and memory.
/// In training steps on two of them that saves 2 to 5 percent.
template <class T>
struct alignas(64) LastBlock {
  Product<T> product;
  Block block;
  const T* b_panels;
  std::atomic<bool> is_packed = false;
  std::atomic<std::int64_t> rows_begun = 0;

  /// Multiplies rows as long as there are some that nobody has begun.
  void multiply_rows_left(T* a_panels) {
    if (!is_packed.load(std::memory_order_acquire)) return;
    while (true) {
      const std::int64_t top = rows_begun.fetch_add(rows_at_once, std::memory_order_relaxed);
      if (top >= product.m) return;
      const Range rows{top, std::min(top + rows_at_once, product.m)};
      multiply_block(product, block, rows, a_panels, b_panels);
    }
  }
};

/// Most columns of B that a member of a team packs at a time: together they pack what one thread
/// alone would.
template <class T>
std::int64_t member_columns(const Product<T>& p, int team) {
  return round_up((std::min(p.n, column_block) + team - 1) / team, tile_columns<T>);
}

/// The columns of C that fall to a member of a team, in blocks of at most `widest`: each packs its
/// own part of B. `last` may be null, then nobody can help.
template <class T>
void multiply_columns(const Product<T>& p, Range columns, std::int64_t widest, T* a_panels,
                      T* b_panels, LastBlock<T>* last) {
  each_block(p, columns, widest, [&](const Block& block) {
    pack_b(p, block, {0, block.columns}, b_panels);
    const bool is_last =
        block.column + block.columns == columns.end && block.depth + block.depths == p.k;
    if (last == nullptr || !is_last) return multiply_block(p, block, {0, p.m}, a_panels, b_panels);
    last->product = p;
    last->block = block;
    last->b_panels = b_panels;
    last->is_packed.store(true, std::memory_order_release);
    last->multiply_rows_left(a_panels);
  });
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
  return team == 1 || product_count(g) >= 4 * team || !is_worth_a_team(work_of(g));
}

}  // namespace

template <std::floating_point T>
std::int64_t gemm_scratch_bytes(const Gemm<T>& g, int threads) {
  if (product_count(g) == 0) return 0;
  const Product<T> p = product_at(g, 0);
  const PanelSizes sizes = panel_sizes(p);
  // Panels of B: a set for each thread, or one for all, who each round up to whole panels.
  std::int64_t columns = 0;
  for (int team = 2; team <= std::min(threads, most_members); ++team) {
    const std::int64_t busy =
        std::min<std::int64_t>(team, round_up(p.n, tile_columns<T>) / tile_columns<T>);
    columns = std::max(columns, busy * member_columns(p, team));
  }
  const std::int64_t for_columns = columns * std::min(p.k, depth_block) + lanes<T>;
  const std::int64_t sets = product_count(g) > 1 ? threads : 1;
  const std::int64_t b = std::max(sets * sizes.b, for_columns);
  return (threads * sizes.a + b) * static_cast<std::int64_t>(sizeof(T));
}

template <std::floating_point T>
void gemm(const Gemm<T>& g, std::byte* scratch, int threads) {
  const std::int64_t products = product_count(g);
  if (products == 0) return;
  T* const panels = reinterpret_cast<T*>(scratch);
  const Product<T> first = product_at(g, 0);
  const PanelSizes sizes = panel_sizes(first);
  const int team =
      std::min(team_size(work_of(g) * static_cast<double>(products), threads), most_members);
  // A tile of attention is so small that what follows would take as long as the product.
  if (products == 1 && team == 1) return multiply(first, panels, panels + sizes.a);
  const auto a_panels = [&](int rank) { return panels + rank * sizes.a; };
  T* const b_panels = panels + team * sizes.a;
  if (divides_batch(g, team)) {
    return on_team(team, [&](int rank, int size) {
      const Range mine = share(products, rank, size);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        multiply(product_at(g, i), a_panels(rank), b_panels + rank * sizes.b);
      }
    });
  }
  if (divides_rows(first, team)) {
    return on_team(team, [&](int rank, int size) {
      for (std::int64_t i = 0; i < products; ++i) {
        multiply_rows(product_at(g, i), a_panels(rank), b_panels, rank, size);
      }
    });
  }
  const std::int64_t widest = member_columns(first, team);
  std::array<LastBlock<T>, most_members> last;
  on_team(team, [&](int rank, int size) {
    const Range columns = share_of_units(first.n, tile_columns<T>, rank, size);
    T* const own = b_panels + rank * widest * std::min(first.k, depth_block);
    for (std::int64_t i = 0; i < products; ++i) {
      multiply_columns(product_at(g, i), columns, widest, a_panels(rank), own,
                       i + 1 == products ? &last[static_cast<std::size_t>(rank)] : nullptr);
    }
    for (int other = 1; other < size; ++other) {
      last[static_cast<std::size_t>((rank + other) % size)].multiply_rows_left(a_panels(rank));
    }
  });
}

template std::int64_t gemm_scratch_bytes(const Gemm<float>&, int);
template std::int64_t gemm_scratch_bytes(const Gemm<double>&, int);
template void gemm(const Gemm<float>&, std::byte*, int);
template void gemm(const Gemm<double>&, std::byte*, int);

}  // namespace lectern::kernels
