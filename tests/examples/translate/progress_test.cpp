#include "examples/translate/progress.h"

#include <gtest/gtest.h>

namespace lectern::translate {
namespace {

TEST(Progress, DurationsAreReadable) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1:00 min");
  EXPECT_EQ(duration_text(123), "2:03 min");
  EXPECT_EQ(duration_text(3900), "1:05 h");
  EXPECT_EQ(duration_text(-1), "0 s");
}

TEST(Progress, BarAndLine) {
  const Progress half{120, 240, 2.3456, 7812.4, 72};
  EXPECT_EQ(progress_bar("epoch 3/8", half),
            "epoch 3/8 [############............]  50 %  loss 2.346  7812 tokens/s  1:12 min left");
  EXPECT_EQ(progress_line("epoch 3/8", half),
            "epoch 3/8: step 120 of 240, loss 2.346, 7812 tokens/s, 1:12 min left");
  EXPECT_EQ(progress_bar("a", {0, 10, 0, 0, 0}),
            "a [........................]   0 %  loss 0.000  0 tokens/s  0 s left");
  EXPECT_EQ(progress_bar("a", {10, 10, 0, 0, 0}),
            "a [########################] 100 %  loss 0.000  0 tokens/s  0 s left");
}

TEST(Progress, WritesNoControlCharactersWhereThereIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    ProgressDisplay display(file, "epoch", 10);
    display.update(1, 2.5, 100);  // less than ten seconds: nothing yet
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace lectern::translate
