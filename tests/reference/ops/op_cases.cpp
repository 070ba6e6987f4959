#include "tests/reference/ops/op_cases.h"

#include <set>

#include "tests/reference/ops/layout.h"

namespace lectern {
namespace {

std::string key_of(const std::string& name) { return name.substr(0, name.rfind('/')); }

/// One case in one dtype and layout.
class Run {
 public:
  Run(const Reference& reference, std::string name, DType dtype, Layout layout)
      : reference_(reference), name_(std::move(name)), dtype_(dtype), layout_(layout) {}

  void expect(const Call& call, Tolerance tolerance) const {
    std::vector<Variable> x;
    for (const Tensor& value : read("x")) x.emplace_back(value, /*requires_grad=*/true);
    const Results y = call(x, read("n"));
    EXPECT_FALSE(reference_.contains(entry("y", y.size()))) << name_ << ": a result is missing";
    for (std::size_t i = 0; i < y.size(); ++i) {
      expect_match(entry("y", i), y[i].value(), tolerance);
      if (!reference_.contains(entry("g", i))) continue;
      const Tensor g = laid_out(reference_.input(entry("g", i), dtype_), layout_);
      backward(y[i], g, {.retain_graph = true});
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Tensor dx = x[i].has_grad() ? x[i].grad() : Tensor::zeros_like(x[i].value());
      expect_match(entry("dx", i), dx, tolerance);
    }
  }

 private:
  std::string entry(std::string_view role, std::size_t i) const {
    return fmt::format("{}/{}{}", name_, role, i);
  }
  std::vector<Tensor> read(std::string_view role) const {
    std::vector<Tensor> operands = reference_.inputs(name_, role, dtype_);
    for (Tensor& x : operands) x = laid_out(x, layout_);
    return operands;
  }
  void expect_match(const std::string& entry, const Tensor& got, Tolerance tolerance) const {
    EXPECT_TRUE(reference_.matches(entry, got, tolerance))
        << "with operands laid out " << name_of(layout_);
  }

  const Reference& reference_;
  std::string name_;
  DType dtype_;
  Layout layout_;
};

}  // namespace

void expect_cases(std::string_view family, const Calls& calls,
                  const std::map<std::string, Tolerance>& tolerances) {
  const Reference reference(fmt::format("ops/{}", family));
  std::set<std::string> called;
  for (const std::string& name : reference.cases()) {
    const std::string key = key_of(name);
    ASSERT_TRUE(calls.contains(key)) << name << " has values but no call";
    called.insert(key);
    const auto own = tolerances.find(name);
    const Tolerance tolerance = own == tolerances.end() ? Tolerance{} : own->second;
    for (const Layout layout : {Layout::dense, Layout::columns, Layout::parts, Layout::repeated}) {
      for (const DType dtype : {DType::f64, DType::f32}) {
        Run(reference, name, dtype, layout).expect(calls.at(key), tolerance);
      }
    }
  }
  for (const auto& [key, call] : calls) {
    EXPECT_TRUE(called.contains(key)) << key << " has a call but no values";
  }
}

}  // namespace lectern
