#include "examples/text/batches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "examples/text/vocabulary.h"
#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::text {
namespace {

using Ids = std::vector<std::int64_t>;

/// Example i has i mod 4 + 1 source ids and i mod 3 + 1 target ids; its number is in the first.
std::vector<Example> examples(std::int64_t count) {
  std::vector<Example> all;
  for (std::int64_t i = 0; i < count; ++i) {
    Example example{Ids(static_cast<std::size_t>(i % 4 + 1), 100 + i),
                    Ids(static_cast<std::size_t>(i % 3 + 1), 200 + i)};
    example.source.push_back(kEnd);
    example.target.push_back(kEnd);
    all.push_back(example);
  }
  return all;
}

Ids ids_of(const Tensor& tensor) {
  const auto data = tensor.data<std::int64_t>();
  return {data.begin(), data.end()};
}

std::vector<std::size_t> sizes_of(const std::vector<Batch>& batches) {
  std::vector<std::size_t> sizes;
  for (const Batch& batch : batches) sizes.push_back(batch.rows.size());
  std::sort(sizes.begin(), sizes.end(), std::greater());
  return sizes;
}

Ids order_of(const std::vector<Batch>& batches) {
  Ids order;
  for (const Batch& batch : batches)
    order.insert(order.end(), batch.rows.begin(), batch.rows.end());
  return order;
}

Ids sorted(Ids ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

Ids first_numbers(std::int64_t count) {
  Ids ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(i);
  return ids;
}

TEST(Cases, Cases_8_4_Batches) {
  using Sizes = std::vector<std::size_t>;
  Rng rng(1);
  EXPECT_EQ(sizes_of(Batches(examples(10), {.size = 4}).shuffled(rng)), (Sizes{4, 4, 2}));
  EXPECT_EQ(sizes_of(Batches(examples(10), {.size = 4, .drop_last = true}).shuffled(rng)),
            (Sizes{4, 4}));
  EXPECT_EQ(sizes_of(Batches(examples(8), {.size = 4}).shuffled(rng)), (Sizes{4, 4}));
  EXPECT_EQ(sizes_of(Batches(examples(3), {.size = 4}).shuffled(rng)), (Sizes{3}));
  EXPECT_THROW_TEXT(Batches(examples(3), {.size = 4, .drop_last = true}), ValueError,
                    "Batches: 3 examples do not fill a batch of 4, and drop_last leaves out what "
                    "does not; no step would be made");
  EXPECT_THROW_TEXT(Batches({}, {.size = 4}), ValueError, "Batches: there is no example");

  const Batches batches(examples(10), {.size = 4});
  Rng one(7), same(7);
  const Ids first = order_of(batches.shuffled(one)), second = order_of(batches.shuffled(one));
  EXPECT_EQ(sorted(first), first_numbers(10));
  EXPECT_EQ(sorted(second), first_numbers(10));
  EXPECT_EQ(order_of(batches.shuffled(same)), first);
  EXPECT_EQ(order_of(batches.shuffled(same)), second);
  EXPECT_NE(first, second);
}

TEST(Batches, GoesOnFromASavedState) {
  const Batches batches(examples(50), {.size = 4});
  Rng rng(3), later(99);
  batches.shuffled(rng);
  later.set_state(rng.state());
  EXPECT_EQ(order_of(batches.shuffled(later)), order_of(batches.shuffled(rng)));
}

TEST(Batches, LikeLengthsStandSideBySide) {
  const auto all = examples(60);
  const Batches batches(all, {.size = 7});
  Rng rng(5);
  auto epoch = batches.shuffled(rng);
  const auto shortest = [&](const Batch& batch) {
    std::int64_t least = 100;
    for (const auto row : batch.rows)
      least = std::min(least, all[static_cast<std::size_t>(row)].tokens());
    return least;
  };
  const auto longest = [&](const Batch& batch) {
    std::int64_t most = 0;
    for (const auto row : batch.rows)
      most = std::max(most, all[static_cast<std::size_t>(row)].tokens());
    return most;
  };
  std::sort(epoch.begin(), epoch.end(), [&](const Batch& a, const Batch& b) {
    return std::pair(shortest(a), longest(a)) < std::pair(shortest(b), longest(b));
  });
  for (std::size_t i = 1; i < epoch.size(); ++i)
    EXPECT_LE(longest(epoch[i - 1]), shortest(epoch[i]));
}

TEST(Batches, DropsOtherExamplesEachEpoch) {
  const Batches batches(examples(11), {.size = 4, .drop_last = true});
  EXPECT_EQ(batches.batches_per_epoch(), 2);
  Rng rng(1);
  Ids seen;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const Ids order = order_of(batches.shuffled(rng));
    EXPECT_EQ(order.size(), 8U);
    seen.insert(seen.end(), order.begin(), order.end());
  }
  seen = sorted(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, first_numbers(11));
  EXPECT_EQ(sorted(order_of(batches.in_order())), first_numbers(11));
}

TEST(Batches, InOrderIsAlwaysTheSame) {
  const Batches batches(examples(10), {.size = 4});
  EXPECT_EQ(order_of(batches.in_order()), order_of(batches.in_order()));
  EXPECT_EQ(sorted(order_of(batches.in_order())), first_numbers(10));
  EXPECT_EQ(batches.batches_per_epoch(), 3);
}

TEST(Batches, CountsTokensWithoutPadding) {
  const Batches batches({{{5, kEnd}, {6, 7, kEnd}}, {{5, 8, 9, kEnd}, {kEnd}}});
  EXPECT_EQ(batches.tokens(), 10);
  const Batch batch = batches.in_order().at(0);
  EXPECT_EQ(batch.source_tokens, 6);
  EXPECT_EQ(batch.target_tokens, 4);
}

TEST(Batches, PadsEachSideAndShiftsTheTarget) {
  const std::vector<Example> pairs{
      {{5, kEnd}, {6, 7, kEnd}}, {{5, 8, 9, kEnd}, {8, kEnd}}, {{kEnd}, {kEnd}}};
  const Batch batch = make_batch(pairs, Ids{0, 2, 1});
  EXPECT_EQ(batch.source.shape(), (Shape{3, 4}));
  EXPECT_EQ(ids_of(batch.source), (Ids{5, kEnd, kPad, kPad,     //
                                       kEnd, kPad, kPad, kPad,  //
                                       5, 8, 9, kEnd}));
  EXPECT_EQ(batch.target_out.shape(), (Shape{3, 3}));
  EXPECT_EQ(ids_of(batch.target_out), (Ids{6, 7, kEnd,        //
                                           kEnd, kPad, kPad,  //
                                           8, kEnd, kPad}));
  EXPECT_EQ(batch.target_in.shape(), (Shape{3, 3}));
  EXPECT_EQ(ids_of(batch.target_in), (Ids{kBegin, 6, 7,        //
                                          kBegin, kPad, kPad,  //
                                          kBegin, 8, kPad}));
  EXPECT_EQ(ids_of(batch.places), (Ids{0, 1, 2, 3, 6, 7}));
  EXPECT_EQ(ids_of(batch.answers), (Ids{6, 7, kEnd, kEnd, 8, kEnd}));
  EXPECT_EQ(ids_of(batch.source_lengths), (Ids{2, 1, 4}));
  EXPECT_EQ(batch.rows, (Ids{0, 2, 1}));
  EXPECT_EQ(ids_of(pad_sources(std::vector<Ids>{{4, kEnd}, {kEnd}})), (Ids{4, kEnd, kEnd, kPad}));
}

TEST(Batches, RefusesWhatMakesNoBatch) {
  EXPECT_THROW_TEXT(Batches(examples(3), {.size = 0}), ValueError,
                    "Batches: batch size is 0; it must be at least 1");
  EXPECT_THROW_TEXT(Batches(std::vector<Example>{{{kEnd}, {}}}), ValueError,
                    "Batches: example 0 has an empty side; each side needs its end mark");
  EXPECT_THROW_TEXT(make_batch(examples(3), Ids{0, 3}), IndexError,
                    "make_batch: row 3 is outside 0..2");
  EXPECT_THROW_TEXT(make_batch(examples(3), Ids{}), ValueError, "make_batch: there is no row");
  EXPECT_THROW_TEXT(pad_sources({}), ValueError, "pad_sources: there is no sentence");
}

}  // namespace
}  // namespace lectern::text
