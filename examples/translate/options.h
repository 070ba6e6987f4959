#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace lectern::translate {

/// A file of pairs (one path, TSV), two line-parallel files (two paths), or none.
using PairFiles = std::vector<std::filesystem::path>;

/// What `translate train` was asked to do. The values here are the recipe for `--data`.
struct TrainOptions {
  PairFiles data;   ///< empty: the built-in grammar
  PairFiles valid;  ///< empty: some of the data are held out
  PairFiles test;   ///< scored after the last epoch, if given
  std::filesystem::path out;
  bool overwrite = false;
  bool resume = false;  ///< `out` holds a training run to go on with

  std::int64_t max_pairs = 0;  ///< 0: all; of the grammar, how many are made
  std::int64_t max_words = 64;
  std::int64_t min_freq = 2;
  bool cased = false;

  std::int64_t d_model = 128;
  std::int64_t heads = 4;
  std::int64_t layers = 2;
  std::int64_t ff = 512;
  bool tie = true;  ///< the target embedding is also the output layer

  std::int64_t epochs = 8;
  std::int64_t batch = 64;
  double lr = 1;  ///< factor of the Noam schedule
  std::int64_t warmup = 800;
  double cooldown = 0;  ///< share of all steps over which the learning rate ends at zero
  double dropout = 0.1;
  double embedding_dropout = 0.1;
  double inner_dropout = 0;
  double label_smoothing = 0.1;
  double clip = 0;  ///< limit of the gradient's norm; 0: none

  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: as many as there are
};

/// The recipe for the built-in grammar.
TrainOptions grammar_recipe();

/// What `translate run` was asked to do.
struct RunOptions {
  std::filesystem::path model;
  std::vector<std::string> sentences;  ///< empty: lines of the standard input
  bool interactive = false;            ///< answer each line before the next one is read
  int threads = 0;
};

/// What `translate eval` was asked to do.
struct EvalOptions {
  std::filesystem::path model;
  PairFiles data;              ///< empty: the built-in grammar
  std::string split = "test";  ///< of the grammar: train, valid, test, compositions or demo
  std::int64_t max_pairs = 0;
  std::uint64_t seed = 1;
  std::filesystem::path output;  ///< where the translations go, one a line; empty: nowhere
  int threads = 0;
};

/// What `translate show` was asked to do.
struct ShowOptions {
  std::filesystem::path model;
  std::string sentence;
  int threads = 0;
};

/// What `translate corpus` was asked to do.
struct CorpusOptions {
  std::int64_t pairs = 0;
  std::uint64_t seed = 1;
  std::string split = "train";
};

/// The command line asked for nothing but text (help, version), or was wrong.
struct Finished {
  int status = 0;  ///< of the process
  std::string output;
  std::string error;
};

using Command =
    std::variant<Finished, TrainOptions, RunOptions, EvalOptions, ShowOptions, CorpusOptions>;

/// Reads the command line. Every value is checked against its range here.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace lectern::translate
