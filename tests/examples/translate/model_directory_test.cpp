#include "examples/translate/model_directory.h"

#include <gtest/gtest.h>

#include "tensor/atomic_file.h"
#include "tensor/error.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/temporary_folder.h"

namespace lectern::translate {
namespace {

using Words = std::vector<std::string>;

ModelDescription small_model() {
  TrainOptions options;
  options.data = {"/data/train.tsv"};
  options.valid = {"/data/v.en", "/data/v.fr"};
  options.d_model = 32;
  options.heads = 2;
  options.cased = true;
  options.tie = false;
  options.lr = 0.1;
  options.dropout = 0.25;
  options.seed = 18446744073709551615U;
  return {options, text::Vocabulary(Words{"I", "tea"}),
          text::Vocabulary(Words{"j'", "aime", "thé"})};
}

TEST(ModelDirectory, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const auto directory = folder.path() / "a" / "b";
  write_description(directory, small_model());
  const ModelDescription read = read_description(directory);
  EXPECT_EQ(to_json(read.options), to_json(small_model().options));
  EXPECT_EQ(read.options.seed, 18446744073709551615U);
  EXPECT_EQ(read.options.lr, 0.1);
  EXPECT_EQ(read.options.valid, (PairFiles{"/data/v.en", "/data/v.fr"}));
  EXPECT_TRUE(read.options.cased);
  EXPECT_FALSE(read.options.tie);
  EXPECT_EQ(read.options.out, directory);
  EXPECT_EQ(read.source.text(), small_model().source.text());
  EXPECT_EQ(read.target.text(), small_model().target.text());
}

TEST(ModelDirectory, TheNetworkFollowsTheSettings) {
  const auto config = network_config(small_model());
  EXPECT_EQ(config.source_vocabulary, 6);
  EXPECT_EQ(config.target_vocabulary, 7);
  EXPECT_EQ(config.width, 32);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.dropout, 0.25);
  EXPECT_EQ(config.embedding_dropout, 0.1);
  EXPECT_EQ(config.inner_dropout, 0);
  EXPECT_FALSE(config.tied);
  EXPECT_TRUE(config.norm_first);
}

TEST(ModelDirectory, SaysThatADirectoryIsNone) {
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  EXPECT_THROW_TEXT(read_description(here + "/none"), IoError,
                    here + "/none: there is no such directory");
  EXPECT_THROW_TEXT(
      read_description(here), IoError,
      here + " is not a model directory: it has no config.json; translate train --out makes one");
  write_file_atomically(folder.path() / "file", "text");
  EXPECT_THROW_TEXT(write_description(folder.path() / "file", small_model()), IoError,
                    "train: cannot make the directory " + here + "/file: Not a directory");
}

TEST(ModelDirectory, NamesTheSettingThatIsWrong) {
  const std::string good = to_json(small_model().options);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string json = good;
    json.replace(json.find(from), from.size(), to);
    return json;
  };
  EXPECT_THROW_TEXT(options_from_json("{", "c.json"), IoError, "c.json: not a JSON object");
  EXPECT_THROW_TEXT(options_from_json(with("\"format\": 1", "\"format\": 2"), "c.json"), IoError,
                    "c.json: \"format\" is not 1; the model was made by another version of the "
                    "program");
  EXPECT_THROW_TEXT(options_from_json(with("\"warmup\"", "\"cooldown\""), "c.json"), IoError,
                    "c.json: \"warmup\" is missing");
  EXPECT_THROW_TEXT(options_from_json(with("\"layers\": 2", "\"layers\": \"two\""), "c.json"),
                    IoError, "c.json: \"layers\" is \"two\"; that is no value for it");
  EXPECT_THROW_TEXT(options_from_json(with("\"heads\": 2", "\"heads\": 0"), "c.json"), IoError,
                    "c.json: d_model 32, heads 0, layers 2, ff 512 make no model");
}

}  // namespace
}  // namespace lectern::translate
