#include "examples/translate/metrics.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "examples/text/lines.h"
#include "tensor/atomic_file.h"
#include "tensor/error.h"

namespace lectern::translate {

std::string to_json_line(const EpochMetrics& m) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json line;
  line["epoch"] = m.epoch;
  line["step"] = m.step;
  line["seconds"] = number(m.seconds);
  line["train_loss"] = number(m.train_loss);
  line["valid_loss"] = number(m.valid_loss);
  line["valid_bleu"] = number(m.valid_bleu);
  line["valid_exact"] = number(m.valid_exact);
  line["tokens_per_s"] = number(m.tokens_per_s);
  line["lr"] = number(m.lr);
  return line.dump();
}

void append_metrics(const std::filesystem::path& file, const EpochMetrics& metrics) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << to_json_line(metrics) << '\n' << std::flush;
  require<IoError>(out.good(), "metrics: cannot write {}", file.string());
}

void keep_metrics_until(const std::filesystem::path& file, std::int64_t epoch) {
  if (!std::filesystem::exists(file)) return;
  const std::string name = file.string(), text = text::read_text_file("metrics", file);
  std::string kept;
  text::LineReader lines("metrics", name, text);
  while (lines.next()) {
    const auto line = nlohmann::json::parse(lines.line(), nullptr, /*allow_exceptions=*/false);
    const bool is_metrics = line.is_object() && line.contains("epoch") && line["epoch"].is_number();
    require<IoError>(is_metrics, "metrics: {} line {}: not an epoch's metrics", name,
                     lines.number());
    if (line["epoch"].get<std::int64_t>() <= epoch) kept += std::string(lines.line()) + '\n';
  }
  write_file_atomically(file, kept);
}

}  // namespace lectern::translate
