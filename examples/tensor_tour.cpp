// A tour of the library from tensors to gradients: every line of output is the result of the line
// of code beside it. Read this file next to what it prints.

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/losses.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "tensor/build_info.h"
#include "tensor/compare.h"
#include "tensor/einsum.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/join.h"
#include "tensor/matmul.h"
#include "tensor/print.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace {

using namespace lectern;

void title(std::string_view text) { fmt::print("\n== {} ==\n\n", text); }

/// Prints the code and, under it or beside it, what came out.
template <class T>
void show(std::string_view code, const T& value) {
  const std::string text = fmt::format("{}", value);
  const bool one_line = text.find('\n') == std::string::npos;
  fmt::print("{}{}{}\n", code, one_line ? "  →  " : "\n", text);
}

void tensors() {
  title("Tensors: numbers in rows, columns and more");
  const Tensor x = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3});
  show("Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3})", x);
  show("x.shape()", x.shape());
  show("x.dtype()", x.dtype());
  show("Tensor::arange(0, 10, 3, DType::i64)", Tensor::arange(0, 10, 3, DType::i64));
  show("Tensor::linspace(0, 1, 5)", Tensor::linspace(0, 1, 5));
  show("Tensor::eye(2)", Tensor::eye(2));
  show("x.to(DType::i64)", x.to(DType::i64));
}

void views() {
  title("Views: the same numbers seen in another way, without a copy");
  const Tensor x = Tensor::arange(12, DType::i64);
  const Tensor table = reshape(x, {3, -1});  // [3, 4]; -1 is what is left over
  show("reshape(x, {3, -1})", table);
  show("transpose(table, 0, 1)", transpose(table, 0, 1));
  show("slice(table, 1, 0, kEnd, 2)", slice(table, 1, 0, kEnd, 2));  // every second column
  show("select(table, 0, -1)", select(table, 0, -1));                // the last row
  show("diagonal(table)", diagonal(table));

  // A view has its own shape and strides over the same storage: transposing exchanges two numbers.
  show("table.strides()", table.strides());
  show("transpose(table, 0, 1).strides()", transpose(table, 0, 1).strides());
  show("same storage", transpose(table, 0, 1).storage() == x.storage());
}

void elementwise() {
  title("Arithmetic: element by element, with broadcasting");
  const Tensor x = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor row = Tensor::from({10, 20, 30}, {3});
  const Tensor column = Tensor::from({100, 200}, {2, 1});
  show("x + row", x + row);        // row stands for both rows
  show("x * column", x * column);  // column for all three columns
  show("row + column", row + column);
  show("greater(x, 2)", greater(x, 2));
  show("masked_fill(x, greater(x, 2), 0)", masked_fill(x, greater(x, 2), 0));
}

void reductions() {
  title("Reductions: many numbers become one");
  const Tensor x = Tensor::from({3, 1, 2, 9, 7, 8}, {2, 3});
  show("sum(x)", sum(x));
  show("mean(x, 0)", mean(x, 0));  // over the rows: one mean for each column
  show("max(x, -1)", max(x, -1));  // over the last axis
  show("argmax(x, -1)", argmax(x, -1));
  show("x - mean(x, -1, true)", x - mean(x, -1, /*keepdim=*/true));
}

void products() {
  title("Products: matmul, and einsum for all the others");
  const Tensor a = Tensor::from({1, 2, 3, 4}, {2, 2});
  const Tensor b = Tensor::from({5, 6, 7, 8}, {2, 2});
  show("matmul(a, b)", matmul(a, b));
  show("einsum(\"ij,jk->ik\", {a, b})", einsum("ij,jk->ik", {a, b}));  // the same
  show("einsum(\"ii\", {a})", einsum("ii", {a}));                      // trace
  show("einsum(\"i,j->ij\", {…})", einsum("i,j->ij", {select(a, 0, 0), select(b, 0, 0)}));

  // Queries against keys, for every sentence b and head h: the heart of attention.
  const Tensor q = Tensor::ones({2, 5, 4, 8});  // [B, Tq, H, D]
  const Tensor k = Tensor::ones({2, 7, 4, 8});  // [B, Tk, H, D]
  show("einsum(\"bqhd,bkhd->bhqk\", {q, k}).shape()", einsum("bqhd,bkhd->bhqk", {q, k}).shape());
}

void indexing() {
  title("Finding and joining");
  const Tensor table = Tensor::from({9, 9, 1, 2, 3, 4}, {3, 2});
  const Tensor ids = Tensor::from({2, 0, 2}, {3}, DType::i64);
  show("index_select(table, 0, ids)", index_select(table, 0, ids));
  show("one_hot(ids, 3)", one_hot(ids, 3));
  show("concat({table, table}, 1)", concat({table, table}, 1));
  show("tril(Tensor::ones({3, 3}))", tril(Tensor::ones({3, 3})));
}

void randomness() {
  title("Random numbers: a function of seed and position");
  Rng rng(42);
  show("rng.uniform({4})", rng.uniform({4}));
  show("rng.integers({6}, 1, 7)", rng.integers({6}, 1, 7));
  show("rng.permutation(6)", rng.permutation(6));
  Rng same(42);
  show("Rng(42).uniform({4}) again", same.uniform({4}));
}

void gradients() {
  title("Gradients: variables remember what they were computed from");
  const Variable x(Tensor::scalar(3), /*requires_grad=*/true);
  const Variable y = x * x + 2.0 * x;  // dy/dx = 2x + 2
  backward(y);
  show("y = x² + 2x at 3", y.value());
  show("dy/dx", x.grad());

  // A linear model, one step of gradient descent after another. The points lie on 2a - b.
  const Variable points(Tensor::from({1, 0, 0, 1, 1, 1, 2, 1}, {4, 2}));  // [N, 2]
  const Variable targets(Tensor::from({2, -1, 1, 3}, {4, 1}));            // [N, 1]
  Variable weight(Tensor::zeros({2, 1}), /*requires_grad=*/true);
  for (int step = 0; step <= 300; ++step) {
    const Variable loss = mse_loss(matmul(points, weight), targets);
    weight.zero_grad();
    backward(loss);
    if (step % 100 == 0) fmt::print("step {:3d}  loss {:.4f}\n", step, loss.value().item());
    weight = Variable(weight.value() - 0.1 * weight.grad(), /*requires_grad=*/true);
  }
  show("weight", weight.value());
}

void errors() {
  title("Errors name the op, the operands and the rule");
  try {
    static_cast<void>(matmul(Tensor::zeros({32, 10, 128}), Tensor::zeros({64, 256})));
  } catch (const ShapeError& error) {
    fmt::print("{}\n", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version") {
    fmt::print("{}\n", version_text("tensor_tour"));
    return 0;
  }
  warn_if_slow();
  tensors();
  views();
  elementwise();
  reductions();
  products();
  indexing();
  randomness();
  gradients();
  errors();
}
