// The training, whole and in the open: data, network, loop, record.
//
// The recipe is that of Vaswani et al. (2017), arXiv:1706.03762, section 5, with normalisation
// before the sub-layers (Xiong et al. 2020, arXiv:2002.04745).

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "autograd/ops/indexing.h"
#include "autograd/ops/losses.h"
#include "autograd/ops/views.h"
#include "autograd/variable.h"
#include "examples/translate/commands.h"
#include "examples/translate/data.h"
#include "examples/translate/evaluation.h"
#include "examples/translate/metrics.h"
#include "examples/translate/progress.h"
#include "examples/translate/training_state.h"
#include "nn/clip.h"
#include "nn/schedule.h"
#include "tensor/error.h"
#include "tensor/safetensors.h"
#include "tensor/threads.h"

namespace lectern::translate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxSkippedInARow = 20;
constexpr std::size_t kSamples = 3;  // translations shown after each epoch

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What a training is made of.
struct Session {
  ModelDescription description;
  TrainingData data;
  text::Batches batches;
};

text::Vocabulary count_words(const Pairs& pairs, std::string text::LinePair::*side,
                             const TrainOptions& options) {
  std::vector<std::vector<std::string>> sentences;
  for (const text::LinePair& pair : pairs) sentences.push_back(words_of(pair.*side, options));
  return text::Vocabulary::count(sentences, options.min_freq);
}

/// Leaves out the pairs with a side of more than `max_words` words, or of none.
void leave_out_unfit(Pairs& pairs, std::int64_t max_words, const char* what, TrainingData& data,
                     const TrainOptions& options) {
  const auto fits = [&](const std::string& sentence) {
    const std::size_t words = words_of(sentence, options).size();
    return words > 0 && words <= static_cast<std::size_t>(max_words);
  };
  const auto left_out = std::erase_if(
      pairs, [&](const text::LinePair& pair) { return !fits(pair.source) || !fits(pair.target); });
  if (left_out > 0) {
    data.notes.push_back(fmt::format("{} {} pairs left out: a side has no word, or more than {}",
                                     left_out, what, max_words));
  }
}

/// Leaves out what can not be learnt from; of the pairs held out, what the model can not take.
void leave_out_unfit(TrainingData& data, const TrainOptions& options) {
  constexpr std::int64_t longest = kMaxLength - 1;  // an end mark follows
  leave_out_unfit(data.train, std::min(options.max_words, longest), "training", data, options);
  require<IoError>(!data.train.empty(), "train: no pair is left to learn from");
  if (!options.valid.empty()) return;  // a file that was asked for is used whole
  leave_out_unfit(data.valid, longest, "held-out", data, options);
  require<IoError>(!data.valid.empty(),
                   "train: no held-out pair is left to measure progress on; give --valid");
}

/// Makes sure that the model can take all `pairs`, before time is spent on the training.
void require_fitting(const Pairs& pairs, const char* what, const ModelDescription& description) {
  try {
    for (const text::LinePair& pair : pairs) encode(pair, description);
  } catch (const ValueError& error) {
    fail<ValueError>("train: {} pairs: {}", what, error.what());
  }
}

/// Reads the data, counts the words and makes the batches.
Session open_session(const TrainOptions& options) {
  TrainingData data = choose_data(options);
  leave_out_unfit(data, options);
  ModelDescription description{options, count_words(data.train, &text::LinePair::source, options),
                               count_words(data.train, &text::LinePair::target, options)};
  for (const text::Vocabulary* words : {&description.source, &description.target}) {
    require<ValueError>(words->size() > text::kControlTokens,
                        "train: no word of the {} occurs {} times; a smaller --min-freq is needed",
                        words == &description.source ? "source" : "target", options.min_freq);
  }
  require_fitting(data.valid, "validation", description);
  require_fitting(data.test, "test", description);
  std::vector<text::Example> examples;
  for (const text::LinePair& pair : data.train) examples.push_back(encode(pair, description));
  return {std::move(description), std::move(data),
          text::Batches(std::move(examples), {.size = options.batch})};
}

/// The settings to train with: those asked for, or those of the training that is resumed.
TrainOptions settle(const TrainOptions& asked) {
  const ModelFiles files(asked.out);
  if (!asked.resume) {
    require<IoError>(asked.overwrite || !std::filesystem::exists(files.config),
                     "train: {} holds a model already; choose another --out, go on with it by "
                     "--resume, or give --overwrite",
                     asked.out.string());
    require<IoError>(
        !std::filesystem::exists(asked.out) || std::filesystem::is_directory(asked.out),
        "train: {} is a file; --out must be a directory, or a new name", asked.out.string());
    return asked;
  }
  TrainOptions options = read_description(asked.out).options;
  options.resume = true;
  if (asked.epochs > 0) options.epochs = asked.epochs;
  return options;
}

/// Writes what a model is before the first step, or makes sure that it is still the same.
void prepare_directory(const Session& session, TrainingState& state) {
  const ModelDescription& description = session.description;
  const std::filesystem::path& directory = description.options.out;
  const ModelFiles files(directory);
  if (description.options.resume) {
    const ModelDescription before = read_description(directory);
    require<IoError>(before.source.text() == description.source.text() &&
                         before.target.text() == description.target.text(),
                     "train: the data have changed since the training in {} began: their words are "
                     "not those of its vocabularies",
                     directory.string());
    if (std::filesystem::exists(files.state)) state.load(files.state, session.batches.tokens());
    keep_metrics_until(files.metrics, state.epoch);
  } else {
    for (const auto& old : {files.model, files.state, files.metrics}) {
      if (std::filesystem::exists(old)) std::filesystem::remove(old);
    }
  }
  write_description(directory, description);
}

void print_beginning(const Session& session, TrainingState& state) {
  for (const std::string& note : session.data.notes) fmt::print("{}\n", note);
  fmt::print("vocabulary: {} + {} words; {} tokens an epoch; {} parameters; {} threads\n",
             session.description.source.size(), session.description.target.size(),
             session.batches.tokens(), state.network.parameter_count(), num_threads());
  if (state.epoch > 0) fmt::print("going on after epoch {}, step {}\n", state.epoch, state.step);
  std::fflush(stdout);
}

void print_epoch(const EpochMetrics& m, std::int64_t epochs, bool is_best, const Scores& valid,
                 const Pairs& pairs) {
  fmt::print(
      "epoch {}/{}  loss {:.4f}  valid {:.4f} nats/token  BLEU {:.2f}  exact {:.1f} %  "
      "{:.0f} tokens/s  {}{}\n",
      m.epoch, epochs, m.train_loss, m.valid_loss, m.valid_bleu, 100 * m.valid_exact,
      m.tokens_per_s, duration_text(m.seconds), is_best ? "  best so far" : "");
  const std::size_t samples = std::min(kSamples, pairs.size());
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t which = i * pairs.size() / samples;
    fmt::print("    {}  →  {}\n", pairs[which].source, valid.translations[which]);
  }
  std::fflush(stdout);
}

/// Learning rate of an update, counted from 1: Noam's, times what falls linearly from 1 to 0 over
/// the last part of the training.
double learning_rate(const TrainOptions& options, std::int64_t step, std::int64_t last_step) {
  const nn::NoamSchedule noam{options.d_model, options.warmup, options.lr};
  const double cooldown = options.cooldown * static_cast<double>(last_step);  // steps
  const double left = static_cast<double>(last_step - step + 1);
  return noam(step) * (left < cooldown ? left / cooldown : 1);
}

/// Goes through the training data once.
EpochMetrics train_epoch(const Session& session, TrainingState& state) {
  const TrainOptions& options = session.description.options;
  const std::int64_t last_step = options.epochs * session.batches.batches_per_epoch();
  const double limit = options.clip > 0 ? options.clip : std::numeric_limits<double>::infinity();
  const std::vector<nn::Parameter> parameters = state.network.parameters();
  ProgressDisplay display(stderr, fmt::format("epoch {}/{}", state.epoch, options.epochs),
                          session.batches.batches_per_epoch());

  const Clock::time_point begin = Clock::now();
  double total = 0;                                // nats
  std::int64_t answers = 0, tokens = 0, done = 0;  // target tokens; tokens of both sides; steps
  std::int64_t skipped_in_a_row = 0;
  for (const text::Batch& batch : session.batches.shuffled(state.shuffling)) {
    const Mask seen{.key_lengths = batch.source_lengths};
    const Variable memory = state.network.encode(batch.source, seen);             // [B, Ts, E]
    const Variable hidden = state.network.decode(batch.target_in, memory, seen);  // [B, Tt, E]
    // The output layer is a third of the work: it gets no padding.
    const Variable words =
        index_select(reshape(hidden, {-1, options.d_model}), 0, batch.places);  // [N, E]
    const Variable logits = state.network.output(words);                        // [N, V]
    const Variable loss =
        cross_entropy(logits, batch.answers, {.label_smoothing = options.label_smoothing});

    state.optimizer.zero_grad();
    backward(loss);
    if (std::isfinite(nn::clip_grad_norm(parameters, limit))) {
      state.optimizer.set_lr(learning_rate(options, ++state.step, last_step));
      state.optimizer.step();
      skipped_in_a_row = 0;
    } else {  // one bad step must not spoil the weights
      ++state.skipped;
      require<ValueError>(++skipped_in_a_row < kMaxSkippedInARow,
                          "train: the last {} gradients were not finite; a smaller --lr may help",
                          skipped_in_a_row);
    }

    total += loss.value().item() * static_cast<double>(batch.target_tokens);  // mean back to sum
    answers += batch.target_tokens;
    tokens += batch.source_tokens + batch.target_tokens;
    display.update(++done, total / static_cast<double>(answers),
                   static_cast<double>(tokens) / seconds_since(begin));
  }
  return {.epoch = state.epoch,
          .step = state.step,
          .train_loss = total / static_cast<double>(answers),
          .tokens_per_s = static_cast<double>(tokens) / seconds_since(begin),
          .lr = state.optimizer.lr()};
}

}  // namespace

void train(const TrainOptions& asked) {
  if (asked.threads > 0) set_num_threads(asked.threads);
  const TrainOptions options = settle(asked);
  const Session session = open_session(options);
  TrainingState state(session.description);
  prepare_directory(session, state);
  print_beginning(session, state);

  const ModelFiles files(options.out);
  Clock::time_point begin = Clock::now();
  while (state.epoch < options.epochs) {
    ++state.epoch;
    state.network.train();
    EpochMetrics metrics = train_epoch(session, state);

    state.network.eval();
    const Scores valid = evaluate(state.network, session.description, session.data.valid);
    metrics.valid_loss = valid.loss;
    metrics.valid_bleu = valid.bleu.score;
    metrics.valid_exact = valid.exact;
    const bool is_best = state.keep_if_best(valid.loss);
    if (is_best) save_safetensors(files.model, state.best);

    state.seconds += seconds_since(begin);
    begin = Clock::now();
    metrics.seconds = state.seconds;
    append_metrics(files.metrics, metrics);
    state.save(files.state, session.batches.tokens());
    print_epoch(metrics, options.epochs, is_best, valid, session.data.valid);
  }

  if (state.skipped > 0) fmt::print("{} updates skipped: gradient not finite\n", state.skipped);
  fmt::print("the model is in {}\n", options.out.string());
  if (!session.data.test.empty()) {
    const TrainedModel best(options.out);
    fmt::print("test: {}", to_string(evaluate(best.network, best.description, session.data.test)));
  }
}

}  // namespace lectern::translate
