#pragma once

#include <string>

#include "autograd/leaf_names.h"

namespace lectern {

/// Until the end of the scope, the first NaN or infinity that an op brings forth on this thread,
/// forward or backward, is a ValueError that names the op, the shapes, the element and the module
/// (modules_behind()). To find where a loss became NaN:
///
///   const AnomalyMode scope(model.named_parameters());
///   const Variable loss = …;
///   backward(loss);
///
/// A NaN is brought forth by the op whose result has one while no input has: 0/0, log(−1), ∞ − ∞,
/// the softmax of a row that is all −∞. An infinity: by the op all of whose inputs are finite:
/// log(0), 1/0, exp(1000). An infinity that was there before is passed on, for −∞ in scores means
/// "not to be seen"; so are numbers written by where, masked_fill and pad. A NaN that no op made,
/// such as one in the data or in a parameter after a bad update, is an error of the first op whose
/// result it spoils. In backward, where no infinity means anything, every gradient must be finite,
/// and so must be what a leaf's gradient comes to with that of earlier passes.
///
/// Also watches ops that do not record (NoGrad); only those that use parameters then know their
/// module. Bits stay the same, but every result is read once more: use it to search, not to train.
class AnomalyMode final : private GraphObserver {
 public:
  explicit AnomalyMode(LeafNames names = {}) : names_(std::move(names)) {}

 private:
  void computed(std::string_view op, const Tensor& result,
                std::span<const Variable* const> inputs) override;
  void arrived(const Node& node, const Tensor& g) override;
  void sent(const Node& node, const Tensor& g) override;

  std::string module_text(const Node& node) const;

  LeafNames names_;
};

}  // namespace lectern
