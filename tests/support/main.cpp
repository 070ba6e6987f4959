#include <gtest/gtest.h>

#include "tensor/build_info.h"

int main(int argc, char** argv) {
  lectern::warn_if_slow();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
