#include "nn/embedding.h"

#include <cmath>

#include "autograd/ops/embedding.h"
#include "tensor/views.h"

namespace lectern::nn {
namespace {

Tensor normal_table(std::int64_t vocabulary, std::int64_t width, Rng& rng,
                    const Embedding::Options& options) {
  require<ShapeError>(vocabulary > 0 && width > 0,
                      "Embedding: vocabulary is {}, width is {}; both must be positive", vocabulary,
                      width);
  const std::int64_t padding = options.padding_id.value_or(0);
  require<IndexError>(padding >= 0 && padding < vocabulary,
                      "Embedding: padding id {} is outside the vocabulary of {}", padding,
                      vocabulary);
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  Tensor table = rng.normal({vocabulary, width}, 0, deviation, options.dtype);
  if (options.padding_id) select(table, 0, padding).fill(0);
  return table;
}

}  // namespace

Embedding::Embedding(std::int64_t vocabulary, std::int64_t width, Rng& rng, Options options)
    : weight_(normal_table(vocabulary, width, rng, options), /*requires_grad=*/true),
      padding_id_(options.padding_id) {}

Variable Embedding::operator()(const Tensor& ids) const {
  return embedding(weight_, ids, padding_id_);
}

}  // namespace lectern::nn
