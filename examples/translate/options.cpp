#include "examples/translate/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <limits>
#include <memory>
#include <sstream>
#include <type_traits>
#include <utility>

#include "examples/translate/help_formatter.h"
#include "tensor/build_info.h"

namespace lectern::translate {
namespace {

constexpr std::int64_t kMaxSize = 1 << 20;  // of a width, a batch or the epochs
constexpr std::int64_t kMaxLayers = 1000;
constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;
constexpr std::int64_t kMaxGrammarPairs = 1000000;
constexpr int kMaxThreads = 1024;
constexpr int kUsageError = 2;  // exit status

bool reads_as(const std::string& text, double& value) {
  return CLI::detail::lexical_cast(text, value);
}

template <std::integral T>
bool reads_as(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

/// Accepts numbers of [low, high].
template <class T>
CLI::Validator between(T low, T high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        T value{};
        if (reads_as(text, value) && value >= low && value <= high) return std::string();
        std::ostringstream message;
        message << "is " << text << "; it must be a" << (std::is_integral_v<T> ? " whole" : "")
                << " number from " << low << " to " << high;
        return message.str();
      },
      /*validator_desc=*/"");
}

CLI::Validator size() { return between<std::int64_t>(1, kMaxSize); }
CLI::Validator count_or_all() { return between<std::int64_t>(0, kMaxCount); }
CLI::Validator probability() { return between<double>(0, 1); }

template <class T>
CLI::Option* add(CLI::App& app, const std::string& name, T& value, const CLI::Validator& valid,
                 const std::string& help) {
  return app.add_option(name, value, help)
      ->check(valid)
      ->capture_default_str()
      ->type_name(std::is_integral_v<T> ? "N" : "X");
}

void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "Processor threads to use; default: all there are")
      ->check(between(1, kMaxThreads))
      ->type_name("N");
}

CLI::Option* add_model(CLI::App& app, std::filesystem::path& model) {
  return app.add_option("--model", model, "Directory of a trained model (what train calls --out)")
      ->required()
      ->type_name("DIR");
}

CLI::Option* add_pair_files(CLI::App& app, const std::string& name, PairFiles& files,
                            const std::string& help) {
  return app.add_option(name, files, help)->expected(1, 2)->type_name("FILE [FILE]");
}

/// What is told apart only after all options are known.
struct TrainChoices {
  PairFiles source, target;
  std::filesystem::path resume;
  bool no_tie = false;
  CLI::Option* epochs = nullptr;
  CLI::Option* max_pairs = nullptr;
  CLI::Option* embedding_dropout = nullptr;
};

void add_train_data(CLI::App& app, TrainOptions& o, TrainChoices& c) {
  app.add_option("--data", o.data,
                 "Sentence pairs to learn from: a text file with a source sentence, a tab and its "
                 "translation on each line. Without it the built-in English-French grammar is used")
      ->expected(1)
      ->type_name("FILE")
      ->group("Data");
  CLI::Option* source = app.add_option("--source", c.source,
                                       "Instead of --data: a file of sentences, one a line, ...")
                            ->expected(1)
                            ->type_name("FILE")
                            ->group("Data");
  CLI::Option* target = app.add_option("--target", c.target, "... and a file of their translations")
                            ->expected(1)
                            ->type_name("FILE")
                            ->group("Data");
  source->needs(target)->excludes("--data");
  target->needs(source);
  add_pair_files(app, "--valid", o.valid,
                 "Pairs to watch progress on, never learnt from (one TSV, or two files, line by "
                 "line). Default: 2 % of the data are held out")
      ->group("Data");
  add_pair_files(app, "--test", o.test, "Pairs to score when training is over")->group("Data");
  c.max_pairs =
      add(app, "--max-pairs", o.max_pairs, count_or_all(),
          "Use the first N pairs only; 0: all. Of the built-in grammar: how many are drawn");
  c.max_pairs->group("Data");
  add(app, "--max-words", o.max_words, size(), "Leave out training pairs with a longer side")
      ->group("Data");
  add(app, "--min-freq", o.min_freq, between<std::int64_t>(1, kMaxCount),
      "Rarer words become <unk>")
      ->group("Data");
  app.add_flag("--cased,!--uncased", o.cased, "Keep capital letters, or make all letters small")
      ->group("Data");
}

void add_train_model(CLI::App& app, TrainOptions& o, TrainChoices& c) {
  const auto add_size = [&](const char* name, std::int64_t& value, const char* help) {
    add(app, name, value, size(), help)->group("Model");
  };
  add_size("--d-model", o.d_model, "Width of the model (a multiple of --heads)");
  add_size("--heads", o.heads, "Attention heads of each layer");
  add(app, "--layers", o.layers, between<std::int64_t>(1, kMaxLayers),
      "Layers of the encoder, and of the decoder")
      ->group("Model");
  add_size("--ff", o.ff, "Width of the feed-forward layers");
  app.add_flag("--no-tie", c.no_tie, "Give the output layer weights of its own")->group("Model");
  add(app, "--dropout", o.dropout, probability(), "Dropout after each sub-layer")->group("Model");
  c.embedding_dropout = app.add_option("--embedding-dropout", o.embedding_dropout,
                                       "Dropout of embedded words; default: as --dropout")
                            ->check(probability())
                            ->type_name("X")
                            ->group("Model");
  add(app, "--inner-dropout", o.inner_dropout, probability(),
      "Dropout of attention weights and inside feed-forward layers")
      ->group("Model");
}

void add_train_run(CLI::App& app, TrainOptions& o, TrainChoices& c) {
  c.epochs = add(app, "--epochs", o.epochs, between<std::int64_t>(1, kMaxSize),
                 "How often to go through the data");
  c.epochs->group("Training");
  add(app, "--batch", o.batch, size(), "Sentence pairs in a step")->group("Training");
  add(app, "--lr", o.lr, between(0.0, 1e6), "Learning rate: factor of the Noam schedule")
      ->group("Training");
  add(app, "--warmup", o.warmup, between<std::int64_t>(1, kMaxCount),
      "Steps over which the learning rate rises")
      ->group("Training");
  add(app, "--cooldown", o.cooldown, probability(),
      "Share of all steps, at the end, over which the learning rate falls to zero")
      ->group("Training");
  add(app, "--label-smoothing", o.label_smoothing, probability(),
      "Share of the target spread over all words")
      ->group("Training");
  add(app, "--clip", o.clip, between(0.0, 1e9), "Limit of the gradient's norm; 0: no limit")
      ->group("Training");
  add(app, "--seed", o.seed, between<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
      "Start of all random numbers: the same seed gives the same model")
      ->group("Training");
  app.add_option("--out", o.out, "Directory for the model and the record of its training")
      ->type_name("DIR");
  app.add_flag("--overwrite", o.overwrite, "Replace a model that is in --out");
  app.add_option(
         "--resume", c.resume,
         "Go on with an unfinished training; only --epochs and --threads may be given with it")
      ->type_name("DIR");
  add_threads(app, o.threads);
}

void add_train(CLI::App& parent, TrainOptions& o, TrainChoices& c) {
  CLI::App& app = *parent.add_subcommand("train", "Learn to translate from sentence pairs");
  add_train_data(app, o, c);
  add_train_model(app, o, c);
  add_train_run(app, o, c);
  app.footer(
      "Examples:\n"
      "  translate train --out runs/toy\n"
      "      learns the built-in English-French grammar, a few minutes\n"
      "  translate train --data pairs.tsv --out runs/mine --epochs 12\n"
      "  translate train --source train.en --target train.fr --valid val.en val.fr --out "
      "runs/m30k\n"
      "  translate train --resume runs/mine --epochs 20");
}

void add_run(CLI::App& parent, RunOptions& o) {
  CLI::App& app = *parent.add_subcommand("run", "Translate sentences");
  add_model(app, o.model);
  app.add_option("sentences", o.sentences,
                 "Sentences to translate, each in quotes. Without them: a line in, a line out")
      ->type_name("");
  app.add_flag("--interactive", o.interactive,
               "Answer each line at once, even if the input is no terminal");
  add_threads(app, o.threads);
  app.footer(
      "Examples:\n"
      "  translate run --model runs/toy \"I love artificial intelligence.\"\n"
      "  translate run --model runs/toy < english.txt > french.txt");
}

CLI::Validator split() {
  return CLI::Validator(
      [](std::string& text) {
        for (const auto* part : {"train", "valid", "test", "compositions", "demo"}) {
          if (text == part) return std::string();
        }
        return "is " + text + "; it must be train, valid, test, compositions or demo";
      },
      "");
}

void add_eval(CLI::App& parent, EvalOptions& o) {
  CLI::App& app = *parent.add_subcommand("eval", "Score a model on sentence pairs");
  add_model(app, o.model);
  CLI::Option* data = add_pair_files(
      app, "--data", o.data,
      "Pairs to score on (one TSV, or two files, line by line). Default: the built-in grammar");
  app.add_option("--split", o.split,
                 "Part of the built-in grammar: train, valid, test, compositions or demo")
      ->check(split())
      ->capture_default_str()
      ->type_name("PART")
      ->excludes(data);
  add(app, "--max-pairs", o.max_pairs, count_or_all(),
      "Score the first N pairs; 0: all, of the built-in grammar 1000");
  add(app, "--seed", o.seed, between<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
      "Which sentences of the built-in grammar are drawn");
  app.add_option("--output", o.output, "Write the translations to this file, one a line")
      ->type_name("FILE");
  add_threads(app, o.threads);
  app.footer(
      "Examples:\n"
      "  translate eval --model runs/toy\n"
      "  translate eval --model runs/toy --split compositions\n"
      "  translate eval --model runs/mine --data test.tsv");
}

void add_show(CLI::App& parent, ShowOptions& o) {
  CLI::App& app = *parent.add_subcommand("show", "Show where the model looks while it translates");
  add_model(app, o.model);
  app.add_option("sentence", o.sentence, "The sentence, in quotes")->required()->type_name("");
  add_threads(app, o.threads);
  app.footer("Example:\n  translate show --model runs/toy \"I love artificial intelligence.\"");
}

void add_corpus(CLI::App& parent, CorpusOptions& o) {
  CLI::App& app = *parent.add_subcommand("corpus", "Print sentence pairs of the built-in grammar");
  add(app, "--pairs", o.pairs, between<std::int64_t>(1, kMaxGrammarPairs), "How many")->required();
  add(app, "--seed", o.seed, between<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
      "Another seed draws other pairs");
  app.add_option("--split", o.split, "Which part: train, valid, test, compositions or demo")
      ->check(split())
      ->capture_default_str()
      ->type_name("PART");
  app.footer("Example:\n  translate corpus --pairs 10 --split test");
}

/// Replaces the values that were not given by those that suit the built-in grammar.
void use_grammar_recipe(TrainOptions& o, const CLI::App& app) {
  const TrainOptions recipe = grammar_recipe();
  const auto unless_given = [&](const char* name, auto TrainOptions::*setting) {
    if (app.count(name) == 0) o.*setting = recipe.*setting;
  };
  unless_given("--max-pairs", &TrainOptions::max_pairs);
  unless_given("--cased", &TrainOptions::cased);
  unless_given("--d-model", &TrainOptions::d_model);
  unless_given("--heads", &TrainOptions::heads);
  unless_given("--layers", &TrainOptions::layers);
  unless_given("--ff", &TrainOptions::ff);
  unless_given("--epochs", &TrainOptions::epochs);
  unless_given("--batch", &TrainOptions::batch);
  unless_given("--lr", &TrainOptions::lr);
  unless_given("--warmup", &TrainOptions::warmup);
  unless_given("--cooldown", &TrainOptions::cooldown);
  unless_given("--dropout", &TrainOptions::dropout);
  unless_given("--label-smoothing", &TrainOptions::label_smoothing);
  if (o.max_pairs == 0) o.max_pairs = recipe.max_pairs;
}

/// Joins what the options say together; throws CLI::ValidationError where they contradict.
void complete(TrainOptions& o, const TrainChoices& c, const CLI::App& app) {
  if (!c.resume.empty()) {
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = option->get_name();
      if (option->count() > 0 && name != "--resume" && name != "--epochs" && name != "--threads") {
        throw CLI::ValidationError(name,
                                   "cannot be given with --resume: the unfinished training "
                                   "keeps its settings");
      }
    }
    o.out = c.resume;
    o.resume = true;
    if (c.epochs->count() == 0) o.epochs = 0;  // as it was
    return;
  }
  if (o.out.empty()) throw CLI::RequiredError("--out DIR (or --resume DIR)");
  if (!c.source.empty()) o.data = {c.source.front(), c.target.front()};
  if (o.data.empty()) use_grammar_recipe(o, app);
  if (c.embedding_dropout->count() == 0) o.embedding_dropout = o.dropout;
  o.tie = !c.no_tie;
  if (o.d_model % o.heads != 0) {
    throw CLI::ValidationError("--d-model", "is " + std::to_string(o.d_model) +
                                                "; it must be a multiple of --heads, which is " +
                                                std::to_string(o.heads));
  }
}

}  // namespace

TrainOptions grammar_recipe() {
  // A grammar has no noise to guard against: no dropout, no smoothing, and every pair is new
  // enough that three epochs do.
  TrainOptions o;
  o.max_pairs = 45000;
  o.cased = true;
  o.epochs = 3;
  o.batch = 48;
  o.warmup = 400;
  o.cooldown = 0.5;
  o.dropout = 0;
  o.label_smoothing = 0;
  return o;
}

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Trains a Transformer to translate, and translates with it.", "translate");
  app.set_version_flag("--version", version_text("translate"), "Print the version and stop");
  app.set_help_flag("-h,--help", "Print this help and stop");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.failure_message([](const CLI::App* parsed, const CLI::Error& error) {
    std::string program = "translate";
    const bool is_missing = parsed->get_subcommands().empty();
    for (const CLI::App* command : parsed->get_subcommands()) program += " " + command->get_name();
    return program + ": " + (is_missing ? "give a command" : error.what()) + "\n" + program +
           " --help explains the " + (is_missing ? "commands" : "options") + "\n";
  });
  app.footer(
      "Start here:\n"
      "  translate train --out runs/toy                   learn (needs no data)\n"
      "  translate run --model runs/toy \"I love apples.\"  translate\n"
      "  translate train --help                           all that can be set");

  TrainOptions train;
  TrainChoices choices;
  RunOptions run;
  EvalOptions eval;
  ShowOptions show;
  CorpusOptions corpus;
  add_train(app, train, choices);
  add_run(app, run);
  add_eval(app, eval);
  add_show(app, show);
  add_corpus(app, corpus);

  try {
    app.parse(argc, argv);
    if (app.got_subcommand("train")) {
      complete(train, choices, *app.get_subcommand("train"));
      return train;
    }
  } catch (const CLI::ParseError& error) {
    std::ostringstream output, message;
    const bool is_wrong = app.exit(error, output, message) != 0;
    return Finished{is_wrong ? kUsageError : 0, output.str(), message.str()};
  }
  if (app.got_subcommand("run")) return run;
  if (app.got_subcommand("eval")) return eval;
  if (app.got_subcommand("show")) return show;
  return corpus;
}

}  // namespace lectern::translate
