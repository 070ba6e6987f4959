#pragma once

#include "examples/translate/options.h"

namespace lectern::translate {

// The commands of the program. Each returns when it is done and throws if it can not do it.

void train(const TrainOptions& options);
void run(const RunOptions& options);
void eval(const EvalOptions& options);
void show(const ShowOptions& options);
void corpus(const CorpusOptions& options);

}  // namespace lectern::translate
