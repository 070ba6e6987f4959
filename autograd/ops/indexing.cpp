#include "autograd/ops/indexing.h"

#include "tensor/indexing.h"

namespace lectern {

Variable index_select(const Variable& x, int axis, const Tensor& indices) {
  const Tensor y = index_select(x.value(), axis, indices);
  const int along = normalize_axis("index_select", axis, x.shape());
  return record("index_select", y,
                wrt(x, [along, indices = saved(indices), s = x.shape(), d = x.dtype()](
                           const Tensor& g, Gradient& sum) {
                  const auto [dx, accumulate] = sum.target(s, d);
                  add_rows(dx, along, *indices, g, accumulate);
                }));
}

Variable gather(const Variable& x, int axis, const Tensor& indices) {
  return record(
      "gather", gather(x.value(), axis, indices),
      wrt(x, [axis, indices = saved(indices), s = x.shape(), d = x.dtype()](const Tensor& g) {
        return scatter_add(Tensor::zeros(s, d), axis, *indices, g);
      }));
}

Variable scatter_add(const Variable& x, int axis, const Tensor& indices, const Variable& source) {
  return record("scatter_add", scatter_add(x.value(), axis, indices, source.value()),
                wrt(x, [](const Tensor& g) { return g; }),
                wrt(source, [axis, indices = saved(indices)](const Tensor& g) {
                  return gather(g, axis, *indices);
                }));
}

Variable masked_fill(const Variable& x, const Tensor& mask, double value) {
  return record("masked_fill", masked_fill(x.value(), mask, value),
                wrt(x, [mask = saved(mask)](const Tensor& g) { return masked_fill(g, *mask, 0); }));
}

Variable tril(const Variable& x, std::int64_t diagonal) {
  return record("tril", tril(x.value(), diagonal),
                wrt(x, [diagonal](const Tensor& g) { return tril(g, diagonal); }));
}

Variable triu(const Variable& x, std::int64_t diagonal) {
  return record("triu", triu(x.value(), diagonal),
                wrt(x, [diagonal](const Tensor& g) { return triu(g, diagonal); }));
}

}  // namespace lectern
