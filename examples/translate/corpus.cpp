#include <fmt/core.h>

#include "examples/translate/commands.h"
#include "examples/translate/data.h"
#include "tensor/error.h"

namespace lectern::translate {

void corpus(const CorpusOptions& options) {
  for (const auto& pair : draw_from(options.split, options.pairs, options.seed)) {
    fmt::print("{}\t{}\n", pair.english, pair.french);
  }
  require<IoError>(std::fflush(stdout) == 0, "corpus: cannot write the sentences");
}

}  // namespace lectern::translate
