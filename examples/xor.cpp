// XOR, the smallest problem that needs a hidden layer: no line separates the points with output 1
// from those with output 0, but a network of eight hidden units learns them in a moment.
//
// Ref: Rumelhart, Hinton, Williams (1986), "Learning internal representations by error
//      propagation", section "The XOR problem".

#include <fmt/core.h>

#include <string_view>

#include "autograd/ops/losses.h"
#include "autograd/ops/softmax.h"
#include "nn/activation.h"
#include "nn/linear.h"
#include "nn/optimizer.h"
#include "nn/sequential.h"
#include "tensor/build_info.h"
#include "tensor/reduce.h"

using namespace lectern;

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version") {
    fmt::print("{}\n", version_text("xor"));
    return 0;
  }
  warn_if_slow();

  const Variable inputs(Tensor::from({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}));  // [B, 2]
  const Tensor targets = Tensor::from({0, 1, 1, 0}, {4}, DType::i64);     // [B], classes 0 and 1

  Rng rng(42);
  nn::Sequential model(nn::Linear(2, 8, rng), nn::Tanh(), nn::Linear(8, 2, rng));
  nn::Adam optimizer(model.named_parameters(), {.lr = 0.05});

  for (int step = 0; step <= 200; ++step) {
    const Variable logits = model(inputs);                 // [B, 2]
    const Variable loss = cross_entropy(logits, targets);  // nats per example
    optimizer.zero_grad();
    backward(loss);
    optimizer.step();
    if (step % 50 == 0) fmt::print("step {:3d}  loss {:.4f}\n", step, loss.value().item());
  }

  const Tensor probabilities = softmax(model(inputs), -1).value();  // [B, 2]
  const Tensor answers = argmax(probabilities, -1);                 // [B]
  const auto bits = inputs.value().data<float>();
  const auto chances = probabilities.data<float>();
  const auto got = answers.data<std::int64_t>();
  const auto want = targets.data<std::int64_t>();
  fmt::print("\n a  b  a xor b  probability of 1\n");
  int right = 0;
  for (std::size_t row = 0; row < 4; ++row) {
    fmt::print("{:2.0f} {:2.0f}  {:7}  {:.3f}\n", bits[2 * row], bits[2 * row + 1], got[row],
               chances[2 * row + 1]);
    right += got[row] == want[row] ? 1 : 0;
  }
  fmt::print("\n{} of 4 right\n", right);
  return right == 4 ? 0 : 1;
}
