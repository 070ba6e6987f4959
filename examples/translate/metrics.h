#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lectern::translate {

/// What one epoch of training came to. Losses are in nats/token; NaN stands for "not measured".
struct EpochMetrics {
  std::int64_t epoch = 0;
  std::int64_t step = 0;    ///< updates since the beginning of the training
  double seconds = 0;       ///< since the beginning of the training
  double train_loss = 0;    ///< what was minimised, label smoothing included, mean over the epoch
  double valid_loss = 0;    ///< plain cross entropy
  double valid_bleu = 0;    ///< 0..100
  double valid_exact = 0;   ///< share of sentences translated exactly as the reference, 0..1
  double tokens_per_s = 0;  ///< both sides, without padding, of training alone
  double lr = 0;            ///< at the last update
};

/// One JSON object on one line; NaN becomes null.
std::string to_json_line(const EpochMetrics& metrics);

/// Adds a line to the file of metrics.
///
/// Throws: IoError if it cannot be written.
void append_metrics(const std::filesystem::path& file, const EpochMetrics& metrics);

/// Removes the lines behind `epoch`: they belong to epochs that are about to be run again.
/// A missing file is left missing.
///
/// Throws: IoError if the file cannot be read or written, or a line of it is no metrics.
void keep_metrics_until(const std::filesystem::path& file, std::int64_t epoch);

}  // namespace lectern::translate
