// translate: trains a Transformer to translate, and translates with it.
//
//   translate train   train.cpp: the training loop, whole and in the open
//   translate run     run.cpp
//   translate eval    eval.cpp
//   translate show    show.cpp
//   translate corpus  corpus.cpp

#include <cstdio>
#include <exception>
#include <new>
#include <variant>

#include "examples/translate/commands.h"
#include "tensor/build_info.h"
#include "tensor/error.h"
#include "tensor/threads.h"

namespace {

using namespace lectern::translate;

struct Execute {
  int operator()(const Finished& finished) const {
    std::fputs(finished.output.c_str(), stdout);
    std::fputs(finished.error.c_str(), stderr);
    return finished.status;
  }
  int operator()(const TrainOptions& options) const { return train(options), 0; }
  int operator()(const RunOptions& options) const { return run(options), 0; }
  int operator()(const EvalOptions& options) const { return eval(options), 0; }
  int operator()(const ShowOptions& options) const { return show(options), 0; }
  int operator()(const CorpusOptions& options) const { return corpus(options), 0; }
};

}  // namespace

int main(int argc, char** argv) {
  lectern::let_waiting_threads_sleep(argv);
  lectern::warn_if_slow();
  try {
    const int status = std::visit(Execute{}, parse_command_line(argc, argv));
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    lectern::require<lectern::IoError>(written, "not all of the output could be written");
    return status;
  } catch (const std::bad_alloc&) {
    std::fputs("translate: there is not enough memory\n", stderr);
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "translate: %s\n", error.what());
    return 1;
  }
}
