#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

#include "examples/translate/model_directory.h"
#include "nn/checkpoint.h"
#include "nn/optimizer.h"
#include "nn/translation_transformer.h"

namespace lectern::translate {

/// Everything that changes while a network is trained: saved after an epoch and loaded again, the
/// training goes on as if it had never stopped, bit for bit.
struct TrainingState {
  explicit TrainingState(const ModelDescription& description);

  Rng shuffling;
  Rng dropout;  ///< also draws the first weights
  nn::TranslationTransformer network;
  nn::Adam optimizer;
  std::int64_t epoch = 0;    ///< completed
  std::int64_t step = 0;     ///< updates made
  std::int64_t skipped = 0;  ///< updates left out because a gradient was not finite
  double seconds = 0;        ///< spent so far
  double best_loss = std::numeric_limits<double>::infinity();  ///< on the validation pairs
  std::vector<NamedTensor> best;                               ///< the weights that reached it

  /// Notes the weights if `valid_loss` is the lowest so far; true if it is.
  bool keep_if_best(double valid_loss);

  /// Writes state.safetensors, with `data_tokens` to recognise the data by.
  void save(const std::filesystem::path& file, std::int64_t data_tokens);
  /// Throws: IoError if the file is malformed or belongs to other data; ShapeError if it belongs to
  ///         another network.
  void load(const std::filesystem::path& file, std::int64_t data_tokens);
};

}  // namespace lectern::translate
