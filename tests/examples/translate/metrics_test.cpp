#include "examples/translate/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "tensor/error.h"
#include "tests/examples/text/temporary_file.h"
#include "tests/support/expect_throw_text.h"

namespace lectern::translate {
namespace {

using text::TemporaryFile;

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Metrics, OneObjectALineWithItsFieldsInOrder) {
  const EpochMetrics metrics{
      3, 705, 61.5, 2.25, 1.5, std::numeric_limits<double>::quiet_NaN(), 0.125, 7000, 0.0005};
  EXPECT_EQ(to_json_line(metrics),
            "{\"epoch\":3,\"step\":705,\"seconds\":61.5,\"train_loss\":2.25,\"valid_loss\":1.5,"
            "\"valid_bleu\":null,\"valid_exact\":0.125,\"tokens_per_s\":7000.0,\"lr\":0.0005}");
}

TEST(Metrics, AppendsAndForgetsLaterEpochs) {
  const TemporaryFile file("");
  const auto line = [](std::int64_t epoch) { return to_json_line({.epoch = epoch}) + "\n"; };
  for (const std::int64_t epoch : {1, 2, 3}) append_metrics(file.path(), {.epoch = epoch});
  EXPECT_EQ(content(file.path()), line(1) + line(2) + line(3));
  keep_metrics_until(file.path(), 2);
  EXPECT_EQ(content(file.path()), line(1) + line(2));
  keep_metrics_until("no/such/file", 2);
  EXPECT_FALSE(std::filesystem::exists("no/such/file"));
}

TEST(Metrics, SaysWhatIsWrong) {
  EXPECT_THROW_TEXT(append_metrics("no/such/file", {}), IoError,
                    "metrics: cannot write no/such/file");
  const TemporaryFile file("{\"epoch\":1}\nepoch 2\n");
  EXPECT_THROW_TEXT(keep_metrics_until(file.path(), 1), IoError,
                    "metrics: " + file.name() + " line 2: not an epoch's metrics");
  EXPECT_EQ(content(file.path()), "{\"epoch\":1}\nepoch 2\n");
}

}  // namespace
}  // namespace lectern::translate
