#pragma once

#include <filesystem>
#include <string>

#include "examples/text/vocabulary.h"
#include "examples/translate/options.h"
#include "nn/translation_transformer.h"

namespace lectern::translate {

/// The files of a model directory.
struct ModelFiles {
  explicit ModelFiles(const std::filesystem::path& directory);

  std::filesystem::path config;             ///< settings of the training, JSON
  std::filesystem::path source_vocabulary;  ///< one word a line
  std::filesystem::path target_vocabulary;
  std::filesystem::path model;    ///< weights with the best validation loss, safetensors
  std::filesystem::path state;    ///< all that is needed to go on with the training, safetensors
  std::filesystem::path metrics;  ///< one JSON object per epoch
};

/// What a model is, apart from its weights.
struct ModelDescription {
  TrainOptions options;
  text::Vocabulary source;
  text::Vocabulary target;
};

/// Positions a model has: the longest sentence, its end mark included.
inline constexpr std::int64_t kMaxLength = 512;

/// The sizes of the network for these settings and vocabularies.
nn::TranslationTransformer::Config network_config(const ModelDescription& description);

/// Makes the directory and writes config.json and the vocabularies.
///
/// Throws: IoError if that is not possible.
void write_description(const std::filesystem::path& directory, const ModelDescription& description);

/// Reads them back, with `options.out` set to the directory.
///
/// Throws: IoError if it is no model directory or a file in it is malformed.
ModelDescription read_description(const std::filesystem::path& directory);

/// The settings as JSON, and back. `name` is the file named in errors.
std::string to_json(const TrainOptions& options);
TrainOptions options_from_json(const std::string& json, const std::string& name);

}  // namespace lectern::translate
