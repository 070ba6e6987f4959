#include "autograd/ops/dropout.h"

#include "autograd/ops/arithmetic.h"
#include "tensor/kernels/random.h"
#include "tensor/threads.h"

namespace lectern {

// y = x m / (1 − p)        dx = g m / (1 − p)        m = 1 where kept, 0 where dropped
Variable dropout(const Variable& x, double p, Rng& rng, bool training) {
  require_floating("dropout", x.dtype());
  const bool drops = training && p != 0;
  const kernels::PhiloxDropout mask =
      reserve_dropout("dropout", p, drops ? x.value().numel() : 0, rng);
  if (!drops) return x;
  return record("dropout", dropout(x.value(), mask),
                wrt(x, [mask](const Tensor& g) { return dropout(g, mask); }));
}

// y = a + b m / (1 − p)        da = g        db = g m / (1 − p)
Variable add_dropout(const Variable& a, const Variable& b, double p, Rng& rng, bool training) {
  require_same_dtype("add_dropout", a.value(), b.value());
  require_floating("add_dropout", a.dtype(), "a");
  require<ShapeError>(a.shape() == b.shape(),
                      "add_dropout: shapes differ: a is {}, b is {}; nothing broadcasts here",
                      a.shape(), b.shape());
  const bool drops = training && p != 0;
  const std::int64_t n = a.value().numel();
  const kernels::PhiloxDropout mask = reserve_dropout("add_dropout", p, drops ? n : 0, rng);
  if (!drops) return a + b;
  Tensor y = Tensor::empty(a.shape(), a.dtype());
  visit_floating("add_dropout", a.dtype(), [&]<class T>() {
    const Tensor dense_a = a.value().contiguous(), dense_b = b.value().contiguous();
    kernels::add_dropout(mask, n, dense_a.origin<T>(), dense_b.origin<T>(), y.mutable_origin<T>(),
                         threads_for(n));
  });
  return record("add_dropout", y, wrt(a, [](const Tensor& g) { return g; }),
                wrt(b, [mask](const Tensor& g) { return dropout(g, mask); }));
}

}  // namespace lectern
