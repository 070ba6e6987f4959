// Four ways in which multi-head attention was written and published, run side by side: what shapes
// they give, and who reaches whom in them. docs/attention-seeds.md goes through what this prints.

#include <fmt/core.h>

#include <string_view>

#include "examples/attention_seeds/einsum_form.h"
#include "examples/attention_seeds/matmul_form.h"
#include "examples/attention_seeds/paper_notation.h"
#include "examples/attention_seeds/shared_head_projections.h"
#include "nn/attention_audit.h"
#include "tensor/build_info.h"
#include "tensor/print.h"

namespace {

using namespace lectern;
using namespace lectern::attention_seeds;
using nn::attention_audit;

void title(std::string_view text) { fmt::print("\n== {} ==\n\n", text); }

Variable sentences(const Shape& shape) { return Variable(Rng(7).normal(shape)); }

void einsum_form() {
  title("seed 000: einsum form");
  Rng rng(1);
  const EinsumForm form(16, 4, rng);
  const Variable x = sentences({2, 5, 16}), longer = sentences({2, 7, 16});

  fmt::print("as printed: {} -> {}\n", x.shape(), form.as_printed(x, x, x).shape());
  fmt::print("{}\n", to_string(attention_audit(
                         [&](const Variable& at) { return form.as_printed(at, at, at); }, x)));
  fmt::print("as printed, 5 queries and 7 keys:\n");
  try {
    static_cast<void>(form.as_printed(x, longer, longer));
  } catch (const ShapeError& error) {
    fmt::print("{}\n\n", error.what());
  }

  fmt::print("as meant: {} -> {}\n", x.shape(), form(x, x, x).shape());
  fmt::print("{}\n",
             to_string(attention_audit([&](const Variable& at) { return form(at, at, at); }, x)));
  fmt::print("as meant, 5 queries and 7 keys: {}\n", form(x, longer, longer).shape());
}

void shared_head_projections() {
  title("seed 002: shared head projections");
  Rng rng(1);
  const SharedHeadProjections form(16, 4, rng);
  const Variable x = sentences({2, 5, 16});
  const Mask mask = causal_mask() & padding_mask(Tensor::from({5, 3}, {2}, DType::i64));

  fmt::print("as printed, with its power operator: {} -> {}\n", x.shape(),
             form.as_printed(x, x, x).shape());
  fmt::print("{}\n", to_string(attention_audit(
                         [&](const Variable& at) { return form.as_printed(at, at, at); }, x)));
  fmt::print("with a mask, causal and for sentences of 5 and 3 words:\n");
  fmt::print("{}\n", to_string(attention_audit(
                         [&](const Variable& at, const Mask& given) {
                           const Tensor zeros_hide = dense("mask", given, {2, 1, 5, 5});
                           return form.as_printed(at, at, at, zeros_hide);
                         },
                         x, {.mask = mask})));

  const Variable scores(Tensor::from({3, 1, 2, 0}, {1, 4}));
  const Tensor hides_all = Tensor::zeros({1, 4}, DType::boolean);
  fmt::print("the weights of a query that sees nothing\n");
  fmt::print("  with -1e20:        {}\n",
             softmax(where(equal(hides_all, 0), -1e20, scores), -1).value());
  fmt::print("  with a Mask:       {}\n", masked_softmax(scores, allow(hides_all)).value());
}

void matmul_form() {
  title("seed 003: matmul form");
  Rng rng(1);
  const MatmulForm form(128, 8, rng);
  const Variable x = sentences({32, 10, 128});
  fmt::print("as printed: {} -> {}\n", x.shape(), form(x).shape());
  fmt::print("{}", to_string(attention_audit([&](const Variable& at) { return form(at); },
                                             sentences({2, 5, 128}))));
}

void paper_notation() {
  title("seed 004: the paper's notation");
  Rng rng(1);
  const PaperNotation form(rng);
  const Variable x = sentences({2, 5, 512});
  fmt::print("as printed: {} -> {}\n", x.shape(), form(x).shape());
  fmt::print("{}", to_string(attention_audit([&](const Variable& at) { return form(at); }, x)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version") {
    fmt::print("{}\n", version_text("attention_seeds"));
    return 0;
  }
  warn_if_slow();
  einsum_form();
  shared_head_projections();
  matmul_form();
  paper_notation();
}
