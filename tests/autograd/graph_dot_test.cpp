#include "autograd/graph_dot.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/views.h"
#include "tests/support/expect_throw_text.h"

namespace lectern {
namespace {

using Named = std::vector<std::pair<std::string, Variable>>;

Variable leaf(const Shape& shape) { return Variable(Tensor::ones(shape), /*requires_grad=*/true); }

const std::string kHead =
    "digraph {\n"
    "  graph [fontname=\"sans-serif\", style=rounded, color=gray];\n"
    "  node [fontname=\"sans-serif\", shape=box, fillcolor=lightblue];\n";

TEST(GraphDot, DrawsASmallGraph) {
  const Variable x(Tensor::ones({2, 3}));  // a constant: not drawn
  const Variable w = leaf({3, 4}), b = leaf({4});
  const Variable h = tanh(matmul(x, w) + b);
  const Variable loss = sum(h * h);
  const std::vector<std::pair<std::string, Variable>> named{{"weight", w}, {"a \"bias\"", b}};
  EXPECT_EQ(to_dot(loss, named),
            kHead +
                "  label=\"5 ops, values 132 B; 2 named leaves, 64 B\";\n"
                "  n0 [label=\"sum\\nf32 []\\n4 B\"];\n"
                "  n1 [label=\"mul\\nf32 [2, 4]\\n32 B\"];\n"
                "  n2 [label=\"tanh\\nf32 [2, 4]\\n32 B\"];\n"
                "  n3 [label=\"add\\nf32 [2, 4]\\n32 B\"];\n"
                "  n4 [label=\"matmul\\nf32 [2, 4]\\n32 B\"];\n"
                "  n5 [label=\"a \\\"bias\\\"\\nf32 [4]\\n16 B\", style=filled];\n"
                "  n6 [label=\"weight\\nf32 [3, 4]\\n48 B\", style=filled];\n"
                "  n1 -> n0;\n"
                "  n2 -> n1;\n"
                "  n2 -> n1;\n"
                "  n3 -> n2;\n"
                "  n4 -> n3;\n"
                "  n5 -> n3;\n"
                "  n6 -> n4;\n"
                "}\n");
}

TEST(GraphDot, LeavesWithoutNamesAreLeaves) {
  const Variable x = leaf({2});
  EXPECT_EQ(to_dot(-x), kHead +
                            "  label=\"1 ops, values 8 B; 0 named leaves, 0 B\";\n"
                            "  n0 [label=\"neg\\nf32 [2]\\n8 B\"];\n"
                            "  n1 [label=\"leaf\\nf32 [2]\\n8 B\"];\n"
                            "  n1 -> n0;\n"
                            "}\n");
}

// Modules stand inside each other as in their names; a view has no bytes of its own.
TEST(GraphDot, FramesModules) {
  const Variable w = leaf({300, 4}), b = leaf({300}), x(Tensor::ones({1000, 4}));
  const std::vector<std::pair<std::string, Variable>> named{{"net.0.weight", w}, {"net.1.bias", b}};
  EXPECT_EQ(to_dot(tanh(matmul(x, transpose(w, 0, 1)) + b), named),
            kHead +
                "  label=\"4 ops, values 3.6 MB; 2 named leaves, 6 kB\";\n"
                "  subgraph cluster_0 {\n"
                "    label=\"net\";\n"
                "    subgraph cluster_1 {\n"
                "      label=\"0\";\n"
                "      n2 [label=\"matmul\\nf32 [1000, 300]\\n1.2 MB\"];\n"
                "      n4 [label=\"transpose\\nf32 [4, 300]\\nview\"];\n"
                "      n5 [label=\"weight\\nf32 [300, 4]\\n4.8 kB\", style=filled];\n"
                "    }\n"
                "    subgraph cluster_2 {\n"
                "      label=\"1\";\n"
                "      n0 [label=\"tanh\\nf32 [1000, 300]\\n1.2 MB\"];\n"
                "      n1 [label=\"add\\nf32 [1000, 300]\\n1.2 MB\"];\n"
                "      n3 [label=\"bias\\nf32 [300]\\n1.2 kB\", style=filled];\n"
                "    }\n"
                "  }\n"
                "  n1 -> n0;\n"
                "  n2 -> n1;\n"
                "  n3 -> n1;\n"
                "  n4 -> n2;\n"
                "  n5 -> n4;\n"
                "}\n");
}

TEST(GraphDot, WritesBytesInThreeDigits) {
  const auto bytes = [](std::int64_t floats) {  // of a tensor that takes memory for one element
    const Variable x(expand(Tensor::ones({1}), {floats}), /*requires_grad=*/true);
    const std::string text = to_dot(x, Named{{"x", x}});
    const std::size_t start = text.rfind("\\n") + 2;
    return text.substr(start, text.find('"', start) - start);
  };
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(249), "996 B");
  EXPECT_EQ(bytes(250), "1 kB");
  EXPECT_EQ(bytes(249'750), "999 kB");
  EXPECT_EQ(bytes(249'900), "1 MB");  // 999,600
  EXPECT_EQ(bytes(249'850'000), "999 MB");
  EXPECT_EQ(bytes(400'000'000), "1.6 GB");
  EXPECT_EQ(bytes(1'000'000'000'000), "4 TB");
}

TEST(GraphDot, KeepsANameWithinItsLine) {
  const Variable x = leaf({2});
  EXPECT_EQ(to_dot(-x, Named{{"a\nb.c\r\\d", x}}),
            kHead +
                "  label=\"1 ops, values 8 B; 1 named leaves, 8 B\";\n"
                "  subgraph cluster_0 {\n"
                "    label=\"a\\nb\";\n"
                "    n0 [label=\"neg\\nf32 [2]\\n8 B\"];\n"
                "    n1 [label=\"c\\n\\\\d\\nf32 [2]\\n8 B\", style=filled];\n"
                "  }\n"
                "  n1 -> n0;\n"
                "}\n");
}

TEST(GraphDot, RefusesNamesThatNestTooDeep) {
  const Variable x = leaf({2});
  std::string name = "w";
  for (int i = 0; i < 100; ++i) name = "m." + name;
  EXPECT_NE(to_dot(-x, Named{{name, x}}).find("subgraph cluster_99"), std::string::npos);
  EXPECT_THROW_TEXT(
      to_dot(-x, Named{{"m." + name, x}}), ValueError,
      "to_dot: modules nest too deep: that of neg of shape [2] has 101 parts; at most "
      "100 frames are drawn inside each other");
  EXPECT_THROW_TEXT(to_dot(-x, Named{{std::string(200000, '.'), x}}), ValueError,
                    "to_dot: modules nest too deep: that of neg of shape [2] has 200000 parts; at "
                    "most 100 frames are drawn inside each other");
}

TEST(GraphDot, TakesAnythingWithNameAndValue) {
  struct Entry {
    std::string name;
    Variable value;
  };
  const std::vector<Entry> entries{{"x", leaf({2})}};
  EXPECT_NE(to_dot(-entries[0].value, entries).find("label=\"x\\nf32 [2]\\n8 B\", style=filled"),
            std::string::npos);
}

TEST(GraphDot, LongChainsNeedNoStack) {
  Variable y = leaf({});
  for (int i = 0; i < 100000; ++i) y = -y;
  EXPECT_GT(to_dot(y).size(), 100000U);
}

TEST(GraphDot, RefusesWhatHasNoGraph) {
  EXPECT_THROW_TEXT(to_dot(Variable(Tensor::ones({2}))), GradError,
                    "to_dot: loss of shape [2] depends on nothing that requires a gradient");
  const Variable loss = sum(leaf({2}));
  backward(loss);
  EXPECT_THROW_TEXT(to_dot(loss), GradError,
                    "to_dot: the graph through sum of shape [] was given up by backward; draw it "
                    "before, or pass {.retain_graph = true}");
}

}  // namespace
}  // namespace lectern
