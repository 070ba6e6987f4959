#include "examples/translate/evaluation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops/losses.h"
#include "examples/text/tokenizer.h"
#include "tensor/reduce.h"

namespace lectern::translate {
namespace {

constexpr std::int64_t kBatch = 64;

/// How many rows of logits [N, V] have their highest score where `targets` [N] says; kPad rows do
/// not count.
std::int64_t count_hits(const Tensor& logits, const Tensor& targets) {
  const Tensor best = argmax(logits, -1).contiguous();  // [B, Tt]
  const auto guesses = best.data<std::int64_t>(), gold = targets.data<std::int64_t>();
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    hits += gold[i] != text::kPad && guesses[i] == gold[i];
  }
  return hits;
}

void score_tokens(const nn::TranslationTransformer& network, const text::Batches& batches,
                  Scores& scores) {
  const NoGrad guard;
  double total = 0;
  std::int64_t hits = 0;
  for (const text::Batch& batch : batches.in_order()) {
    const Variable logits = network(batch.source, {.key_lengths = batch.source_lengths},
                                    batch.target_in);  // [B, Tt, V]
    const Variable loss = cross_entropy(logits, batch.target_out, {.ignore_index = text::kPad});
    total += loss.value().item() * static_cast<double>(batch.target_tokens);
    hits += count_hits(logits.value(), batch.target_out);
    scores.tokens += batch.target_tokens;
  }
  scores.loss = total / static_cast<double>(scores.tokens);
  scores.token_accuracy = static_cast<double>(hits) / static_cast<double>(scores.tokens);
}

}  // namespace

Scores evaluate(const nn::TranslationTransformer& network, const ModelDescription& description,
                const Pairs& pairs) {
  std::vector<text::Example> examples;
  std::vector<std::string> sources;
  std::vector<std::vector<std::string>> references;
  for (const text::LinePair& pair : pairs) {
    examples.push_back(encode(pair, description));
    sources.push_back(pair.source);
    references.push_back({pair.target});
  }
  Scores scores;
  score_tokens(network, text::Batches(std::move(examples), {.size = kBatch}), scores);
  scores.translations = Translator(network, description).translate(sources);
  scores.bleu = text::text_bleu(scores.translations, references);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto words = words_of(pairs[i].target, description.options);
    scores.is_exact.push_back(scores.translations[i] == text::detokenize(words));
  }
  scores.exact =
      static_cast<double>(std::count(scores.is_exact.begin(), scores.is_exact.end(), true)) /
      static_cast<double>(pairs.size());
  return scores;
}

std::string to_string(const Scores& s) {
  return fmt::format(
      "loss {:.4f} nats/token  perplexity {:.2f}  token accuracy {:.1f} %  exact match {:.1f} %\n"
      "BLEU {}\n{}\n",
      s.loss, std::exp(s.loss), 100 * s.token_accuracy, 100 * s.exact, text::to_string(s.bleu),
      text::bleu_signature(1));
}

}  // namespace lectern::translate
