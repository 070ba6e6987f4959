#include "autograd/ops/sort.h"

#include "tensor/indexing.h"
#include "tensor/sort.h"

namespace lectern {
namespace {

// y_j = x[index_j]        dx = g put at those places, 0 elsewhere
SortedVariable record_chosen(std::string_view op, const Variable& x, const Sorted& chosen,
                             int axis) {
  const auto dx = [axis, indices = saved(chosen.indices), shape = x.shape()](const Tensor& g) {
    return scatter_add(Tensor::zeros(shape, g.dtype()), axis, *indices, g);
  };
  return {record(op, chosen.values, wrt(x, dx)), chosen.indices};
}

}  // namespace

SortedVariable sort(const Variable& x, int axis, bool descending) {
  require_floating("sort", x.dtype());
  return record_chosen("sort", x, sort(x.value(), axis, descending), axis);
}

SortedVariable topk(const Variable& x, std::int64_t k, int axis, bool largest) {
  require_floating("topk", x.dtype());
  return record_chosen("topk", x, topk(x.value(), k, axis, largest), axis);
}

}  // namespace lectern
