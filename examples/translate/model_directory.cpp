#include "examples/translate/model_directory.h"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "tensor/atomic_file.h"
#include "tensor/build_info.h"
#include "tensor/error.h"

namespace lectern::translate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;  // of config.json

/// Calls visit(name, member) for every setting that config.json keeps.
template <class Options, class Visit>
void for_each_setting(Options& o, const Visit& visit) {
  visit("data", o.data);
  visit("valid", o.valid);
  visit("test", o.test);
  visit("max_pairs", o.max_pairs);
  visit("max_words", o.max_words);
  visit("min_freq", o.min_freq);
  visit("cased", o.cased);
  visit("d_model", o.d_model);
  visit("heads", o.heads);
  visit("layers", o.layers);
  visit("ff", o.ff);
  visit("tie", o.tie);
  visit("epochs", o.epochs);
  visit("batch", o.batch);
  visit("lr", o.lr);
  visit("warmup", o.warmup);
  visit("cooldown", o.cooldown);
  visit("dropout", o.dropout);
  visit("embedding_dropout", o.embedding_dropout);
  visit("inner_dropout", o.inner_dropout);
  visit("label_smoothing", o.label_smoothing);
  visit("clip", o.clip);
  visit("seed", o.seed);
}

Json json_of(const PairFiles& files) {
  Json names = Json::array();
  // Absolute, so that the training can be resumed from another directory.
  for (const fs::path& file : files) names.push_back(fs::absolute(file).string());
  return names;
}

template <class T>
Json json_of(const T& value) {
  return value;
}

bool read(const Json& json, PairFiles& files) {
  if (!json.is_array() || json.size() > 2) return false;
  files.clear();
  for (const Json& name : json) {
    if (!name.is_string()) return false;
    files.emplace_back(name.get<std::string>());
  }
  return true;
}

template <class T>
bool read(const Json& json, T& value) {
  const bool fits = std::is_same_v<T, bool> ? json.is_boolean()
                    : std::is_integral_v<T> ? json.is_number_integer()
                                            : json.is_number();
  if (fits) value = json.get<T>();
  return fits;
}

}  // namespace

ModelFiles::ModelFiles(const fs::path& directory)
    : config(directory / "config.json"),
      source_vocabulary(directory / "source.vocab"),
      target_vocabulary(directory / "target.vocab"),
      model(directory / "model.safetensors"),
      state(directory / "state.safetensors"),
      metrics(directory / "metrics.jsonl") {}

nn::TranslationTransformer::Config network_config(const ModelDescription& d) {
  const TrainOptions& o = d.options;
  return {.source_vocabulary = d.source.size(),
          .target_vocabulary = d.target.size(),
          .width = o.d_model,
          .heads = o.heads,
          .encoder_layers = o.layers,
          .decoder_layers = o.layers,
          .feed_forward = o.ff,
          .max_length = kMaxLength,
          .dropout = o.dropout,
          .embedding_dropout = o.embedding_dropout,
          .inner_dropout = o.inner_dropout,
          .tied = o.tie,
          .padding_id = text::kPad};
}

void write_description(const fs::path& directory, const ModelDescription& description) {
  std::error_code error;
  fs::create_directories(directory, error);
  require<IoError>(!error, "train: cannot make the directory {}: {}", directory.string(),
                   error.message());
  const ModelFiles files(directory);
  write_file_atomically(files.source_vocabulary, description.source.text());
  write_file_atomically(files.target_vocabulary, description.target.text());
  write_file_atomically(files.config, to_json(description.options));
}

ModelDescription read_description(const fs::path& directory) {
  const ModelFiles files(directory);
  require<IoError>(fs::is_directory(directory), "{}: there is no such directory",
                   directory.string());
  require<IoError>(
      fs::is_regular_file(files.config),
      "{} is not a model directory: it has no config.json; translate train --out makes "
      "one",
      directory.string());
  TrainOptions options = options_from_json(read_file(files.config), files.config.string());
  options.out = directory;
  return {std::move(options), text::Vocabulary::load(files.source_vocabulary),
          text::Vocabulary::load(files.target_vocabulary)};
}

std::string to_json(const TrainOptions& options) {
  Json json;
  json["format"] = kFormat;
  json["lectern"] = build_info().version;
  for_each_setting(options,
                   [&](const char* name, const auto& value) { json[name] = json_of(value); });
  return json.dump(2) + "\n";
}

TrainOptions options_from_json(const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  require<IoError>(json.is_object(), "{}: not a JSON object", name);
  require<IoError>(json.contains("format") && json["format"] == kFormat,
                   "{}: \"format\" is not {}; the model was made by another version of the program",
                   name, kFormat);
  TrainOptions options;
  for_each_setting(options, [&](const char* setting, auto& value) {
    require<IoError>(json.contains(setting), "{}: \"{}\" is missing", name, setting);
    require<IoError>(read(json[setting], value), "{}: \"{}\" is {}; that is no value for it", name,
                     setting, json[setting].dump());
  });
  require<IoError>(options.heads > 0 && options.d_model > 0 && options.layers > 0 &&
                       options.ff > 0 && options.d_model % options.heads == 0,
                   "{}: d_model {}, heads {}, layers {}, ff {} make no model", name,
                   options.d_model, options.heads, options.layers, options.ff);
  return options;
}

}  // namespace lectern::translate
