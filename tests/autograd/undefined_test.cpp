// An undefined tensor is refused by name, though it has a dtype and a shape that would fit.

#include <gtest/gtest.h>

#include <functional>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/einsum.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/losses.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/compare.h"
#include "tensor/einsum.h"
#include "tensor/elementwise.h"
#include "tests/support/expect_throw_text.h"

namespace lectern {
namespace {

struct Call {
  std::string_view text;
  std::function<void()> run;
};

TEST(Undefined, OpsRefuseItByName) {
  const Variable w(Tensor::scalar(2), /*requires_grad=*/true), none;
  const Tensor yes = Tensor::from({1}, {}, DType::boolean);
  Tensor x = Tensor::scalar(2);
  Rng rng(1);
  const std::vector<Call> calls{
      {"add: b is undefined", [&] { w + none; }},
      {"mul: b is undefined", [&] { w* none; }},
      {"div: a is undefined", [&] { none / w; }},
      {"pow: b is undefined", [&] { pow(w, none); }},
      {"maximum: b is undefined", [&] { maximum(w, none); }},
      {"where: b is undefined", [&] { where(yes, w, none); }},
      {"sub: b is undefined", [&] { mse_loss(w, none); }},
      {"less: b is undefined", [&] { less(x, Tensor()); }},
      {"einsum: operand 0 is undefined", [&] { einsum("", std::vector{Tensor()}); }},
      {"einsum: operand 1 is undefined",
       [&] {
         einsum(",->", std::vector{w, none});
       }},
      {"backward: seed is undefined", [&] { backward(w * 2, Tensor()); }},
      {"Variable: value is undefined; it can require no gradient",
       [&] { Variable(Tensor(), /*requires_grad=*/true); }},
      {"set_grad: grad is undefined", [&] { Variable(w).set_grad(Tensor()); }},
      {"copy_from: source is undefined", [&] { x.copy_from(Tensor()); }},
      {"copy_from: this is undefined", [&] { Tensor().copy_from(x); }},
      {"clone: x is undefined", [&] { Tensor().clone(); }},
      {"data: x is undefined", [&] { none * 2; }},
      {"data: x is undefined", [&] { -none; }},
      {"data: x is undefined", [&] { exp(none); }},
      {"data: x is undefined", [&] { gelu(none); }},
      {"data: x is undefined", [&] { sum(none); }},
      {"data: x is undefined", [&] { max(none); }},
      {"data: x is undefined", [&] { dropout(none, 0.5, rng); }},
      {"add_dropout: a is undefined", [&] { add_dropout(none, w, 0.5, rng); }},
      {"add_dropout: b is undefined", [&] { add_dropout(w, none, 0.5, rng); }},
      {"data: x is undefined", [&] { masked_fill(none, yes, 1); }},
      {"copy_from: source is undefined",
       [&] {
         stack({w, none});
       }},
      {"data: x is undefined", [&] { reshape(none, {1}).value().item(); }},
      {"data: x is undefined", [&] { Tensor().item(); }},
      {"data: x is undefined", [&] { Tensor().fill(1); }},
      {"data: x is undefined", [&] { Tensor().to(DType::f64); }},
      {"data: x is undefined", [&] { Tensor().data<float>(); }},
      {"data: x is undefined", [&] { Tensor().data<double>(); }},
      {"data: x is undefined", [&] { add_into(x, Tensor()); }}};
  for (const Call& call : calls) {
    EXPECT_THROW_TEXT(call.run(), ValueError, call.text);
  }
  EXPECT_EQ(x.item(), 2);
  EXPECT_FALSE(w.has_grad());
}

}  // namespace
}  // namespace lectern
