#pragma once

#include <optional>

#include "nn/module.h"
#include "tensor/random.h"

namespace lectern::nn {

/// A table of vectors, one for each id: y = weight[ids].
///
/// Shapes: ids i64 [...] -> [..., E]; weight [V, E].
/// Init:   N(0, 1/E), so that times sqrt(E) its elements have variance 1; the padding row is zero
///         and gets no gradient.
/// Throws: IndexError for an id outside [0, V).
class Embedding final : public Module {
 public:
  struct Options {
    std::optional<std::int64_t> padding_id{};
    DType dtype = DType::f32;
  };
  Embedding(std::int64_t vocabulary, std::int64_t width, Rng& rng, Options options);
  Embedding(std::int64_t vocabulary, std::int64_t width, Rng& rng)
      : Embedding(vocabulary, width, rng, Options{}) {}

  Variable operator()(const Tensor& ids) const;

  const Parameter& weight() const { return weight_; }

 private:
  void describe(Members& members) override { members("weight", weight_); }

  Parameter weight_;
  std::optional<std::int64_t> padding_id_;
};

}  // namespace lectern::nn
