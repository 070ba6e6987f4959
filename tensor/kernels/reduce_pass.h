#pragma once

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/reduce.h"

namespace lectern::kernels {

// The loops that all reductions share, in the order that reduce.h describes. An operation says
// what a lane holds, Acc; start() is one that holds nothing yet, step(acc, x, centre, at) takes in
// element number `at`, merge() joins two lanes, finish(acc, centre) makes the output. Merging with
// a lane that holds nothing changes no bit. `centre` is a number of the output's own, or 0.

inline constexpr std::int64_t kLanes = 16;    // four registers of double hide their latency
inline constexpr std::int64_t kAbreast = 32;  // outputs whose lanes are filled together; 4 kB

inline std::int64_t blocks_of(std::int64_t count) {
  return std::max<std::int64_t>(1, (count + kReduceBlock - 1) / kReduceBlock);
}

template <class Op, class T>
struct Reducer {
  using Acc = typename Op::Acc;
  const Op op;
  const ReduceNest& nest;
  const double* centre;  // null: 0

  double centre_of(std::int64_t output) const { return centre == nullptr ? 0 : centre[output]; }

  /// Elements [begin, end), one block, of the output that starts at `x`.
  Acc along(const T* x, double c, std::int64_t begin, std::int64_t end) const {
    Acc lane[kLanes];
    std::fill(lane, lane + kLanes, op.start());
    const std::int64_t step = nest.reduced.step(0);
    std::int64_t at = begin;
    walk(nest.reduced, begin, end, [&](const auto& offsets, std::int64_t run) {
      const T* p = x + offsets[0];
      const auto singly = [&](std::int64_t elements) {
        for (std::int64_t i = 0; i < elements; ++i, ++at, p += step) {
          lane[at % kLanes] = op.step(lane[at % kLanes], *p, c, at);
        }
      };
      const std::int64_t head = std::min(run, (kLanes - at % kLanes) % kLanes);
      singly(head);
      const std::int64_t rounds = (run - head) / kLanes;
      if (step == 1) {
        for (std::int64_t round = 0; round < rounds; ++round, at += kLanes, p += kLanes) {
          for (std::int64_t l = 0; l < kLanes; ++l) lane[l] = op.step(lane[l], p[l], c, at + l);
        }
        singly(run - head - rounds * kLanes);
      } else {
        singly(run - head);
      }
    });
    for (std::int64_t width = kLanes / 2; width > 0; width /= 2) {
      if (width >= end - begin) continue;  // the upper lanes hold nothing
      for (std::int64_t l = 0; l < width; ++l) lane[l] = op.merge(lane[l], lane[l + width]);
    }
    return lane[0];
  }

  /// As along() for `outputs` <= kAbreast neighbours, into acc[0..outputs-1]; output number `first`
  /// starts at `x`, the others `apart` from each other.
  void abreast(const T* x, std::int64_t apart, std::int64_t first, std::int64_t outputs,
               std::int64_t begin, std::int64_t end, Acc* acc) const {
    Acc lane[kLanes][kAbreast];
    const std::int64_t used = std::clamp<std::int64_t>(end - begin, 1, kLanes);
    for (std::int64_t l = 0; l < used; ++l) std::fill(lane[l], lane[l] + kAbreast, op.start());
    double c[kAbreast];
    for (std::int64_t o = 0; o < outputs; ++o) c[o] = centre_of(first + o);
    const std::int64_t step = nest.reduced.step(0);
    std::int64_t at = begin;
    walk(nest.reduced, begin, end, [&](const auto& offsets, std::int64_t run) {
      const T* p = x + offsets[0];
      for (std::int64_t i = 0; i < run; ++i, ++at, p += step) {
        Acc* row = lane[at % kLanes];
        if (apart == 1) {
          for (std::int64_t o = 0; o < outputs; ++o) row[o] = op.step(row[o], p[o], c[o], at);
        } else {
          for (std::int64_t o = 0; o < outputs; ++o) {
            row[o] = op.step(row[o], p[o * apart], c[o], at);
          }
        }
      }
    });
    for (std::int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (std::int64_t l = 0; l < width && l + width < used; ++l) {
        for (std::int64_t o = 0; o < outputs; ++o) {
          lane[l][o] = op.merge(lane[l][o], lane[l + width][o]);
        }
      }
    }
    std::copy(lane[0], lane[0] + outputs, acc);
  }

  /// One block of outputs [first, last), handed to put(output, acc).
  template <class Put>
  void block(const T* x, std::int64_t number, std::int64_t first, std::int64_t last,
             const Put& put) const {
    const std::int64_t begin = number * kReduceBlock;
    const std::int64_t end = std::min(begin + kReduceBlock, nest.count());
    const std::int64_t apart = nest.kept.step(0);
    const bool side_by_side =
        std::abs(apart) < std::abs(nest.reduced.step(0)) || nest.reduced.row() < kLanes;
    std::int64_t output = first;
    walk(nest.kept, first, last, [&](const auto& offsets, std::int64_t run) {
      const T* p = x + offsets[0];
      for (std::int64_t done = 0; done < run;) {
        const std::int64_t some = std::min(run - done, side_by_side ? kAbreast : 1);
        if (some > 1) {
          Acc acc[kAbreast];
          abreast(p, apart, output, some, begin, end, acc);
          for (std::int64_t o = 0; o < some; ++o) put(output + o, acc[o]);
        } else {
          put(output, along(p, centre_of(output), begin, end));
        }
        done += some;
        output += some;
        p += some * apart;
      }
    });
  }
};

template <class Op, class T, class Y>
void reduce(const Op& op, const ReduceNest& nest, const T* x, const double* centre, Y* y,
            std::byte* scratch, int threads) {
  using Acc = typename Op::Acc;
  static_assert(sizeof(Acc) <= 16 && std::is_trivially_copyable_v<Acc>);
  const Reducer<Op, T> reducer{op, nest, centre};
  const std::int64_t outputs = nest.outputs();
  if (outputs == 0) return;
  const std::int64_t blocks = blocks_of(nest.count());
  // A job is one block of a group of outputs, some ten thousand elements; whole sets of neighbours.
  const std::int64_t each = std::clamp<std::int64_t>(nest.count(), 1, kReduceBlock);
  const std::int64_t sets = (4 * kReduceBlock / each + kAbreast - 1) / kAbreast;
  const std::int64_t group = sets * kAbreast;
  const std::int64_t groups = (outputs + group - 1) / group;
  Acc* partial = reinterpret_cast<Acc*>(scratch);  // [blocks, outputs]
  parallel_for(blocks * groups, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t job = begin; job < end; ++job) {
      const std::int64_t number = job / groups;
      const std::int64_t first = job % groups * group;
      reducer.block(x, number, first, std::min(first + group, outputs),
                    [&](std::int64_t output, Acc acc) {
                      if (blocks == 1) {
                        y[output] = op.finish(acc, reducer.centre_of(output));
                      } else {
                        partial[number * outputs + output] = acc;
                      }
                    });
    }
  });
  if (blocks == 1) return;
  parallel_for(outputs, outputs < kAbreast ? 1 : threads,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t output = begin; output < end; ++output) {
                   Acc acc = partial[output];
                   for (std::int64_t b = 1; b < blocks; ++b)
                     acc = op.merge(acc, partial[b * outputs + output]);
                   y[output] = op.finish(acc, reducer.centre_of(output));
                 }
               });
}

}  // namespace lectern::kernels
