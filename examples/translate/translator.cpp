#include "examples/translate/translator.h"

#include <algorithm>
#include <limits>
#include <map>

#include "examples/text/tokenizer.h"
#include "examples/text/unicode.h"
#include "nn/search.h"
#include "tensor/error.h"
#include "tensor/indexing.h"
#include "tensor/safetensors.h"
#include "tensor/views.h"

namespace lectern::translate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBatch = 128;  // sentences decoded together

/// A translation may be this long, its end mark included.
std::int64_t length_limit(std::int64_t source_length) {
  return std::min(2 * source_length + 10, kMaxLength - 1);
}

void require_fitting(std::size_t ids) {
  require<ValueError>(ids > 1, "the sentence has no word");
  require<ValueError>(static_cast<std::int64_t>(ids) <= kMaxLength,
                      "the sentence has {} words; the model takes at most {}", ids - 1,
                      kMaxLength - 1);
}

/// bool [V]: true for the tokens a translation never holds, kPad and kBegin.
Tensor control_tokens_before_end(std::int64_t vocabulary) {
  Tensor tokens = Tensor::zeros({vocabulary}, DType::boolean);
  slice(tokens, 0, 0, text::kEnd).fill(1);
  return tokens;
}

}  // namespace

std::vector<std::string> words_of(const std::string& sentence, const TrainOptions& options) {
  return text::tokenize(text::clean_up(sentence, {.lower_case = !options.cased}));
}

text::Example encode(const text::LinePair& pair, const ModelDescription& d) {
  const auto ids_of = [&](const std::string& side, const text::Vocabulary& vocabulary) {
    std::vector<std::int64_t> ids = vocabulary.encode(words_of(side, d.options));
    try {
      require_fitting(ids.size());
    } catch (const ValueError& error) {
      fail<ValueError>("line {}: {}", pair.line, error.what());
    }
    return ids;
  };
  return {ids_of(pair.source, d.source), ids_of(pair.target, d.target)};
}

void Translator::check(const std::string& sentence) const { source_ids(sentence); }

std::vector<std::int64_t> Translator::source_ids(const std::string& sentence) const {
  Ids ids = description_.source.encode(words_of(sentence, description_.options));
  require_fitting(ids.size());
  return ids;
}

std::vector<std::string> Translator::translate(std::span<const std::string> sentences) const {
  std::map<Ids, std::string> translations;
  for (const std::string& sentence : sentences) translations[source_ids(sentence)];
  std::vector<Ids> distinct;
  for (const auto& entry : translations) distinct.push_back(entry.first);
  std::stable_sort(distinct.begin(), distinct.end(),
                   [](const Ids& a, const Ids& b) { return a.size() < b.size(); });

  for (std::size_t begin = 0; begin < distinct.size(); begin += kBatch) {
    const std::span<const Ids> sources(distinct.data() + begin,
                                       std::min(kBatch, distinct.size() - begin));
    const std::vector<Ids> targets = decode_batch(sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      translations[sources[i]] = text::detokenize(description_.target.decode(targets[i]));
    }
  }
  std::vector<std::string> result;
  for (const std::string& sentence : sentences)
    result.push_back(translations[source_ids(sentence)]);
  return result;
}

std::vector<std::int64_t> Translator::translate_ids(const Ids& source) const {
  return decode_batch({&source, 1}).front();
}

std::vector<std::vector<std::int64_t>> Translator::decode_batch(
    std::span<const Ids> sources) const {
  std::vector<std::int64_t> lengths, limits;
  for (const Ids& source : sources) {
    lengths.push_back(static_cast<std::int64_t>(source.size()));
    limits.push_back(length_limit(lengths.back()));
  }
  const NoGrad guard;
  const Tensor key_lengths = Tensor::from(lengths, {static_cast<std::int64_t>(lengths.size())});
  auto state = network_.start_decoding(text::pad_sources(sources), key_lengths,
                                       *std::max_element(limits.begin(), limits.end()));
  const Tensor never_written = control_tokens_before_end(description_.target.size());  // [V]
  const auto next_scores = [&](const nn::SearchStep& step) {
    if (step.rows.defined()) state.select(step.rows);
    const Variable logits = network_.decode_next(unsqueeze(step.tokens, 1), state);  // [A, 1, V]
    return masked_fill(select(logits.value(), 1, 0), never_written, -kInfinity);     // [A, V]
  };

  std::vector<Ids> targets;
  for (nn::Found& found :
       nn::greedy_search(next_scores, {.begin = text::kBegin, .end = text::kEnd}, limits)) {
    targets.push_back(std::move(found.tokens));
  }
  return targets;
}

TrainedModel::TrainedModel(const std::filesystem::path& directory)
    : description(read_description(directory)),
      network([&] {
        Rng rng(0);  // its weights are replaced at once
        return nn::TranslationTransformer(network_config(description), rng);
      }()),
      translator(network, description) {
  const std::filesystem::path weights = ModelFiles(directory).model;
  require<IoError>(std::filesystem::exists(weights),
                   "{} holds no trained model yet; go on with translate train --resume {}",
                   directory.string(), directory.string());
  network.load_state_dict(load_safetensors(weights).tensors);
  network.eval();
}

}  // namespace lectern::translate
