// Every op against PyTorch: forward and all gradients, f64 and f32, from dense and from strided
// inputs. The cases are made by ops.py.

#include <functional>
#include <set>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/softmax.h"
#include "tensor/views.h"
#include "tests/reference/reference.h"

namespace lectern {
namespace {

using Inputs = const std::vector<Variable>&;
using Constants = const std::vector<Tensor>&;
using Op = std::function<std::vector<Variable>(Inputs x, Constants n)>;

/// The ops by the name that their cases have before the '/'.
const std::map<std::string, Op>& ops() {
  static const std::map<std::string, Op> table = {
      {"add", [](Inputs x, Constants) { return std::vector{x[0] + x[1]}; }},
      {"mul", [](Inputs x, Constants) { return std::vector{x[0] * x[1]}; }},
      {"softmax, axis 0", [](Inputs x, Constants) { return std::vector{softmax(x[0], 0)}; }},
      {"softmax, axis -1", [](Inputs x, Constants) { return std::vector{softmax(x[0], -1)}; }},
  };
  return table;
}

std::string op_of(const std::string& name) { return name.substr(0, name.find('/')); }

/// The same elements with the strides of a matrix that lies column by column.
Tensor strided(const Tensor& x) {
  if (x.rank() < 2) return x;
  return transpose(transpose(x, 0, -1).contiguous(), 0, -1);
}

/// Holds one case, run in `dtype`, against what PyTorch returned.
void expect_case(const Reference& reference, const std::string& name, DType dtype,
                 bool from_strided) {
  const auto read = [&](const std::string& entry) {
    const Tensor x = reference.input(entry, dtype);
    return from_strided ? strided(x) : x;
  };
  const auto entry = [&](std::string_view role, std::size_t i) {
    return fmt::format("{}/{}{}", name, role, i);
  };
  std::vector<Variable> x;
  while (reference.contains(entry("x", x.size()))) {
    x.emplace_back(read(entry("x", x.size())), /*requires_grad=*/true);
  }
  std::vector<Tensor> n;
  while (reference.contains(entry("n", n.size()))) n.push_back(read(entry("n", n.size())));

  const std::vector<Variable> results = ops().at(op_of(name))(x, n);
  ASSERT_EQ(reference.contains(entry("y", results.size())), false)
      << name << ": a result is missing";
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(reference.matches(entry("y", i), results[i].value()));
    if (reference.contains(entry("g", i))) {
      backward(results[i], read(entry("g", i)), {.retain_graph = true});
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Tensor dx = x[i].has_grad() ? x[i].grad() : Tensor::zeros_like(x[i].value());
    EXPECT_TRUE(reference.matches(entry("dx", i), dx));
  }
}

void expect_all_cases(DType dtype, bool from_strided) {
  const Reference reference("ops");
  for (const std::string& name : reference.cases()) {
    ASSERT_TRUE(ops().contains(op_of(name))) << name << " has values but no call";
    expect_case(reference, name, dtype, from_strided);
  }
}

TEST(ReferenceOps, MatchPyTorchInF64) { expect_all_cases(DType::f64, /*from_strided=*/false); }
TEST(ReferenceOps, MatchPyTorchInF32) { expect_all_cases(DType::f32, /*from_strided=*/false); }
TEST(ReferenceOps, MatchPyTorchInF64FromStridedInputs) { expect_all_cases(DType::f64, true); }
TEST(ReferenceOps, MatchPyTorchInF32FromStridedInputs) { expect_all_cases(DType::f32, true); }

TEST(ReferenceOps, EveryCallHasValues) {
  const Reference reference("ops");
  std::set<std::string> named;
  for (const std::string& name : reference.cases()) named.insert(op_of(name));
  for (const auto& [name, call] : ops()) {
    EXPECT_TRUE(named.contains(name)) << name << " has a call but no values";
  }
}

}  // namespace
}  // namespace lectern
