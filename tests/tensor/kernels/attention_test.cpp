#include "tensor/kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/kernel_threads.h"
#include "tests/support/kernel_values.h"

namespace lectern::kernels {
namespace {

/// Arrays laid out [B, T, H, D], as projections make them, so that heads are not dense.
template <class T>
struct Inputs {
  Attention a;
  std::vector<T> q, k, v, g;

  explicit Inputs(const Attention& sizes, unsigned seed = 1)
      : a(sizes),
        q(random_values<T>(a.batch * a.queries * a.heads * a.width, seed)),
        k(random_values<T>(a.batch * a.keys * a.heads * a.width, seed + 1)),
        v(random_values<T>(a.batch * a.keys * a.heads * a.value_width, seed + 2)),
        g(random_values<T>(a.batch * a.queries * a.heads * a.value_width, seed + 3)) {}

  template <class Element>
  HeadsView<Element> view(Element* data, std::int64_t length, std::int64_t width) const {
    return {data, length * a.heads * width, width, a.heads * width};
  }
};

template <class T>
struct Result {
  std::vector<T> out, dq, dk, dv;
  std::vector<double> log_sum_exp;

  bool operator==(const Result&) const = default;
};

template <class T>
Result<T> run(const Inputs<T>& in, int threads = 1) {
  const Attention& a = in.a;
  const auto unwritten = [](const std::vector<T>& like) {
    return std::vector<T>(like.size(), std::numeric_limits<T>::quiet_NaN());
  };
  Result<T> r{unwritten(in.g), unwritten(in.q), unwritten(in.k), unwritten(in.v),
              std::vector<double>(static_cast<std::size_t>(a.batch * a.heads * a.queries))};
  AlignedBytes scratch(attention_scratch_bytes<T>(a, threads));
  const auto q = in.view(in.q.data(), a.queries, a.width);
  const auto k = in.view(in.k.data(), a.keys, a.width);
  const auto v = in.view(in.v.data(), a.keys, a.value_width);
  attention(a, q, k, v, in.view(r.out.data(), a.queries, a.value_width), r.log_sum_exp.data(),
            scratch.data(), threads);
  const T* const out = r.out.data();
  attention_vjp(a, q, k, v, in.view(out, a.queries, a.value_width), r.log_sum_exp.data(),
                in.view(in.g.data(), a.queries, a.value_width),
                in.view(r.dq.data(), a.queries, a.width), in.view(r.dk.data(), a.keys, a.width),
                in.view(r.dv.data(), a.keys, a.value_width), scratch.data(), threads);
  return r;
}

bool sees(const Attention& a, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const AttentionMask& m = a.mask;
  if (m.causal && j > i + a.keys - a.queries) return false;
  if (m.key_lengths != nullptr && j >= m.key_lengths[b]) return false;
  return m.keep == nullptr || m.keep[b * m.keep_strides[0] + h * m.keep_strides[1] +
                                     i * m.keep_strides[2] + j * m.keep_strides[3]];
}

/// The definition, in double, with whole [Tq, Tk] weights.
template <class T>
std::vector<double> plain(const Inputs<T>& in) {
  const Attention& a = in.a;
  std::vector<double> out(in.g.size());
  const auto at = [&](std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t d,
                      std::int64_t length, std::int64_t width) {
    return static_cast<std::size_t>(((b * length + t) * a.heads + h) * width + d);
  };
  for (std::int64_t b = 0; b < a.batch; ++b) {
    for (std::int64_t h = 0; h < a.heads; ++h) {
      for (std::int64_t i = 0; i < a.queries; ++i) {
        std::vector<double> weights;
        double total = 0;
        for (std::int64_t j = 0; j < a.keys; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < a.width; ++d) {
            score += static_cast<double>(in.q[at(b, i, h, d, a.queries, a.width)]) *
                     static_cast<double>(in.k[at(b, j, h, d, a.keys, a.width)]);
          }
          weights.push_back(sees(a, b, h, i, j) ? std::exp(a.scale * score) : 0);
          total += weights.back();
        }
        if (total == 0) continue;
        for (std::int64_t j = 0; j < a.keys; ++j) {
          const std::int64_t element = ((b * a.heads + h) * a.queries + i) * a.keys + j;
          double factor = 1;
          if (a.dropout.p > 0) dropout_factors(a.dropout, element, 1, &factor);
          for (std::int64_t d = 0; d < a.value_width; ++d) {
            out[at(b, i, h, d, a.queries, a.value_width)] +=
                weights[static_cast<std::size_t>(j)] / total * factor *
                static_cast<double>(in.v[at(b, j, h, d, a.keys, a.value_width)]);
          }
        }
      }
    }
  }
  return out;
}

/// A dense mask [B, 1, Tq, Tk] with holes, and one query that sees nothing.
struct DenseMask {
  std::unique_ptr<bool[]> keep;
  AttentionMask mask;

  DenseMask(std::int64_t batch, std::int64_t queries, std::int64_t keys)
      : keep(new bool[static_cast<std::size_t>(batch * queries * keys)]) {
    for (std::int64_t i = 0; i < batch * queries * keys; ++i) {
      keep[static_cast<std::size_t>(i)] = i % 3 != 1 && i / keys != 1;
    }
    mask.keep = keep.get();
    mask.keep_strides[0] = queries * keys;
    mask.keep_strides[2] = keys;
    mask.keep_strides[3] = 1;
  }
};

void expect_all_right(const Attention& a) {
  Inputs<double> in(a);
  const Result<double> result = run(in);
  expect_close(result.out, plain(in), 1e-12, 1e-13);
  const auto loss = [&] { return dot(plain(in), in.g); };
  expect_gradient(in.q, result.dq, loss);
  expect_gradient(in.k, result.dk, loss);
  expect_gradient(in.v, result.dv, loss);
}

Attention sizes(std::int64_t queries, std::int64_t keys) {
  return {.batch = 2,
          .heads = 2,
          .queries = queries,
          .keys = keys,
          .width = 3,
          .value_width = 2,
          .scale = 0.8};
}

TEST(AttentionKernel, GradientsMatchCentralDifferencesWithoutAMask) {
  expect_all_right(sizes(5, 7));
  expect_all_right(sizes(1, 17));
}

TEST(AttentionKernel, GradientsMatchCentralDifferencesUnderEveryMask) {
  const std::int64_t lengths[] = {0, 4};
  const DenseMask dense(2, 5, 7);
  Attention a = sizes(5, 7);
  for (const bool causal : {false, true}) {
    for (const bool by_length : {false, true}) {
      for (const bool with_holes : {false, true}) {
        for (const double p : {0.0, 0.4}) {
          a.mask = with_holes ? dense.mask : AttentionMask{};
          a.mask.causal = causal;
          a.mask.key_lengths = by_length ? lengths : nullptr;
          a.dropout = {.p = p, .key = {3, 1}, .first_block = 10};
          expect_all_right(a);
        }
      }
    }
  }
  Attention longer = sizes(7, 4);  // the first three queries see nothing
  longer.mask.causal = true;
  expect_all_right(longer);
}

TEST(AttentionKernel, TilesJoinWithoutASeam) {
  for (const auto& [queries, keys] : {std::pair{64, 64}, {65, 63}, {70, 150}, {130, 65}}) {
    const std::int64_t lengths[] = {keys, keys - 20};
    for (const bool causal : {false, true}) {
      Attention a = sizes(queries, keys);
      a.width = 20;
      a.value_width = 17;
      a.mask.causal = causal;
      a.mask.key_lengths = lengths;
      a.dropout = {.p = 0.2, .key = {5, 0}};
      const Inputs<double> in(a);
      expect_close(run(in).out, plain(in), 1e-12, 1e-13);
      const Inputs<float> in32(a);
      expect_close(run(in32).out, plain(in32));
    }
  }
}

TEST(AttentionKernel, GradientsOfManyTilesMatchCentralDifferences) {
  Attention a = sizes(67, 70);
  a.batch = a.heads = 1;
  a.width = 2;
  a.value_width = 1;
  a.mask.causal = true;
  expect_all_right(a);
  const std::int64_t length = 68;  // the last key tile is cut short, keys 68 to 139 are never seen
  a.keys = 140;
  a.mask.key_lengths = &length;
  expect_all_right(a);
}

TEST(AttentionKernel, FloatGradientsAreThoseOfDouble) {
  Attention a = sizes(70, 90);
  a.width = a.value_width = 32;
  a.mask.causal = true;
  a.dropout = {.p = 0.1, .key = {5, 0}};
  const Inputs<float> in(a);
  Inputs<double> wide(a);
  wide.q.assign(in.q.begin(), in.q.end());
  wide.k.assign(in.k.begin(), in.k.end());
  wide.v.assign(in.v.begin(), in.v.end());
  wide.g.assign(in.g.begin(), in.g.end());
  const Result<float> got = run(in);
  const Result<double> expected = run(wide);
  expect_close(got.dq, expected.dq, 1e-5, 2e-6);
  expect_close(got.dk, expected.dk, 1e-5, 2e-6);
  expect_close(got.dv, expected.dv, 1e-5, 2e-6);
}

// Scores rise by 10000 from tile to tile, so every tile makes those before it vanish.
TEST(AttentionKernel, LargeScoresDoNotOverflow) {
  Attention a = sizes(1, 200);
  a.batch = a.heads = a.width = a.value_width = 1;
  a.scale = 1;
  Inputs<float> in(a);
  in.q[0] = 100;
  for (std::size_t j = 0; j < 200; ++j) {
    in.k[j] = static_cast<float>(j);
    in.v[j] = static_cast<float>(j);
  }
  const Result<float> r = run(in);
  EXPECT_EQ(r.out[0], 199.0F);
  EXPECT_EQ(r.log_sum_exp[0], 19900.0);
  EXPECT_EQ(r.dv[199], in.g[0]);
  EXPECT_EQ(r.dv[0], 0.0F);
}

TEST(AttentionKernel, EmptySizesGiveZeros) {
  const Inputs<float> no_keys(sizes(3, 0));
  const Result<float> r = run(no_keys);
  EXPECT_EQ(r.out, std::vector<float>(r.out.size()));
  EXPECT_EQ(r.dq, std::vector<float>(r.dq.size()));
  const Result<float> none = run(Inputs<float>(sizes(0, 3)));
  EXPECT_EQ(none.dk, std::vector<float>(none.dk.size()));
}

TEST(AttentionKernel, DroppingEverythingGivesZeros) {
  Attention a = sizes(4, 4);
  a.dropout = {.p = 1, .key = {5, 0}};
  const Result<float> r = run(Inputs<float>(a));
  for (const auto* zeros : {&r.out, &r.dq, &r.dk, &r.dv}) {
    EXPECT_EQ(*zeros, std::vector<float>(zeros->size()));
  }
}

TEST(AttentionKernel, AScaleOfZeroAveragesTheVisibleValues) {
  const DenseMask dense(2, 5, 7);
  Attention a = sizes(5, 7);
  a.mask = dense.mask;
  a.mask.causal = true;
  a.scale = 0;
  const Inputs<float> in(a);
  expect_close(run(in).out, plain(in));
}

TEST(AttentionKernel, NaNIsNotHidden) {
  Inputs<float> in(sizes(1, 3));
  in.k[0] = std::numeric_limits<float>::quiet_NaN();  // sample 0, key 0, head 0
  const Result<float> r = run(in);
  EXPECT_TRUE(std::isnan(r.out[0]));
  EXPECT_FALSE(std::isnan(r.out[2]));
}

TEST(AttentionKernel, SameBitsForAnyNumberOfThreads) {
  const SerialThreshold always_a_team(0);
  for (const auto& [queries, keys] : {std::pair{20, 21}, {130, 70}}) {
    Attention a = sizes(queries, keys);
    a.batch = 3;
    a.width = 32;
    a.mask.causal = true;
    a.dropout = {.p = 0.1, .key = {5, 0}};
    const Inputs<float> in(a);
    const Result<float> first = run(in);
    for (int threads = 2; threads <= 4; ++threads) EXPECT_TRUE(run(in, threads) == first);
  }
}

/// One head, one sample.
template <class T>
Inputs<T> one_head(const std::vector<T>& q, const std::vector<T>& k, const std::vector<T>& v) {
  Inputs<T> in({.batch = 1,
                .heads = 1,
                .queries = static_cast<std::int64_t>(q.size()) / 2,
                .keys = static_cast<std::int64_t>(k.size()) / 2,
                .width = 2,
                .value_width = 2,
                .scale = 1 / std::sqrt(2.0)});
  in.q = q;
  in.k = k;
  in.v = v;
  in.g.assign(q.size(), 1);
  return in;
}

TEST(Cases, Cases_3_2_AttentionKernelAQueryThatMaySeeNoKey) {
  auto in = one_head<float>({1, 0, 0, 1, 1, 1}, {1, 2, 0, 1, -1, 1}, {1, 0, 2, 1, 0, 3});
  const bool keep[] = {true, false, false, false, false, false, true, false, true};
  in.a.mask.keep = keep;
  in.a.mask.keep_strides[2] = 3;
  in.a.mask.keep_strides[3] = 1;
  const Result<float> r = run(in);
  expect_close(r.out, {1, 0, 0, 0, 0.892958199, 0.321125404});
  expect_close(r.dq, {0, 0, 0, 0, -0.270351966, -0.135175983});
  expect_close(r.dk, {-0.135175983, -0.135175983, 0, 0, 0.135175983, 0.135175983});
  expect_close(r.dv, {1.8929582, 1.8929582, 0, 0, 0.107041801, 0.107041801});
}

TEST(Cases, Cases_3_3_AttentionKernelCausalHangsFromTheLowerRight) {
  const std::vector<float> k = {1, 0, 0, 1, 1, 1, -1, 1}, v = {1, 0, 0, 1, 2, 2, 4, -1};
  auto two = one_head<float>({1, 0, 0, 1}, k, v);
  two.a.mask.causal = true;
  expect_close(run(two).out, {1.20333628, 1, 1.85884369, 0.572562459});

  auto four = one_head<float>(k, k, v);
  four.a.mask.causal = true;
  const std::vector<double> rows = {1,          0,          0.330238451, 0.669761549,
                                    1.25523477, 1.25523477, 2.48166008,  -0.0111515008};
  const auto all = run(four).out;
  expect_close(all, rows);
  for (std::size_t t = 1; t <= 4; ++t) {  // token by token
    const auto part = [t](const std::vector<float>& x) {
      return std::vector<float>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(2 * t));
    };
    auto step = one_head<float>({k[2 * t - 2], k[2 * t - 1]}, part(k), part(v));
    step.a.mask.causal = true;
    expect_close(run(step).out, {rows[2 * t - 2], rows[2 * t - 1]});
  }
}

TEST(Cases, Cases_3_4_AttentionKernelMasksBelongToTheirSample) {
  Attention a{.batch = 2,
              .heads = 2,
              .queries = 1,
              .keys = 3,
              .width = 2,
              .value_width = 2,
              .scale = 1 / std::sqrt(2.0)};
  std::vector<float> q(8), k(24), v(24), out(8);
  for (std::size_t i = 0; i < 8; ++i) q[i] = (static_cast<float>(i) - 3) / 2;
  for (std::size_t i = 0; i < 24; ++i) k[i] = (static_cast<float>(i) - 11) / 6;
  for (std::size_t i = 0; i < 24; ++i) v[i] = static_cast<float>(i);
  const auto heads = [](auto* data, std::int64_t length) {  // [B, H, T, D], dense
    return HeadsView<std::remove_pointer_t<decltype(data)>>{data, 4 * length, 2 * length, 2};
  };
  AlignedBytes scratch(attention_scratch_bytes<float>(a, 1));
  const auto expect_case = [&] {
    attention<float>(a, heads(std::as_const(q).data(), 1), heads(std::as_const(k).data(), 3),
                     heads(std::as_const(v).data(), 3), heads(out.data(), 1), nullptr,
                     scratch.data(), 1);
    expect_close(out, {1.25662048, 2.25662048, 7.84322781, 8.84322781, 12, 13, 18, 19});
  };
  const std::int64_t lengths[] = {3, 1};
  a.mask.key_lengths = lengths;
  expect_case();
  const bool keep[] = {true, true, true, true, false, false};  // [B, 1, 1, Tk]
  a.mask = {};
  a.mask.keep = keep;
  a.mask.keep_strides[0] = 3;
  a.mask.keep_strides[3] = 1;
  expect_case();
}

}  // namespace
}  // namespace lectern::kernels
