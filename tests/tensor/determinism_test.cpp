#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/safetensors.h"
#include "tensor/views.h"
#include "tests/support/on_threads.h"
#include "tests/support/temporary_folder.h"

namespace lectern {
namespace {

/// Every reduction and a product, side by side.
std::vector<Tensor> reductions_and_products() {
  const Tensor x = Rng(1).normal({301, 97});
  std::vector<Tensor> results{matmul(x, transpose(x, 0, 1))};
  for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}}) {
    for (const Tensor& y :
         {sum(x, axes), mean(x, axes), var(x, axes), lectern::std(x, axes), norm(x, axes),
          prod(x, axes), max(x, axes), min(x, axes), logsumexp(x, axes)}) {
      results.push_back(y);
    }
  }
  results.insert(results.end(), {argmax(x, 0), argmin(x, 1), cumsum(x, 0)});
  return results;
}

TEST(Cases, Cases_2_5_ReductionsAndProductsAreBitIdentical) {
  const TemporaryFolder folder;
  const std::vector<Tensor> want = reductions_and_products();
  const auto expect_same = [&](const std::vector<Tensor>& got, const char* where) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(same_bits(got[i], want[i])) << "result " << i << where;
    }
  };
  for (int repetition = 1; repetition < 20; ++repetition) {
    expect_same(reductions_and_products(), " again");
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const ThreadScope alone(1);  // a forked child has none of its parent's threads
    std::vector<NamedTensor> entries;
    for (const Tensor& y : reductions_and_products()) {
      entries.push_back({std::to_string(entries.size()), y});
    }
    save_safetensors(folder / "results", entries);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  std::vector<Tensor> loaded;
  for (const NamedTensor& entry : load_safetensors(folder / "results").tensors) {
    loaded.push_back(entry.value);
  }
  expect_same(loaded, " in a new process");
}

}  // namespace
}  // namespace lectern
