#include <fmt/core.h>
#include <unistd.h>

#include <iostream>

#include "examples/translate/commands.h"
#include "examples/translate/translate_lines.h"
#include "examples/translate/translator.h"
#include "tensor/error.h"
#include "tensor/threads.h"

namespace lectern::translate {
namespace {

constexpr std::int64_t kWindow = 512;  // lines; enough to fill batches of like lengths

}  // namespace

void run(const RunOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  const TrainedModel model(options.model);
  if (!options.sentences.empty()) {
    for (const std::string& translation : model.translator.translate(options.sentences)) {
      fmt::print("{}\n", translation);
    }
    return;
  }
  const bool line_by_line = options.interactive || isatty(STDIN_FILENO) != 0;
  std::ios::sync_with_stdio(false);
  translate_lines(
      std::cin, std::cout, line_by_line ? 1 : kWindow,
      {.check = [&](const std::string& sentence) { model.translator.check(sentence); },
       .translate = [&](auto sentences) { return model.translator.translate(sentences); }});
}

}  // namespace lectern::translate
