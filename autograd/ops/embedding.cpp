#include "autograd/ops/embedding.h"

#include "tensor/indexing.h"
#include "tensor/views.h"

namespace lectern {

// y[n, :] = W[ids[n], :]        dW[v, :] = Σ g[n, :] over the n with ids[n] = v ≠ padding
Variable embedding(const Variable& weight, const Tensor& ids,
                   std::optional<std::int64_t> padding_id) {
  require<ShapeError>(weight.rank() == 2, "embedding: weight has shape {}; its rank must be 2",
                      weight.shape());
  require_floating("embedding", weight.dtype(), "weight");
  require<DTypeError>(ids.dtype() == DType::i64,
                      "embedding: ids is {}; convert it with .to(DType::i64)", ids.dtype());
  const std::int64_t rows = weight.shape()[0];
  if (padding_id) {
    require<IndexError>(*padding_id >= 0 && *padding_id < rows,
                        "embedding: padding id {} is outside the table: weight is {}", *padding_id,
                        weight.shape());
  }
  if (const std::optional<Outside> bad = first_outside(ids, rows)) {
    fail<IndexError>("embedding: id {} at position {} is outside the table: weight is {}",
                     bad->index, bad->position, weight.shape());
  }
  Shape shape = ids.shape();
  shape.push_back(weight.shape()[1]);
  const Tensor flat = flatten(ids);                                // [N]
  const Tensor rows_read = index_select(weight.value(), 0, flat);  // [N, E]
  return record(
      "embedding", reshape(rows_read, shape),
      wrt(weight, [flat = saved(flat), padding = padding_id.value_or(-1), s = weight.shape(),
                   d = weight.dtype()](const Tensor& g, Gradient& sum) {
        const auto [dweight, accumulate] = sum.target(s, d);
        const Tensor rows_of_g = reshape(g, {flat->numel(), s[1]});  // [N, E]
        add_rows(dweight, 0, *flat, rows_of_g, accumulate, padding);
      }));
}

}  // namespace lectern
