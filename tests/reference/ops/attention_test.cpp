#include "autograd/ops/attention.h"

#include "tests/reference/ops/mask_of.h"
#include "tests/reference/ops/op_cases.h"

namespace lectern {
namespace {

/// Options of a call; the bias, if there is one, is the fourth input.
struct Options {
  std::optional<double> scale = {};
  double dropout = 0;
  bool bias = false;
  bool causal = false;
};

/// Applies f, one of the two forms, to q, k, v with these options.
template <class F>
auto apply(const F& f, const Options& given, Inputs x, Constants n) {
  Rng rng(7);  // of the masks of ops/dropout.py
  AttentionOptions options{.mask = mask_of(n),
                           .scale = given.scale,
                           .dropout = given.dropout,
                           .rng = &rng,
                           .training = true};
  options.mask.causal = given.causal;
  if (given.bias) options.bias = x[3];
  return f(x[0], x[1], x[2], options);
}

void add_calls(Calls& calls, const std::string& variant, const Options& options) {
  calls["scaled_dot_product_attention" + variant] = [=](Inputs x, Constants n) {
    return apply(scaled_dot_product_attention, options, x, n);
  };
  calls["attention_with_weights" + variant] = [=](Inputs x, Constants n) -> Results {
    const Attended y = apply(attention_with_weights, options, x, n);
    return std::vector{y.output, y.weights};
  };
}

TEST(ReferenceOps, Attention) {
  Calls calls;
  for (const bool causal : {false, true}) {
    for (const bool bias : {false, true}) {
      const std::string end = fmt::format("{}{}", bias ? ", bias" : "", causal ? ", causal" : "");
      add_calls(calls, end, {.bias = bias, .causal = causal});
      if (bias && !causal) continue;
      add_calls(calls, ", scale 0.3" + end, {.scale = 0.3, .bias = bias, .causal = causal});
      add_calls(calls, ", dropout 0.4" + end, {.dropout = 0.4, .bias = bias, .causal = causal});
    }
  }
  add_calls(calls, ", scale 0", {.scale = 0});
  // dS = w (dw - <g, y>) is the difference of two dot products that are rounded separately, and
  // where w is nearly 1 for one key, it should be 0; PyTorch sums w dw anew, which fused attention
  // does not keep. What stays is of the order of f32's eps |g| |v|, times the keys, here 30 long.
  const Tolerance rounded_apart{.f32 = 2e-5};
  expect_cases("attention", calls,
               {{"scaled_dot_product_attention, causal/large scores", rounded_apart}});
}

}  // namespace
}  // namespace lectern
