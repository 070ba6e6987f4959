#include "tensor/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tensor/broadcast.h"
#include "tensor/random.h"
#include "tensor/threads.h"
#include "tensor/views.h"
#include "tests/support/all_close.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

Tensor scattered(const Shape& shape, DType dtype) { return Rng(1).uniform(shape, -1, 1, dtype); }

/// Every reduction, in its plainest form, over the elements of one output in row-major order.
struct Case {
  const char* name;
  std::function<Tensor(const Tensor&, const Axes&, bool)> op;
  std::function<double(const Values&)> plain;
};

double plain_sum(const Values& x) {
  double total = 0;
  for (const double v : x) total += v;
  return total;
}

double plain_var(const Values& x) {
  const double mean = plain_sum(x) / static_cast<double>(x.size());
  double total = 0;
  for (const double v : x) total += (v - mean) * (v - mean);
  return total / static_cast<double>(x.size() - 1);
}

double plain_norm(const Values& x) {
  double total = 0;
  for (const double v : x) total += v * v;
  return std::sqrt(total);
}

double plain_prod(const Values& x) {
  double product = 1;
  for (const double v : x) product *= v;
  return product;
}

double plain_logsumexp(const Values& x) {
  double total = 0;
  for (const double v : x) total += std::exp(v);
  return std::log(total);
}

std::vector<Case> floating_cases() {
  return {
      {"sum", sum, plain_sum},
      {"mean", mean, [](const Values& x) { return plain_sum(x) / static_cast<double>(x.size()); }},
      {"var", [](const Tensor& x, const Axes& a, bool k) { return var(x, a, k); }, plain_var},
      {"std", [](const Tensor& x, const Axes& a, bool k) { return lectern::std(x, a, k); },
       [](const Values& x) { return std::sqrt(plain_var(x)); }},
      {"norm", norm, plain_norm},
      {"prod", prod, plain_prod},
      {"logsumexp", logsumexp, plain_logsumexp},
      {"max", max, [](const Values& x) { return *std::ranges::max_element(x); }},
      {"min", min, [](const Values& x) { return *std::ranges::min_element(x); }},
  };
}

/// The elements of x that make each output, outputs in row-major order.
std::vector<Values> grouped(const Tensor& x, const std::vector<bool>& reduced) {
  const Values all = values_of(x);
  std::vector<Values> groups;
  std::int64_t outputs = 1;
  for (int a = 0; a < x.rank(); ++a) {
    if (!reduced[static_cast<std::size_t>(a)]) outputs *= x.shape()[a];
  }
  groups.resize(static_cast<std::size_t>(outputs));
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), output = 0, unit = 1;
    for (int a = x.rank() - 1; a >= 0; --a) {
      if (!reduced[static_cast<std::size_t>(a)]) {
        output += rest % x.shape()[a] * unit;
        unit *= x.shape()[a];
      }
      rest /= x.shape()[a];
    }
    groups[static_cast<std::size_t>(output)].push_back(all[i]);
  }
  return groups;
}

TEST(Reduce, AgreesWithPlainLoopsOverEverySetOfAxesOfEveryLayout) {
  const Tensor base = scattered({3, 4, 5, 2}, DType::f32).to(DType::f64);
  const std::vector<Tensor> layouts{base, permute(base, {2, 0, 3, 1}), slice(base, 2, 1, 5, 2),
                                    expand(slice(base, 1, 0, 1), {3, 4, 5, 2})};
  for (const Case& c : floating_cases()) {
    for (const Tensor& x : layouts) {
      for (int set = 1; set < 16; ++set) {
        Axes axes;
        std::vector<bool> reduced(4);
        for (int a = 0; a < 4; ++a) {
          reduced[static_cast<std::size_t>(a)] = (set >> a & 1) != 0;
          if (reduced[static_cast<std::size_t>(a)]) axes.push_back(a % 2 == 0 ? a : a - 4);
        }
        Values want;
        for (const Values& group : grouped(x, reduced)) want.push_back(c.plain(group));
        const Tensor kept = c.op(x, axes, true);
        const Tensor y = c.op(x, axes, false);
        EXPECT_EQ(kept.rank(), 4);
        const Tensor wanted = Tensor::from(std::span<const double>(want), y.shape());
        EXPECT_TRUE(all_close(y, wanted, 1e-12, 1e-12, /*equal_nan=*/true))
            << c.name << " over " << to_string(axes);
        EXPECT_TRUE(all_close(reshape(kept, y.shape()), wanted, 1e-12, 1e-12, true)) << c.name;
        const Tensor single = c.op(x.to(DType::f32), axes, false);
        EXPECT_TRUE(all_close(single, wanted.to(DType::f32), 3e-7, 1e-7, true)) << c.name;
      }
    }
  }
}

TEST(Reduce, NoAxesMeansAllOfThem) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(sum(x).shape(), Shape{});
  EXPECT_EQ(sum(x).item(), 15.0);
  EXPECT_EQ(sum(x, {}, true).shape(), Shape({1, 1}));
  EXPECT_EQ(sum(x, {0, 1}).item(), 15.0);
  EXPECT_EQ(sum(Tensor::scalar(3)).item(), 3.0);
  EXPECT_EQ(values_of(sum(x, 0)), (Values{3, 5, 7}));
  EXPECT_EQ(values_of(sum(x, -1)), (Values{3, 12}));
}

TEST(Reduce, IntegersAndBoolAreSummedAsIntegers) {
  const Tensor x = Tensor::from({1, 0, 3, 4}, {2, 2}, DType::i64);
  EXPECT_EQ(sum(x, 0).dtype(), DType::i64);
  EXPECT_EQ(values_of(sum(x, 0)), (Values{4, 4}));
  const Tensor truth = x.to(DType::boolean);
  EXPECT_EQ(sum(truth).dtype(), DType::i64);
  EXPECT_EQ(sum(truth).item(), 3.0);
  EXPECT_EQ(values_of(prod(x, 1)), (Values{0, 12}));
  EXPECT_EQ(values_of(prod(truth, 1)), (Values{0, 1}));
  EXPECT_EQ(max(x).item(), 4.0);
  EXPECT_EQ(max(x).dtype(), DType::i64);
  EXPECT_EQ(min(x).item(), 0.0);
  const std::int64_t big = std::int64_t{1} << 60;  // doubles would lose the 1
  const Tensor large = Tensor::from(std::vector<std::int64_t>{big, 1}, {2});
  EXPECT_EQ(*sum(large).origin<std::int64_t>(), big + 1);
}

TEST(Reduce, VarianceTakesTheMeanFirst) {
  const Tensor x = Tensor::from({70000, 70001, 70002, 70003}, {4});
  EXPECT_FLOAT_EQ(static_cast<float>(var(x).item()), 5.0F / 3);
  EXPECT_FLOAT_EQ(static_cast<float>(var(x, 0, false, /*correction=*/0).item()), 1.25F);
  EXPECT_FLOAT_EQ(static_cast<float>(lectern::std(x, 0, false, 0).item()), std::sqrt(1.25F));
  EXPECT_TRUE(std::isnan(var(Tensor::from({3}, {1})).item()));
  EXPECT_EQ(var(Tensor::from({3}, {1}), 0, false, 0).item(), 0.0);
}

TEST(Reduce, LogSumExpDoesNotOverflow) {
  EXPECT_TRUE(
      all_close(logsumexp(Tensor::from({1000, 1000}, {2})), Tensor::scalar(1000 + std::log(2.0))));
  EXPECT_EQ(logsumexp(Tensor::from({-kInf, -kInf}, {2})).item(), -kInf);
  EXPECT_EQ(logsumexp(Tensor::from({-kInf, 3}, {2})).item(), 3.0);
  EXPECT_EQ(logsumexp(Tensor::from({kInf, 3}, {2})).item(), kInf);
  EXPECT_TRUE(std::isnan(logsumexp(Tensor::from({kNaN, 3}, {2})).item()));
  EXPECT_EQ(values_of(logsumexp(Tensor::zeros({2, 0}), 1)), (Values{-kInf, -kInf}));
}

TEST(Reduce, AnyAndAllReadEveryDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Tensor x = Tensor::from({0, 0, 1, 0, 1, 1}, {3, 2}, dtype);
    EXPECT_EQ(any(x, 1).dtype(), DType::boolean);
    EXPECT_EQ(values_of(any(x, 1)), (Values{0, 1, 1}));
    EXPECT_EQ(values_of(all(x, 1)), (Values{0, 0, 1}));
    EXPECT_EQ(values_of(all(transpose(x, 0, 1), 0)), (Values{0, 0, 1}));
    EXPECT_EQ(any(Tensor::zeros({0}, dtype)).item(), 0.0);
    EXPECT_EQ(all(Tensor::zeros({0}, dtype)).item(), 1.0);
  }
  EXPECT_EQ(any(Tensor::from({0, kNaN}, {2})).item(), 1.0);
}

TEST(Reduce, ArgmaxGivesTheFirstAmongEquals) {
  const Tensor x = Tensor::from({1, 5, 5, 7, 2, 7}, {2, 3});
  EXPECT_EQ(argmax(x, 1).dtype(), DType::i64);
  EXPECT_EQ(values_of(argmax(x, 1)), (Values{1, 0}));
  EXPECT_EQ(values_of(argmax(x, 0)), (Values{1, 0, 1}));
  EXPECT_EQ(argmax(x).item(), 3.0);
  EXPECT_EQ(argmax(transpose(x, 0, 1)).item(), 1.0);
  EXPECT_EQ(values_of(argmin(x, -1)), (Values{0, 1}));
  EXPECT_EQ(argmin(x, 0, true).shape(), Shape({1, 3}));
  const Tensor ones = Tensor::ones({10000});
  EXPECT_EQ(argmax(ones).item(), 0.0);
  EXPECT_EQ(argmin(ones).item(), 0.0);
  EXPECT_EQ(argmax(Tensor::full({40}, -kInf)).item(), 0.0);
  EXPECT_EQ(argmin(Tensor::full({40}, kInf)).item(), 0.0);
}

TEST(Reduce, ArgmaxFindsTheNeedleWhereverItLies) {
  for (const std::int64_t n : {1, 15, 16, 17, 4095, 4096, 4097, 9001}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 3, n - 1}) {
      Tensor x = Tensor::zeros({n});
      x.mutable_data<float>()[static_cast<std::size_t>(at)] = 1;
      EXPECT_EQ(argmax(x).item(), static_cast<double>(at)) << n;
      x.mutable_data<float>()[static_cast<std::size_t>(at)] = -1;
      EXPECT_EQ(argmin(x).item(), static_cast<double>(at)) << n;
      EXPECT_EQ(min(x).item(), -1.0);
      x.mutable_data<float>()[static_cast<std::size_t>(at)] = static_cast<float>(kNaN);
      EXPECT_EQ(argmin(x).item(), static_cast<double>(at)) << n;
      EXPECT_TRUE(std::isnan(max(x).item())) << n;
    }
  }
}

TEST(Reduce, CumsumAddsUpAlongItsAxis) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(values_of(cumsum(x, 0)), (Values{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(values_of(cumsum(x, -1)), (Values{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(values_of(cumsum(transpose(x, 0, 1), 0)), (Values{0, 3, 1, 7, 3, 12}));
  EXPECT_EQ(cumsum(x.to(DType::boolean), 1).dtype(), DType::i64);
  EXPECT_EQ(values_of(cumsum(x.to(DType::boolean), 1)), (Values{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(cumsum(Tensor::zeros({2, 0}), 1).shape(), Shape({2, 0}));
  EXPECT_EQ(values_of(cumsum(Tensor::ones({3, 70}, DType::f64), 0))[2 * 70 + 69], 3.0);
  EXPECT_THROW_TEXT(
      cumsum(x, 2), ShapeError,
      "cumsum: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
}

TEST(Reduce, SumToUndoesBroadcasting) {
  const Tensor g = counting({2, 3, 4});
  EXPECT_EQ(values_of(sum_to(g, {4})), values_of(sum(g, {0, 1})));
  EXPECT_EQ(values_of(sum_to(g, {3, 1})), values_of(sum(g, {0, 2})));
  EXPECT_EQ(sum_to(g, {3, 1}).shape(), Shape({3, 1}));
  EXPECT_EQ(sum_to(g, {}).item(), 276.0);
  EXPECT_TRUE(sum_to(g, {2, 3, 4}).storage() == g.storage());
  EXPECT_EQ(sum_to(Tensor::ones({1, 1, 3}), {3}).shape(), Shape({3}));
  EXPECT_EQ(values_of(sum_to(Tensor::ones({0, 3}), {1, 3})), (Values{0, 0, 0}));
  EXPECT_THROW_TEXT(sum_to(g, {2, 4}), ShapeError,
                    "sum_to: [2, 4] does not broadcast to [2, 3, 4], the shape of g");
  EXPECT_THROW_TEXT(sum_to(g, {1, 2, 3, 4}), ShapeError,
                    "sum_to: [1, 2, 3, 4] does not broadcast to [2, 3, 4], the shape of g");
}

TEST(Reduce, RefusesWithTheNumbers) {
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THROW_TEXT(
      sum(x, 2), ShapeError,
      "sum: axis 2 is out of range for x of shape [2, 3] (rank 2); valid axes are -2..1");
  EXPECT_THROW_TEXT(mean(x, {0, -2}), ShapeError,
                    "mean: axis -2 is named twice: x is [2, 3], axes are [0, -2]");
  EXPECT_THROW_TEXT(mean(x.to(DType::i64)), DTypeError, "mean: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(lectern::std(x.to(DType::i64)), DTypeError,
                    "std: x is i64; it must be f32 or f64");
  EXPECT_THROW_TEXT(norm(x.to(DType::boolean)), DTypeError,
                    "norm: x is bool; it must be f32 or f64");
  EXPECT_THROW_TEXT(max(x.to(DType::boolean)), DTypeError,
                    "max: x is bool; it must be f32, f64 or i64; any and all reduce bool");
  EXPECT_THROW_TEXT(max(Tensor::zeros({0, 3}), 0), ShapeError,
                    "max: nothing to choose from: x is [0, 3], reduced over axes [0]");
  EXPECT_THROW_TEXT(argmin(Tensor::zeros({0, 3})), ShapeError,
                    "argmin: nothing to choose from: x is [0, 3], reduced over axes all");
}

TEST(Reduce, BitsDependNeitherOnThreadsNorOnTheLayout) {
  const ParallelAlways spread;
  for (const Shape& shape : {Shape{9001}, Shape{4099, 3}, Shape{3, 4099}, Shape{5, 9, 70},
                             Shape{2, 4500, 2}, Shape{2, 1, 37}}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = scattered(shape, dtype);
      std::vector<Axes> sets{Axes{}, Axes{0}, Axes{-1}};
      for (const Axes& axes : sets) {
        for (const Case& c : floating_cases()) {
          std::vector<Tensor> results;
          for (const int threads : {1, 2, 3, 4}) {
            const ThreadScope scope(threads);
            results.push_back(c.op(x, axes, false));
          }
          // The same values where the last axis has the widest step.
          Tensor turned = Tensor::empty_like(transpose(x, 0, -1));
          turned = transpose(turned, 0, -1);
          turned.copy_from(x);
          results.push_back(c.op(turned, axes, false));
          for (const Tensor& result : results) {
            EXPECT_TRUE(same_bits(result, results[0]))
                << c.name << " " << to_string(shape) << " " << to_string(axes);
          }
        }
      }
    }
  }
}

TEST(Cases, Cases_2_1_ReductionsReadTheView) {
  const Tensor s = transpose(Tensor::from({0, 0.5, 1, 1.5, 2, 2.5}, {2, 3}), 0, 1);
  EXPECT_EQ(values_of(sum(s, 0)), (Values{1.5, 6}));
}

TEST(Cases, Cases_2_4_ZeroSizesAndNaN) {
  const Tensor empty = Tensor::zeros({0});
  EXPECT_EQ(sum(empty).item(), 0.0);
  EXPECT_EQ(prod(empty).item(), 1.0);
  EXPECT_TRUE(std::isnan(mean(empty).item()));
  EXPECT_THROW_TEXT(max(empty), ShapeError,
                    "max: nothing to choose from: x is [0], reduced over axes all");
  EXPECT_THROW_TEXT(min(empty), ShapeError,
                    "min: nothing to choose from: x is [0], reduced over axes all");
  EXPECT_THROW_TEXT(argmax(empty), ShapeError,
                    "argmax: nothing to choose from: x is [0], reduced over axes all");

  const Tensor x = Tensor::zeros({0, 3});
  EXPECT_EQ(values_of(sum(x, 0)), (Values{0, 0, 0}));
  EXPECT_EQ(sum(x, 1).shape(), Shape({0}));
  EXPECT_THROW_TEXT(max(x, 0), ShapeError,
                    "max: nothing to choose from: x is [0, 3], reduced over axes [0]");
  EXPECT_EQ(max(x, 1).shape(), Shape({0}));

  const Tensor nan = Tensor::from({1, kNaN, 2}, {3});
  EXPECT_TRUE(std::isnan(max(nan).item()));
  EXPECT_TRUE(std::isnan(min(nan).item()));
  EXPECT_EQ(argmax(nan).item(), 1.0);
  EXPECT_EQ(argmin(nan).item(), 1.0);
  EXPECT_EQ(argmin(Tensor::from({2, 1, 7, 1}, {4})).item(), 1.0);
  EXPECT_EQ(argmax(Tensor::from({2, 7, 7, 1}, {4})).item(), 1.0);
}

TEST(Cases, Cases_2_5_FloatSumsDoNotDrift) {
  const Tensor x = Tensor::full({1'000'000}, 0.1);
  const double total = sum(x).item();
  EXPECT_NEAR(total, 100000.0015, 1.0);
  EXPECT_FLOAT_EQ(static_cast<float>(total), 100000.0015F);  // in fact the nearest float
  for (int repetition = 0; repetition < 20; ++repetition) {
    EXPECT_EQ(sum(x).item(), total);
    EXPECT_EQ(mean(x).item(), mean(x).item());
  }
  double one, two;
  {
    const ThreadScope scope(1);
    one = sum(x).item();
  }
  {
    const ThreadScope scope(2);
    two = sum(x).item();
  }
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace lectern
