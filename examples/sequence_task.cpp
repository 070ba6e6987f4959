// sequence_task: a small Transformer learns to copy, or to reverse, sequences of random symbols.
//
//   sequence_task copy       sequences of 10 symbols
//   sequence_task reverse    sequences of 1 to 25 symbols
//
// Both are easy to state and hard to cheat at: the symbols are drawn uniformly, so nothing can be
// guessed, and the model must learn where to look. For a copy, position t of the result looks at
// position t of the source; reversed, it looks t places before the end, wherever that is.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "autograd/ops/losses.h"
#include "autograd/variable.h"
#include "nn/clip.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "nn/search.h"
#include "nn/translation_transformer.h"
#include "tensor/build_info.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace {

using namespace lectern;
using Sequence = std::vector<std::int64_t>;

// Ids: three marks, then the symbols.
constexpr std::int64_t kPadding = 0, kBegin = 1, kEnd = 2, kFirstSymbol = 3;
constexpr std::int64_t kSymbols = 50, kVocabulary = kFirstSymbol + kSymbols;
constexpr std::int64_t kBatch = 64;
constexpr std::size_t kTestSequences = 1000;

struct Task {
  bool reverses;
  std::int64_t shortest, longest;  ///< lengths, drawn uniformly
  std::int64_t width, layers;      ///< of the model
  std::int64_t steps;              ///< of training
  double lr;
};

constexpr Task kCopy{false, 10, 10, 64, 1, 1000, 2e-3};
constexpr Task kReverse{true, 1, 25, 64, 2, 2000, 2e-3};

Sequence draw(const Task& task, Rng& rng) {
  const auto length =
      static_cast<std::int64_t>(rng.integers({}, task.shortest, task.longest + 1).item());
  const Tensor symbols = rng.integers({length}, kFirstSymbol, kVocabulary);
  const auto ids = symbols.data<std::int64_t>();
  return {ids.begin(), ids.end()};
}

Sequence solution(const Task& task, Sequence source) {
  if (task.reverses) std::ranges::reverse(source);
  return source;
}

/// Ids side by side, the shorter sequences padded: i64 [B, T].
Tensor padded(const std::vector<Sequence>& sequences) {
  std::size_t longest = 0;
  for (const Sequence& ids : sequences) longest = std::max(longest, ids.size());
  Tensor batch = Tensor::full(
      {static_cast<std::int64_t>(sequences.size()), static_cast<std::int64_t>(longest)}, kPadding,
      DType::i64);
  auto row = batch.mutable_data<std::int64_t>().begin();
  for (const Sequence& ids : sequences) {
    std::ranges::copy(ids, row);
    row += static_cast<std::ptrdiff_t>(longest);
  }
  return batch;
}

/// What the encoder reads: the symbols and the end mark, so that the end can be found.
struct Source {
  Tensor ids;      ///< [B, Ts]
  Tensor lengths;  ///< [B]
};

Source source_of(const std::vector<Sequence>& sequences) {
  std::vector<Sequence> marked = sequences;
  std::vector<std::int64_t> lengths;
  for (Sequence& ids : marked) {
    ids.push_back(kEnd);
    lengths.push_back(static_cast<std::int64_t>(ids.size()));
  }
  return {padded(marked), Tensor::from(lengths, {static_cast<std::int64_t>(lengths.size())})};
}

/// The decoder sees the solution up to a position, and learns what comes next.
Variable loss_of(const nn::TranslationTransformer& model, const Task& task,
                 const std::vector<Sequence>& sequences) {
  std::vector<Sequence> inputs, outputs;
  for (const Sequence& ids : sequences) {
    const Sequence answer = solution(task, ids);
    inputs.push_back(answer);
    inputs.back().insert(inputs.back().begin(), kBegin);
    outputs.push_back(answer);
    outputs.back().push_back(kEnd);
  }
  const Source source = source_of(sequences);
  const Variable logits =
      model(source.ids, padding_mask(source.lengths), padded(inputs));  // [B, Tt, V]
  return cross_entropy(logits, padded(outputs), {.ignore_index = kPadding});
}

/// Greedy answers of the model, without their end marks.
std::vector<Sequence> solve(const nn::TranslationTransformer& model, const Task& task,
                            const std::vector<Sequence>& sequences) {
  const NoGrad guard;
  const Source source = source_of(sequences);
  const std::int64_t capacity = task.longest + 1;
  auto state = model.start_decoding(source.ids, source.lengths, capacity);
  const auto next_scores = [&](const nn::SearchStep& step) {
    if (step.rows.defined()) state.select(step.rows);
    return select(model.decode_next(unsqueeze(step.tokens, 1), state).value(), 1, 0);  // [A, V]
  };
  const std::vector<std::int64_t> limits(sequences.size(), capacity);
  std::vector<Sequence> answers;
  for (nn::Found& found : nn::greedy_search(next_scores, {kBegin, kEnd}, limits)) {
    if (found.ended) found.tokens.pop_back();
    answers.push_back(std::move(found.tokens));
  }
  return answers;
}

std::string text_of(const Sequence& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += fmt::format("{:3}", id - kFirstSymbol);
  return text;
}

struct Options {
  std::int64_t steps = 0;
  std::uint64_t seed = 1;
  double required = 0;
};

void train(nn::TranslationTransformer& model, const Task& task, const std::set<Sequence>& held_out,
           Rng& rng) {
  nn::Adam optimizer(model.named_parameters(), {.lr = task.lr, .beta2 = 0.98});
  const std::int64_t warmup = task.steps / 10;
  const nn::LinearSchedule rise{0, task.lr, warmup}, fall{task.lr, 0, task.steps - warmup};
  const auto parameters = model.parameters();
  const auto start = std::chrono::steady_clock::now();
  double total = 0;
  for (std::int64_t step = 1; step <= task.steps; ++step) {
    std::vector<Sequence> batch;
    while (batch.size() < static_cast<std::size_t>(kBatch)) {
      Sequence sequence = draw(task, rng);
      if (!held_out.contains(sequence)) batch.push_back(std::move(sequence));
    }
    const Variable loss = loss_of(model, task, batch);
    optimizer.zero_grad();
    backward(loss);
    nn::clip_grad_norm(parameters, 1.0);
    optimizer.set_lr(step <= warmup ? rise(step) : fall(step - warmup));
    optimizer.step();

    total += loss.value().item();
    constexpr std::int64_t every = 100;
    if (step % every == 0) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      fmt::print("step {:5} of {}  loss {:.4f} nats/token  {:.1f} s\n", step, task.steps,
                 total / every, seconds.count());
      std::fflush(stdout);
      total = 0;
    }
  }
}

int run(Task task, const Options& options) {
  if (options.steps > 0) task.steps = options.steps;
  Rng rng(options.seed);
  Rng initialising = rng.stream(1), testing = rng.stream(2), training = rng.stream(3);

  std::vector<Sequence> test;
  while (test.size() < kTestSequences) test.push_back(draw(task, testing));
  const std::set<Sequence> held_out(test.begin(), test.end());

  nn::TranslationTransformer model({.source_vocabulary = kVocabulary,
                                    .target_vocabulary = kVocabulary,
                                    .width = task.width,
                                    .heads = 4,
                                    .encoder_layers = task.layers,
                                    .decoder_layers = task.layers,
                                    .feed_forward = 2 * task.width,
                                    .max_length = task.longest + 1,
                                    .dropout = 0},
                                   initialising);
  train(model, task, held_out, training);
  model.eval();

  const std::vector<Sequence> answers = solve(model, task, test);
  std::size_t right = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const bool is_right = answers[i] == solution(task, test[i]);
    right += is_right ? 1 : 0;
    if (i < 3) {
      fmt::print("\n     {}\n  -> {}  {}\n", text_of(test[i]), text_of(answers[i]),
                 is_right ? "right" : "wrong");
    }
  }
  const double percent = 100.0 * static_cast<double>(right) / static_cast<double>(test.size());
  fmt::print("\n{} of {} unseen sequences right: {:.1f} %\n", right, test.size(), percent);
  return percent >= options.required ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  let_waiting_threads_sleep(argv);
  warn_if_slow();
  CLI::App app("A small Transformer learns to copy or to reverse sequences of random symbols.",
               "sequence_task");
  app.set_version_flag("--version", version_text("sequence_task"));
  Options options;
  std::string task;
  int threads = num_threads();
  app.add_option("task", task, "what to learn: copy or reverse")
      ->required()
      ->check(CLI::IsMember({"copy", "reverse"}));
  app.add_option("--steps", options.steps, "training steps; by default as many as it takes")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", options.seed, "of all random numbers")->capture_default_str();
  app.add_option("--threads", threads, "threads to compute with")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--require", options.required, "fail unless this many percent come out right")
      ->check(CLI::Range(0.0, 100.0));
  CLI11_PARSE(app, argc, argv);
  try {
    set_num_threads(threads);
    return run(task == "copy" ? kCopy : kReverse, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sequence_task: {}\n", error.what());
    return 1;
  }
}
