#pragma once

#include <span>
#include <string>
#include <vector>

#include "examples/text/batches.h"
#include "examples/text/corpus.h"
#include "examples/translate/model_directory.h"
#include "nn/translation_transformer.h"

namespace lectern::translate {

/// The words of a sentence, as a model with these settings sees them.
std::vector<std::string> words_of(const std::string& sentence, const TrainOptions& options);

/// The pair as ids.
///
/// Throws: ValueError naming the line if a side is empty, or longer than the model's positions.
text::Example encode(const text::LinePair& pair, const ModelDescription& description);

/// Turns sentences into sentences with a trained network.
///
/// Holds references: the network and its description must live as long as it does. The network
/// should be in evaluation mode.
class Translator {
 public:
  Translator(const nn::TranslationTransformer& network, const ModelDescription& description)
      : network_(network), description_(description) {}

  /// Throws: ValueError unless the sentence has words, and no more than the model has positions.
  void check(const std::string& sentence) const;

  /// Greedy translations, in the order of the sentences. Equal sentences are translated once;
  /// sentences of like length go through the network together.
  ///
  /// An unknown word is <unk> to the network; where it answers <unk>, so does the translation. A
  /// translation ends at the latest with twice as many words as the sentence has, and ten.
  /// Throws: as check.
  std::vector<std::string> translate(std::span<const std::string> sentences) const;

  /// The ids of a sentence, kEnd behind them. Throws: as check.
  std::vector<std::int64_t> source_ids(const std::string& sentence) const;
  /// The ids of its greedy translation, kEnd behind them unless it was cut short.
  std::vector<std::int64_t> translate_ids(const std::vector<std::int64_t>& source) const;

 private:
  using Ids = std::vector<std::int64_t>;
  std::vector<Ids> decode_batch(std::span<const Ids> sources) const;

  const nn::TranslationTransformer& network_;
  const ModelDescription& description_;
};

/// A trained model, read from its directory and ready to translate.
///
/// Throws: IoError if the directory holds no trained model; ShapeError if the weights do not fit
///         the settings.
struct TrainedModel {
  explicit TrainedModel(const std::filesystem::path& directory);

  ModelDescription description;
  nn::TranslationTransformer network;
  Translator translator;
};

}  // namespace lectern::translate
