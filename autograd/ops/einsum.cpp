#include "autograd/ops/einsum.h"

#include <memory>

#include "tensor/einsum.h"
#include "tensor/einsum_gradient.h"

namespace lectern {

// y = einsum("ij,jk->ik", {a, b})        da = einsum("ik,jk->ij", {g, b})
//                                        db = einsum("ik,ij->jk", {g, a})
Variable einsum(std::string_view equation, const std::vector<Variable>& operands) {
  std::vector<Shape> shapes;
  std::vector<Tensor> values;
  for (const Variable& operand : operands) {
    shapes.push_back(operand.shape());
    values.push_back(operand.value());
  }
  const auto plan = std::make_shared<const EinsumPlan>(plan_einsum(parse_einsum(equation, shapes)));
  std::vector<WithRespectTo<std::function<Tensor(const Tensor&)>>> arrows;
  for (std::size_t which = 0; which < operands.size(); ++which) {
    std::vector<SavedTensor> others;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i != which) others.push_back(saved(values[i]));
    }
    arrows.push_back({operands[which], [=, others = std::move(others)](const Tensor& g) {
                        std::vector<Tensor> factors{g};
                        for (const SavedTensor& other : others) factors.push_back(*other);
                        return einsum_gradient(plan_einsum_gradient(*plan, which), factors);
                      }});
  }
  return record_each("einsum", einsum(*plan, values), std::move(arrows));
}

}  // namespace lectern
