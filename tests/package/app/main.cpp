// One training step of one layer, in a project that only has what was installed.

#include <iostream>

#include "autograd/ops/reduce.h"
#include "nn/linear.h"
#include "tensor/build_info.h"
#include "tensor/reduce.h"

int main() {
  lectern::warn_if_slow();
  lectern::Rng rng(1);
  lectern::nn::Linear linear(3, 2, rng);
  const lectern::Variable x(lectern::Tensor::ones({4, 3}));
  lectern::backward(lectern::sum(linear(x)));

  // d(sum of y)/d(bias) counts the rows of x.
  const double gradient = lectern::sum(linear.bias().grad()).item();
  std::cout << lectern::version_text("app") << ": gradient " << gradient << "\n";
  return gradient == 8 ? 0 : 1;
}
