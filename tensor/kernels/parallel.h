#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tensor/kernels/team_size.h"

namespace lectern::kernels {

// How every kernel uses threads: one team per call, contiguous shares fixed by (rank, size), and
// no sum that crosses a share. So the number of threads decides who computes an element, never
// how, and the bits are the same for any number. (Of a matrix product, a member that is done may
// take over rows of another's share.) Without OpenMP the team is the caller alone.

/// Half-open range of indices.
struct Range {
  std::int64_t begin, end;
};

/// The share of 0..count-1 that falls to `rank` out of `size`: contiguous, sizes differ by at most
/// one.
inline Range share(std::int64_t count, int rank, int size) {
  const std::int64_t each = count / size;
  const std::int64_t rest = count % size;
  const std::int64_t begin = rank * each + std::min<std::int64_t>(rank, rest);
  return {begin, begin + each + (rank < rest ? 1 : 0)};
}

/// Calls body(rank, size) on every member of a team of at most `threads`.
template <class Body>
void on_team([[maybe_unused]] int threads, const Body& body) {
#ifdef _OPENMP
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
    body(omp_get_thread_num(), omp_get_num_threads());
    note_end_of_team();
    return;
  }
#endif
  body(0, 1);
}

/// Waits until every member of the team of `size` has come here.
inline void team_barrier([[maybe_unused]] int size) {
#ifdef _OPENMP
  if (size > 1) {
#pragma omp barrier
  }
#endif
}

/// Calls body(begin, end) on contiguous shares of 0..count-1, on a team of at most `threads`.
template <class Body>
void parallel_for(std::int64_t count, int threads, const Body& body) {
  on_team(static_cast<int>(std::clamp<std::int64_t>(count, 1, std::max(threads, 1))),
          [&](int rank, int size) {
            const Range mine = share(count, rank, size);
            if (mine.begin < mine.end) body(mine.begin, mine.end);
          });
}

/// Cuts several arrays, taken as one, into equal shares for a team of at most `threads`: calls
/// body(array, begin, end) for each part of an array that falls to a thread. units(i) are array i's
/// indivisible pieces. One team for all: waking one for each of many small arrays takes longer than
/// the work.
template <class Units, class Body>
void parallel_for_arrays(std::size_t arrays, int threads, const Units& units, const Body& body) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < arrays; ++i) total += units(i);
  on_team(static_cast<int>(std::clamp<std::int64_t>(total, 1, std::max(threads, 1))),
          [&](int rank, int size) {
            const Range mine = share(total, rank, size);
            std::int64_t before = 0;  // units of the arrays that are passed
            for (std::size_t i = 0; i < arrays && before < mine.end; before += units(i), ++i) {
              const std::int64_t begin = std::max<std::int64_t>(mine.begin - before, 0);
              const std::int64_t end = std::min(mine.end - before, units(i));
              if (begin < end) body(i, begin, end);
            }
          });
}

}  // namespace lectern::kernels
