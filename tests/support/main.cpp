#include <gtest/gtest.h>

#include <cstdio>

#include "tensor/build_info.h"
#include "tensor/storage.h"

int main(int argc, char** argv) {
  lectern::warn_if_slow();
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  // Every tensor of every test is gone by now; what still lives is held by a cycle or a global.
  const long long leaked = lectern::memory_stats().live_bytes;
  if (leaked != 0) {
    std::fprintf(stderr, "LEAK: tensors hold %lld bytes after the last test\n", leaked);
    return 1;
  }
  return failed;
}
