#include "autograd/observer.h"

#include <gtest/gtest.h>

#include <memory>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/views.h"
#include "tests/support/at_once.h"

namespace lectern {
namespace {

using Lines = std::vector<std::string>;

/// Writes down what it is told, after its own name.
class Scribe final : public GraphObserver {
 public:
  explicit Scribe(std::string name, Lines& lines) : name_(std::move(name)), lines_(lines) {}

  void computed(std::string_view op, const Tensor& result,
                std::span<const Variable* const> inputs) override {
    write(fmt::format("computed {} {} from {}", op, result.shape(), inputs.size()));
  }
  void arrived(const Node& node, const Tensor& g) override {
    write(fmt::format("arrived at {} {}", node.op, g.item()));
  }
  void sent(const Node& node, const Tensor& /*g*/) override {
    write(fmt::format("sent by {} {}", node.op, node.edges[0].input->sum.value().item()));
  }

 private:
  void write(const std::string& line) { lines_.push_back(name_ + line); }

  std::string name_;
  Lines& lines_;
};

Variable leaf(double value) { return Variable(Tensor::scalar(value), /*requires_grad=*/true); }

TEST(GraphObserver, IsToldOfOpsAndOfTheirDerivatives) {
  Lines lines;
  const Variable x = leaf(5);
  {
    const Scribe scribe("", lines);
    backward(x * 3 + Variable(Tensor::scalar(1)));
  }
  backward(x * 3);  // nobody is there to see it
  EXPECT_EQ(lines,
            Lines({"computed mul [] from 1", "computed add [] from 2", "arrived at add 1",
                   "sent by add 1", "arrived at mul 1", "sent by mul 3", "arrived at leaf 3"}));
}

TEST(GraphObserver, IsToldOfWhatIsNotRecorded) {
  Lines lines;
  const Scribe scribe("", lines);
  const NoGrad guard;
  const Variable x = leaf(5);
  static_cast<void>(stack({x, x, x}, 0));  // by record_each
  const Variable q(Tensor::ones({1, 1, 2, 3}));
  static_cast<void>(scaled_dot_product_attention(q, q, q, {}));  // by record_joint
  EXPECT_EQ(lines, Lines({"computed stack [3] from 3",
                          "computed scaled_dot_product_attention [1, 1, 2, 3] from 3"}));
}

TEST(GraphObserver, Nest) {
  Lines lines;
  const Variable x = leaf(5);
  {
    const Scribe outer("outer ", lines);
    {
      const Scribe inner("inner ", lines);
      static_cast<void>(x * 2);
    }
    static_cast<void>(x * 2);
  }
  static_cast<void>(x * 2);
  EXPECT_EQ(lines, Lines({"inner computed mul [] from 1", "outer computed mul [] from 1",
                          "outer computed mul [] from 1"}));
}

TEST(GraphObserver, EndInAnyOrder) {
  Lines lines;
  std::vector<std::unique_ptr<Scribe>> scribes;
  for (const char* name : {"a ", "b ", "c "}) {
    scribes.push_back(std::make_unique<Scribe>(name, lines));
  }
  const auto told = [&] {
    lines.clear();
    static_cast<void>(leaf(5) * 2);
    return lines;
  };
  const std::string text = "computed mul [] from 1";
  EXPECT_EQ(told(), Lines({"c " + text, "b " + text, "a " + text}));
  scribes[1].reset();
  EXPECT_EQ(told(), Lines({"c " + text, "a " + text}));
  scribes[0].reset();
  EXPECT_EQ(told(), Lines({"c " + text}));
  scribes[2].reset();
  EXPECT_EQ(told(), Lines());
  EXPECT_FALSE(graph::is_observed());
}

TEST(GraphObserver, ThreadsHaveTheirOwn) {
  std::vector<Lines> lines(4);
  at_once(4, [&](int i) {
    Lines& own = lines[static_cast<std::size_t>(i)];
    const Scribe scribe("", own);
    for (int repetition = 0; repetition < 50; ++repetition) backward(leaf(i) * i);
  });
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(lines[i].size(), 200U);
    EXPECT_EQ(lines[i].back(), fmt::format("arrived at leaf {}", i));
  }
}

}  // namespace
}  // namespace lectern
