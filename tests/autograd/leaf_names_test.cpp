#include "autograd/leaf_names.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/views.h"

namespace lectern {
namespace {

using Named = std::vector<std::pair<std::string, Variable>>;

Variable leaf(const Shape& shape) { return Variable(Tensor::ones(shape), /*requires_grad=*/true); }

TEST(LeafNames, FindLeavesByNodeAndByStorage) {
  const Variable w = leaf({2, 2}), other = leaf({2, 2});
  const LeafNames names(Named{{"a.weight", w}, {"tied.weight", w}});
  EXPECT_EQ(names.find(*w.node())->name, "a.weight");  // the first of two
  EXPECT_EQ(names.find(transpose(w, 0, 1).value())->name, "a.weight");
  EXPECT_EQ(names.find(w.value().clone()), nullptr);
  EXPECT_EQ(names.find(*other.node()), nullptr);
  EXPECT_EQ(names.name_or_op(*w.node()), "a.weight");
  EXPECT_EQ(names.name_or_op(*other.node()), "leaf");
  EXPECT_EQ(names.name_or_op(*exp(w).node()), "exp");
  EXPECT_FALSE(names.empty());
  EXPECT_TRUE(LeafNames().empty());
}

TEST(LeafNames, TellPartsOfOneStorageApart) {
  const Tensor flat = Tensor::zeros({10});
  const auto part = [&](std::int64_t start, std::int64_t stop) {
    return Variable(slice(flat, 0, start, stop), /*requires_grad=*/true);
  };
  const Variable all(flat, /*requires_grad=*/true), bias = part(0, 4), weight = part(4, 10);
  const LeafNames names(Named{{"all", all}, {"bias", bias}, {"weight", weight}});
  EXPECT_EQ(names.find(all.value())->name, "all");
  EXPECT_EQ(names.find(bias.value())->name, "bias");
  EXPECT_EQ(names.find(weight.value())->name, "weight");
  EXPECT_EQ(names.find(transpose(reshape(weight.value(), {2, 3}), 0, 1))->name, "weight");
  EXPECT_EQ(names.find(slice(bias.value(), 0, 1, 3))->name, "bias");
  EXPECT_EQ(names.find(slice(flat, 0, 3, 5))->name, "all");  // a part of both

  const LeafNames without(Named{{"bias", bias}, {"weight", weight}});
  EXPECT_EQ(without.find(slice(flat, 0, 9, 10))->name, "weight");
  EXPECT_EQ(without.find(flat)->name, "bias");  // the first that shares the storage
}

TEST(LeafNames, ParentsOfDottedNames) {
  EXPECT_EQ(parent_of("a.b.c"), "a.b");
  EXPECT_EQ(parent_of("a"), "");
  EXPECT_EQ(parent_of(""), "");
}

std::string module_of(const Variable& x, const LeafNames& names) {
  const auto module = modules_behind(*x.node(), names).at(x.node().get());
  return module ? std::string(*module) : "none";
}

TEST(ModulesBehind, FollowTheParameters) {
  const Variable w = leaf({2, 2}), v = leaf({2, 2}), root = leaf({2, 2}), nameless = leaf({2, 2});
  const LeafNames names(Named{{"net.first.weight", w}, {"net.second.weight", v}, {"scale", root}});
  const Variable x = matmul(nameless, w);
  EXPECT_EQ(module_of(w, names), "net.first");
  EXPECT_EQ(module_of(nameless, names), "none");
  EXPECT_EQ(module_of(exp(nameless), names), "none");
  EXPECT_EQ(module_of(x, names), "net.first");
  EXPECT_EQ(module_of(exp(x), names), "net.first");
  EXPECT_EQ(module_of(matmul(x, v), names), "net.second");
  EXPECT_EQ(module_of(matmul(x, slice(transpose(v, 0, 1), 0, 0, 2)), names), "net.second");
  EXPECT_EQ(module_of(x * root, names), "");
  EXPECT_EQ(module_of(w * v, names), "net");  // around both
  EXPECT_EQ(module_of(w * root, names), "");
  EXPECT_EQ(module_of(x + exp(matmul(x, v)), names), "net");  // part of what second is part of
  EXPECT_EQ(module_of(exp(x) + exp(exp(x)), names), "net.first");
  EXPECT_EQ(module_of(exp(nameless) + x, names), "net.first");  // the other knows nothing
}

// A name is no part of another because it begins alike.
TEST(ModulesBehind, CompareWholeParts) {
  const Variable w = leaf({2}), v = leaf({2});
  const LeafNames names(Named{{"layers.1.weight", w}, {"layers.10.weight", v}});
  EXPECT_EQ(module_of(w * v, names), "layers");
}

}  // namespace
}  // namespace lectern
