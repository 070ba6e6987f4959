#include <fmt/core.h>

#include <algorithm>

#include "examples/translate/commands.h"
#include "examples/translate/evaluation.h"
#include "tensor/atomic_file.h"
#include "tensor/threads.h"

namespace lectern::translate {
namespace {

constexpr std::int64_t kGrammarPairs = 1000;

/// How many sentences that have a phenomenon were translated exactly.
std::string phenomenon_table(const std::vector<text::SentencePair>& sentences,
                             const std::vector<bool>& is_exact) {
  std::string table = fmt::format("{:<28}{:>10}{:>9}\n", "phenomenon", "sentences", "exact");
  for (const text::Phenomenon phenomenon : text::kPhenomena) {
    std::int64_t count = 0, exact = 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto& present = sentences[i].phenomena;
      if (std::find(present.begin(), present.end(), phenomenon) == present.end()) continue;
      ++count;
      exact += is_exact[i];
    }
    const double share =
        count > 0 ? 100 * static_cast<double>(exact) / static_cast<double>(count) : 0;
    table +=
        fmt::format("{:<28}{:>10}{:>7.1f} %\n", text::phenomenon_name(phenomenon), count, share);
  }
  return table;
}

}  // namespace

void eval(const EvalOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  const TrainedModel model(options.model);
  std::vector<text::SentencePair> sentences;  // of the grammar
  if (options.data.empty()) {
    sentences = draw_from(options.split, options.max_pairs > 0 ? options.max_pairs : kGrammarPairs,
                          options.seed);
  }
  const Pairs pairs = options.data.empty() ? as_pairs(sentences)
                                           : read_pairs(options.data, options.max_pairs).pairs;
  const Scores scores = evaluate(model.network, model.description, pairs);
  fmt::print("{} pairs\n{}", pairs.size(), to_string(scores));
  if (options.data.empty()) fmt::print("\n{}", phenomenon_table(sentences, scores.is_exact));
  if (!options.output.empty()) {
    std::string text;
    for (const std::string& translation : scores.translations) text += translation + '\n';
    write_file_atomically(options.output, text);
  }
}

}  // namespace lectern::translate
