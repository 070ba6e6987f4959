#include "nn/module.h"

#include <gtest/gtest.h>

#include <sstream>

#include "nn/summary.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/on_threads.h"
#include "tests/support/values_of.h"

namespace lectern::nn {
namespace {

Parameter parameter(const Shape& shape, double value) {
  return Parameter(Tensor::full(shape, value), /*requires_grad=*/true);
}

/// One parameter and one buffer.
class Leaf final : public Module {
 public:
  explicit Leaf(Parameter shared) : weight(std::move(shared)) {}
  Parameter weight;
  Tensor steps = Tensor::zeros({}, DType::i64);

 private:
  void describe(Members& members) override {
    members("weight", weight);
    members.buffer("steps", steps);
  }
};

/// A list of children, a child in its parent's place, and two children that are tied.
class Tree final : public Module {
 public:
  Tree() {
    layers.emplace_back(parameter({2}, 1));
    layers.emplace_back(parameter({3}, 2));
    tied.weight = layers[0].weight;
  }
  std::vector<Leaf> layers;
  Leaf spliced{parameter({2, 2}, 3)};
  Leaf tied{parameter({2}, 4)};

 private:
  void describe(Members& members) override {
    members("layers", layers);
    members("", spliced);
    members("tied", tied);
  }
};

std::vector<std::string> names_of(const std::vector<NamedTensor>& entries) {
  std::vector<std::string> names;
  for (const NamedTensor& entry : entries) names.push_back(entry.name);
  return names;
}

TEST(Module, NamesMembersByPathAndTiedOnesOnce) {
  Tree tree;
  EXPECT_EQ(names_of(tree.state_dict()),
            (std::vector<std::string>{"layers.0.weight", "layers.1.weight", "weight",
                                      "layers.0.steps", "layers.1.steps", "steps", "tied.steps"}));
  EXPECT_EQ(tree.parameters().size(), 3U);
  EXPECT_EQ(tree.named_parameters()[1].name, "layers.1.weight");
  EXPECT_EQ(tree.parameter_count(), 2 + 3 + 4);
}

TEST(Module, ModeReachesEveryChild) {
  Tree tree;
  EXPECT_TRUE(tree.training());
  tree.eval();
  EXPECT_FALSE(tree.layers[1].training());
  EXPECT_FALSE(tree.spliced.training());
  tree.train();
  EXPECT_TRUE(tree.layers[1].training());
}

TEST(Module, StateDictGoesRoundTripAndKeepsTheHandles) {
  Tree from, to;
  from.layers[1].weight = parameter({3}, 9);
  const Parameter handle = to.layers[1].weight;
  to.load_state_dict(from.state_dict());
  EXPECT_EQ(handle.value().data<float>()[2], 9.0F);
  EXPECT_FALSE(handle.value().storage() == from.layers[1].weight.value().storage());
}

/// Two parameters of one shape and a square one.
class Trio final : public Module {
 public:
  Parameter a{Tensor::from({1, 2}, {2}), true}, b{Tensor::from({3, 4}, {2}), true};
  Parameter square{Tensor::from({1, 2, 3, 4}, {2, 2}), true};

 private:
  void describe(Members& members) override {
    members("a", a);
    members("b", b);
    members("square", square);
  }
};

TEST(Module, LoadsItsOwnTensorsAsTheyWereBefore) {
  Trio trio;
  trio.load_state_dict(std::vector<NamedTensor>{{"a", trio.b.value()},
                                                {"b", trio.a.value()},
                                                {"square", transpose(trio.square.value(), 0, 1)}});
  EXPECT_EQ(values_of(trio.a.value()), std::vector<double>({3, 4}));
  EXPECT_EQ(values_of(trio.b.value()), std::vector<double>({1, 2}));
  EXPECT_EQ(values_of(trio.square.value()), std::vector<double>({1, 3, 2, 4}));
  const Tensor square = trio.square.value();  // a and b from parts of what is loaded last
  trio.load_state_dict(std::vector<NamedTensor>{
      {"square", Tensor::zeros({2, 2})}, {"b", select(square, 0, 0)}, {"a", select(square, 1, 1)}});
  EXPECT_EQ(values_of(trio.a.value()), std::vector<double>({3, 4}));
  EXPECT_EQ(values_of(trio.b.value()), std::vector<double>({1, 3}));
  EXPECT_EQ(values_of(square), std::vector<double>({0, 0, 0, 0}));
}

/// Two members under the names given.
class Pair final : public Module {
 public:
  Pair(std::string a, std::string b, bool buffer) : a_(a), b_(b), buffer_(buffer) {}

 private:
  void describe(Members& members) override {
    members(a_, first_);
    if (buffer_) {
      members.buffer(b_, Tensor::zeros({2}));
    } else {
      members(b_, second_);
    }
  }
  std::string a_, b_;
  bool buffer_;
  Parameter first_ = parameter({2}, 1), second_ = parameter({2}, 2);
};

TEST(Module, RefusesTwoMembersOfOneName) {
  for (const bool buffer : {false, true}) {
    Pair same("w", "w", buffer), distinct("w", "v", buffer);
    EXPECT_THROW_TEXT(same.state_dict(), ValueError, "describe: two members are named \"w\"");
    EXPECT_THROW_TEXT(same.named_parameters(), ValueError, "describe: two members are named \"w\"");
    EXPECT_EQ(distinct.state_dict().size(), 2U);
  }
}

TEST(Module, LoadingListsEveryFaultAndChangesNothing) {
  Tree tree;
  std::vector<NamedTensor> entries = tree.state_dict();
  for (NamedTensor& entry : entries)
    entry.value = Tensor::full(entry.value.shape(), 7, entry.value.dtype());
  entries[0].value = Tensor::zeros({1, 2});
  entries[1].value = Tensor::zeros({3}, DType::f64);
  entries[2].name = "wait";
  entries[3].value = Tensor::zeros({2});
  entries.push_back(entries[4]);
  const std::vector<NamedTensor> own = tree.state_dict();
  std::vector<Tensor> before;
  for (const NamedTensor& entry : own) before.push_back(entry.value.clone());
  EXPECT_THROW_TEXT(tree.load_state_dict(entries), ShapeError,
                    "load: \"layers.1.steps\" occurs twice\n"
                    "      \"layers.0.weight\" is [1, 2] in the file, [2] in the model\n"
                    "      \"layers.1.weight\" is f64 in the file, f32 in the model\n"
                    "      \"weight\" [2, 2] is missing\n"
                    "      \"layers.0.steps\" is f32 [2] in the file, i64 [] in the model\n"
                    "      \"wait\" [2, 2] is not in the model");
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_TRUE(same_bits(own[i].value, before[i])) << own[i].name;
  }
}

TEST(Module, LoadingRefusesUndefinedEntries) {
  Leaf leaf(parameter({}, 3));
  std::vector<NamedTensor> entries{{"weight", Tensor()}, {"steps", Tensor::scalar(1, DType::i64)}};
  EXPECT_THROW_TEXT(leaf.load_state_dict(entries), ShapeError,
                    "load: \"weight\" is undefined in the file");
  EXPECT_EQ(leaf.weight.value().item(), 3);
  EXPECT_EQ(leaf.steps.item(), 0);
  entries[0].value = Tensor::scalar(4);
  leaf.weight = Parameter();
  EXPECT_THROW_TEXT(leaf.load_state_dict(entries), ShapeError,
                    "load: \"weight\" is undefined in the model");
  EXPECT_EQ(leaf.steps.item(), 0);
}

TEST(Module, SummaryListsNamesShapesElementsAndBytes) {
  Leaf leaf(parameter({40, 50}, 0));
  EXPECT_EQ(summary(leaf),
            "parameter  shape         elements          bytes\n"
            "weight     [40, 50]         2,000          8,000\n"
            "steps      []                   1              8\n"
            "total                       2,001          8,008\n");

  Tree tree;  // has longer names than the heading
  std::istringstream lines(summary(tree));
  std::string heading, line;
  std::getline(lines, heading);
  while (std::getline(lines, line)) EXPECT_EQ(line.size(), heading.size()) << line;
}

}  // namespace
}  // namespace lectern::nn
