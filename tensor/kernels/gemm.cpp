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

// A member with fewer rows of C would pack all of B for too long beside multiplying by it.
constexpr std::int64_t rows_for_packing_all_b = 256;

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

/// What falls to one member of a team.
struct Part {
  Range rows, columns;  ///< of C
};

/// The last block of a member's part. Once it is packed, members that are done with their own help
/// with its rows: processors are seldom equally fast, since others share their caches and memory.
/// In training steps on two of them that saves 2 to 5 percent.
template <class T>
struct alignas(64) LastBlock {
  Product<T> product;
  Block block;
  const T* b_panels;
  std::int64_t end;
  std::atomic<bool> is_packed = false;
  std::atomic<std::int64_t> next_row;

  void offer(const Product<T>& p, const Block& its, const T* panels, Range rows) {
    product = p;
    block = its;
    b_panels = panels;
    end = rows.end;
    next_row.store(rows.begin, std::memory_order_relaxed);
    is_packed.store(true, std::memory_order_release);
  }

  /// Multiplies rows as long as there are some that nobody has begun.
  void multiply_rows_left(T* a_panels) {
    if (!is_packed.load(std::memory_order_acquire)) return;
    while (true) {
      const std::int64_t top = next_row.fetch_add(rows_at_once, std::memory_order_relaxed);
      if (top >= end) return;
      multiply_block(product, block, {top, std::min(top + rows_at_once, end)}, a_panels, b_panels);
    }
  }
};

/// A part of the product, in blocks of at most `widest` columns, on one thread. `last` may be null,
/// then nobody can help.
template <class T>
void multiply(const Product<T>& p, const Part& part, std::int64_t widest, T* a_panels, T* b_panels,
              LastBlock<T>* last) {
  if (part.rows.begin == part.rows.end) return;
  each_block(p, part.columns, widest, [&](const Block& block) {
    pack_b(p, block, b_panels);
    const bool is_last =
        block.column + block.columns == part.columns.end && block.depth + block.depths == p.k;
    if (last == nullptr || !is_last) {
      return multiply_block(p, block, part.rows, a_panels, b_panels);
    }
    last->offer(p, block, b_panels, part.rows);
    last->multiply_rows_left(a_panels);
  });
}

/// The whole product, on one thread.
template <class T>
void multiply(const Product<T>& p, T* a_panels, T* b_panels) {
  multiply<T>(p, {{0, p.m}, {0, p.n}}, column_block, a_panels, b_panels, nullptr);
}

/// Whether a team divides the rows of C, and not its columns.
///
/// Who gets some rows fetches these rows of A and packs all of B; who gets some columns packs these
/// columns of B and fetches all of A. So rows, where A is larger than B and a member has so many
/// that packing takes little beside multiplying; but not where the columns of A are dense, which a
/// member reads faster whole. In training steps that saved 3 to 4 percent.
template <class T>
bool divides_rows(const Product<T>& p, int team) {
  const std::int64_t rows = p.m / tile_rows, columns = p.n / tile_columns<T>;
  const bool columns_are_even = columns >= 4 * team || p.n % (team * tile_columns<T>) == 0;
  if (!columns_are_even) return rows >= 4 * team;
  return p.m > p.n && p.m >= rows_for_packing_all_b * team && p.a.row_stride != 1;
}

/// What a team divides: tiles of rows or of columns.
template <class T>
std::int64_t units(const Product<T>& p, int team) {
  return divides_rows(p, team) ? round_up(p.m, tile_rows) / tile_rows
                               : round_up(p.n, tile_columns<T>) / tile_columns<T>;
}

/// The part that falls to `rank` out of `size` members, in whole tiles but for the last.
template <class T>
Part part_of(const Product<T>& p, int team, int rank, int size) {
  const Range mine = share(units(p, team), rank, size);
  const auto of = [mine](std::int64_t extent, std::int64_t unit) {
    return Range{std::min(mine.begin * unit, extent), std::min(mine.end * unit, extent)};
  };
  if (divides_rows(p, team)) return {of(p.m, tile_rows), {0, p.n}};
  return {{0, p.m}, of(p.n, tile_columns<T>)};
}

/// Most columns of B that a member of a team packs at a time. With columns of their own they pack
/// together what one thread alone would.
template <class T>
std::int64_t widest_block(const Product<T>& p, int team) {
  const std::int64_t columns = std::min(p.n, column_block);
  return round_up(divides_rows(p, team) ? columns : (columns + team - 1) / team, tile_columns<T>);
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
  // Panels of B: for whole products, or for the members' parts of one.
  std::int64_t columns = 0;
  for (int team = 2; team <= std::min(threads, most_members); ++team) {
    const std::int64_t busy = std::min<std::int64_t>(team, units(p, team));
    columns = std::max(columns, busy * widest_block(p, team));
  }
  const std::int64_t for_parts = columns * std::min(p.k, depth_block) + lanes<T>;
  const std::int64_t sets = product_count(g) > 1 ? threads : 1;
  const std::int64_t b = std::max(sets * sizes.b, for_parts);
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
  const std::int64_t widest = widest_block(first, team);
  std::array<LastBlock<T>, most_members> last;
  on_team(team, [&](int rank, int size) {
    const Part mine = part_of(first, team, rank, size);
    T* const own = b_panels + rank * widest * std::min(first.k, depth_block);
    for (std::int64_t i = 0; i < products; ++i) {
      multiply(product_at(g, i), mine, widest, a_panels(rank), own,
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
