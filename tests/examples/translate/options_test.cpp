#include "examples/translate/options.h"

#include <gtest/gtest.h>

#include <limits>

namespace lectern::translate {
namespace {

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "translate");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

/// The error text of a command line that must be refused.
std::string error_of(const std::vector<const char*>& arguments) {
  const Command command = parse(arguments);
  const auto* finished = std::get_if<Finished>(&command);
  if (finished == nullptr) return "accepted";
  EXPECT_EQ(finished->status, 2);
  EXPECT_EQ(finished->output, "");
  return finished->error.substr(0, finished->error.find('\n'));
}

TEST(Options, TrainHasTheRecipeForDefaults) {
  const auto o = std::get<TrainOptions>(parse({"train", "--data", "d.tsv", "--out", "dir"}));
  EXPECT_EQ(o.data, PairFiles{"d.tsv"});
  EXPECT_EQ(o.out, "dir");
  EXPECT_EQ(o.d_model, 128);
  EXPECT_EQ(o.heads, 4);
  EXPECT_EQ(o.layers, 2);
  EXPECT_EQ(o.ff, 512);
  EXPECT_EQ(o.batch, 64);
  EXPECT_EQ(o.epochs, 8);
  EXPECT_EQ(o.warmup, 800);
  EXPECT_EQ(o.min_freq, 2);
  EXPECT_EQ(o.lr, 1);
  EXPECT_EQ(o.dropout, 0.1);
  EXPECT_EQ(o.embedding_dropout, 0.1);
  EXPECT_EQ(o.inner_dropout, 0);
  EXPECT_EQ(o.label_smoothing, 0.1);
  EXPECT_TRUE(o.tie);
  EXPECT_FALSE(o.cased);
  EXPECT_FALSE(o.resume);
}

TEST(Options, TrainReadsWhatIsGiven) {
  const auto o = std::get<TrainOptions>(parse({"train",     "--source",
                                               "a.en",      "--target",
                                               "a.fr",      "--valid",
                                               "v.en",      "v.fr",
                                               "--out",     "dir",
                                               "--dropout", "0.3",
                                               "--no-tie",  "--cased",
                                               "--d-model", "96",
                                               "--heads",   "6",
                                               "--lr",      "2.5",
                                               "--seed",    "18446744073709551615",
                                               "--threads", "3",
                                               "--epochs",  "12"}));
  EXPECT_EQ(o.data, (PairFiles{"a.en", "a.fr"}));
  EXPECT_EQ(o.valid, (PairFiles{"v.en", "v.fr"}));
  EXPECT_EQ(o.dropout, 0.3);
  EXPECT_EQ(o.embedding_dropout, 0.3);  // follows --dropout
  EXPECT_FALSE(o.tie);
  EXPECT_TRUE(o.cased);
  EXPECT_EQ(o.d_model, 96);
  EXPECT_EQ(o.lr, 2.5);
  EXPECT_EQ(o.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(o.threads, 3);
  const auto apart = std::get<TrainOptions>(
      parse({"train", "--out", "x", "--dropout", "0.3", "--embedding-dropout", "0"}));
  EXPECT_EQ(apart.embedding_dropout, 0);
}

TEST(Options, WithoutDataTheGrammarsRecipeHolds) {
  const TrainOptions recipe = grammar_recipe();
  const auto o = std::get<TrainOptions>(parse({"train", "--out", "x"}));
  EXPECT_TRUE(o.data.empty());
  EXPECT_EQ(o.max_pairs, recipe.max_pairs);
  EXPECT_EQ(o.cased, recipe.cased);
  EXPECT_EQ(o.epochs, recipe.epochs);
  const auto given = std::get<TrainOptions>(
      parse({"train", "--out", "x", "--max-pairs", "7", "--epochs", "3", "--uncased"}));
  EXPECT_EQ(given.max_pairs, 7);
  EXPECT_EQ(given.epochs, 3);
  EXPECT_FALSE(given.cased);
  EXPECT_EQ(std::get<TrainOptions>(parse({"train", "--out", "x", "--max-pairs", "0"})).max_pairs,
            recipe.max_pairs);
}

TEST(Options, ResumeKeepsTheSettings) {
  const auto o = std::get<TrainOptions>(parse({"train", "--resume", "dir", "--epochs", "20"}));
  EXPECT_TRUE(o.resume);
  EXPECT_EQ(o.out, "dir");
  EXPECT_EQ(o.epochs, 20);
  EXPECT_EQ(std::get<TrainOptions>(parse({"train", "--resume", "dir"})).epochs, 0);
  EXPECT_EQ(
      error_of({"train", "--resume", "dir", "--heads", "3"}),
      "translate train: --heads: cannot be given with --resume: the unfinished training keeps "
      "its settings");
}

TEST(Options, OtherCommands) {
  const auto run = std::get<RunOptions>(parse({"run", "--model", "m", "I love tea.", "Hi!"}));
  EXPECT_EQ(run.model, "m");
  EXPECT_EQ(run.sentences, (std::vector<std::string>{"I love tea.", "Hi!"}));
  EXPECT_TRUE(std::get<RunOptions>(parse({"run", "--model", "m", "--interactive"})).interactive);

  const auto eval = std::get<EvalOptions>(parse({"eval", "--model", "m", "--data", "a", "b"}));
  EXPECT_EQ(eval.data, (PairFiles{"a", "b"}));
  EXPECT_EQ(std::get<EvalOptions>(parse({"eval", "--model", "m", "--split", "valid"})).split,
            "valid");

  EXPECT_EQ(std::get<ShowOptions>(parse({"show", "--model", "m", "Hi!"})).sentence, "Hi!");

  const auto corpus = std::get<CorpusOptions>(parse({"corpus", "--pairs", "7", "--split", "test"}));
  EXPECT_EQ(corpus.pairs, 7);
  EXPECT_EQ(corpus.split, "test");
}

TEST(Options, EveryRangeIsChecked) {
  EXPECT_EQ(error_of({"train", "--out", "x", "--threads", "0"}),
            "translate train: --threads: is 0; it must be a whole number from 1 to 1024");
  EXPECT_EQ(error_of({"run", "--model", "x", "--threads", "-2"}),
            "translate run: --threads: is -2; it must be a whole number from 1 to 1024");
  EXPECT_EQ(error_of({"train", "--out", "x", "--layers", "1001"}),
            "translate train: --layers: is 1001; it must be a whole number from 1 to 1000");
  for (const auto* size : {"--d-model", "--heads", "--ff", "--batch", "--epochs"}) {
    for (const auto* bad : {"0", "-3", "2.5", "1e3", "abc", "", "99999999999999999999"}) {
      EXPECT_EQ(error_of({"train", "--out", "x", size, bad}),
                std::string("translate train: ") + size + ": is " + bad +
                    "; it must be a whole number from 1 to 1048576");
    }
  }
  for (const auto* share :
       {"--dropout", "--embedding-dropout", "--inner-dropout", "--label-smoothing"}) {
    for (const auto* bad : {"-0.1", "1.01", "nan", "inf", "1,5"}) {
      EXPECT_EQ(error_of({"train", "--out", "x", share, bad}),
                std::string("translate train: ") + share + ": is " + bad +
                    "; it must be a number from 0 to 1");
    }
  }
  EXPECT_EQ(error_of({"train", "--out", "x", "--seed", "-1"}),
            "translate train: --seed: is -1; it must be a whole number from 0 to "
            "18446744073709551615");
  EXPECT_EQ(error_of({"train", "--out", "x", "--d-model", "100", "--heads", "3"}),
            "translate train: --d-model: is 100; it must be a multiple of --heads, which is 3");
  EXPECT_EQ(error_of({"corpus", "--pairs", "0"}),
            "translate corpus: --pairs: is 0; it must be a whole number from 1 to 1000000");
  EXPECT_EQ(
      error_of({"corpus", "--pairs", "1", "--split", "dev"}),
      "translate corpus: --split: is dev; it must be train, valid, test, compositions or demo");
}

TEST(Options, SaysWhatIsMissingOrContradicts) {
  EXPECT_EQ(error_of({}), "translate: give a command");
  EXPECT_EQ(error_of({"learn"}), "translate: give a command");
  EXPECT_EQ(error_of({"train"}), "translate train: --out DIR (or --resume DIR) is required");
  EXPECT_EQ(error_of({"train", "--out", "x", "--epoch", "3"}),
            "translate train: The following arguments were not expected: 3 --epoch");
  EXPECT_EQ(error_of({"train", "--out", "x", "--source", "a"}),
            "translate train: --source requires --target");
  EXPECT_EQ(error_of({"train", "--out", "x", "--source", "a", "--target", "b", "--data", "c"}),
            "translate train: --data excludes --source");
  EXPECT_EQ(error_of({"run", "Hi!"}), "translate run: --model is required");
  EXPECT_EQ(error_of({"show", "--model", "m"}), "translate show: sentence is required");
}

TEST(Options, HelpAndVersion) {
  const auto help = std::get<Finished>(parse({"--help"}));
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("Start here:"), std::string::npos);
  for (const auto* command : {"train", "run", "eval", "show", "corpus"}) {
    EXPECT_NE(help.output.find(std::string("\n  ") + command + " "), std::string::npos) << command;
    const auto its = std::get<Finished>(parse({command, "--help"}));
    EXPECT_EQ(its.status, 0);
    EXPECT_NE(its.output.find(std::string("  translate ") + command + " --"), std::string::npos);
  }
  const auto version = std::get<Finished>(parse({"--version"}));
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.output.find("translate (Lectern "), 0U);
}

}  // namespace
}  // namespace lectern::translate
