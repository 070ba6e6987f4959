#include "examples/gemm_ladder/steps.h"

#include <gtest/gtest.h>

#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/threads.h"
#include "tests/support/all_close.h"

namespace lectern::gemm_ladder {
namespace {

Tensor product(const Step& step, const Sizes& s, const Tensor& a, const Tensor& b) {
  Tensor c = Tensor::full({s.m, s.n}, 7);  // to be overwritten
  step.multiply(s, a.data<float>().data(), b.data<float>().data(), c.mutable_data<float>().data());
  return c;
}

// Sizes around those of tiles and blocks, and one of each kind that is 1.
TEST(GemmLadder, EveryStepComputesTheProduct) {
  Rng rng(1);
  for (const Sizes& s : {Sizes{1, 1, 1},
                         {1, 33, 300},
                         {13, 1, 257},
                         {12, 32, 256},
                         {25, 64, 1},
                         {61, 259, 129},
                         {6, 31, 512},
                         {130, 300, 270}}) {
    const Tensor a = rng.normal({s.m, s.k}), b = rng.normal({s.k, s.n});
    const Tensor want = matmul(a.to(DType::f64), b.to(DType::f64)).to(DType::f32);
    for (const Step& step : kSteps) {
      SCOPED_TRACE(step.name);
      EXPECT_TRUE(all_close(product(step, s, a, b), want, 1e-5, 1e-4));
    }
  }
}

TEST(GemmLadder, SameBitsForAnyNumberOfThreads) {
  Rng rng(1);
  const Sizes s{20, 70, 300};  // so few rows that a third thread has none to compute
  const Tensor a = rng.normal({s.m, s.k}), b = rng.normal({s.k, s.n});
  const ThreadScope scope(1);
  const Tensor want = product(kSteps.back(), s, a, b);
  for (const int threads : {2, 3, 4}) {
    set_num_threads(threads);
    EXPECT_TRUE(all_close(product(kSteps.back(), s, a, b), want, 0, 0));
  }
}

}  // namespace
}  // namespace lectern::gemm_ladder
