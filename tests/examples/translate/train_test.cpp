#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "examples/text/lines.h"
#include "examples/translate/commands.h"
#include "examples/translate/data.h"
#include "examples/translate/evaluation.h"
#include "nn/schedule.h"
#include "tensor/atomic_file.h"
#include "tensor/error.h"
#include "tensor/safetensors.h"
#include "tensor/threads.h"
#include "tests/examples/translate/small_training.h"
#include "tests/support/expect_throw_text.h"
#include "tests/support/temporary_folder.h"

namespace lectern::translate {
namespace {

/// Trains with its report kept off the test's output; returns the report.
std::string train_quietly(const TrainOptions& options) {
  const ThreadScope threads(num_threads());  // train sets the number of the whole process
  testing::internal::CaptureStdout();
  try {
    train(options);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

std::vector<nlohmann::json> metrics_of(const std::filesystem::path& directory) {
  const std::string text = read_file(ModelFiles(directory).metrics);
  std::vector<nlohmann::json> epochs;
  text::LineReader lines("test", "metrics", text);
  while (lines.next()) epochs.push_back(nlohmann::json::parse(lines.line()));
  return epochs;
}

/// The metrics without what depends on the clock.
std::vector<nlohmann::json> timeless_metrics_of(const std::filesystem::path& directory) {
  std::vector<nlohmann::json> epochs = metrics_of(directory);
  for (auto& epoch : epochs) {
    epoch.erase("seconds");
    epoch.erase("tokens_per_s");
  }
  return epochs;
}

/// All tensors of the state but the seconds, as bytes by name.
std::map<std::string, std::string> timeless_state_of(const std::filesystem::path& directory) {
  std::map<std::string, std::string> entries;
  for (const NamedTensor& entry : load_safetensors(ModelFiles(directory).state).tensors) {
    const auto* bytes = reinterpret_cast<const char*>(entry.value.storage().data());
    const auto size = entry.value.numel() * size_of(entry.value.dtype());
    if (entry.name != "seconds") entries[entry.name].assign(bytes, static_cast<std::size_t>(size));
  }
  return entries;
}

class TrainTest : public testing::Test {
 protected:
  TrainTest() { write_number_pairs(data_); }

  TrainOptions options(const std::string& out) const {
    return small_training(data_, folder_.path() / out);
  }

  TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "numbers.tsv";
};

TEST_F(TrainTest, LearnsToTranslateNumbers) {
  TrainOptions o = options("model");
  o.epochs = 60;
  o.batch = 8;
  o.lr = 0.2;
  o.dropout = o.embedding_dropout = 0;
  const std::string report = train_quietly(o);
  EXPECT_NE(report.find("held out, chosen by a hash of the source"), std::string::npos) << report;

  const auto epochs = metrics_of(o.out);
  ASSERT_EQ(epochs.size(), 60U);
  EXPECT_LT(epochs.back()["valid_loss"], epochs.front()["valid_loss"]);
  EXPECT_EQ(epochs.back()["step"], epochs.front()["step"].get<int>() * 60);

  const TrainedModel model(o.out);
  const Scores scores = evaluate(model.network, model.description, read_pairs({data_}).pairs);
  EXPECT_GT(scores.exact, 0.95);
  EXPECT_GT(scores.token_accuracy, 0.98);
  const std::vector<std::string> sentences{"two  FOUR", "one three one", "two four"};
  EXPECT_EQ(model.translator.translate(sentences),
            (std::vector<std::string>{"deux quatre", "un trois un", "deux quatre"}));
}

TEST_F(TrainTest, Cases_6_2_AWholeTrainingStopsAndGoesOn) {
  const TrainOptions unbroken = options("unbroken");
  train_quietly(unbroken);

  TrainOptions first = options("broken");
  first.epochs = 2;
  train_quietly(first);
  TrainOptions rest;
  rest.out = first.out;
  rest.resume = true;
  rest.epochs = 4;
  const std::string report = train_quietly(rest);
  EXPECT_NE(report.find("going on after epoch 2"), std::string::npos) << report;

  EXPECT_EQ(timeless_state_of(unbroken.out), timeless_state_of(rest.out));
  EXPECT_EQ(timeless_metrics_of(unbroken.out), timeless_metrics_of(rest.out));
  EXPECT_EQ(read_file(ModelFiles(unbroken.out).model), read_file(ModelFiles(rest.out).model));
}

TEST_F(TrainTest, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  TrainOptions one = options("one"), three = options("three"), other = options("other");
  one.epochs = three.epochs = other.epochs = 2;
  three.threads = 3;
  other.seed = 2;
  train_quietly(one);
  train_quietly(three);
  train_quietly(other);
  EXPECT_EQ(timeless_state_of(one.out), timeless_state_of(three.out));
  EXPECT_NE(timeless_state_of(one.out), timeless_state_of(other.out));
}

TEST_F(TrainTest, KeepsTheWeightsWithTheLowestValidationLoss) {
  TrainOptions o = options("model");
  o.epochs = 6;
  o.lr = 8;  // far too high: the loss goes up and down
  train_quietly(o);
  double lowest = 1e9;
  for (const auto& epoch : metrics_of(o.out))
    lowest = std::min(lowest, epoch["valid_loss"].get<double>());
  const TrainedModel model(o.out);
  const Pairs valid = choose_data(o).valid;
  EXPECT_NEAR(evaluate(model.network, model.description, valid).loss, lowest, 1e-6);
}

TEST_F(TrainTest, TheCooldownEndsTheLearningRate) {
  TrainOptions o = options("model");
  o.cooldown = 0.5;
  train_quietly(o);
  const auto epochs = metrics_of(o.out);
  const auto last = epochs.back()["step"].get<std::int64_t>();
  const nn::NoamSchedule noam{o.d_model, o.warmup, o.lr};
  EXPECT_NEAR(epochs[1]["lr"].get<double>(), noam(last / 2), 1e-12);  // before it begins
  EXPECT_NEAR(epochs[3]["lr"].get<double>(), noam(last) / (0.5 * static_cast<double>(last)), 1e-12);
}

TEST_F(TrainTest, Cases_6_3_GradientsThatAreNeverFiniteEndTheTraining) {
  TrainOptions diverging = options("model");
  diverging.batch = 2;
  diverging.lr = 1e30;  // after one step nothing is finite any more but the weights
  diverging.warmup = 1;
  EXPECT_THROW_TEXT(train_quietly(diverging), ValueError,
                    "train: the last 20 gradients were not finite; a smaller --lr may help");
}

TEST_F(TrainTest, RefusesToOverwriteAModel) {
  TrainOptions o = options("model");
  o.epochs = 1;
  train_quietly(o);
  EXPECT_THROW_TEXT(train(o), IoError,
                    "train: " + o.out.string() +
                        " holds a model already; choose another --out, go on "
                        "with it by --resume, or give --overwrite");
  o.overwrite = true;
  train_quietly(o);
  EXPECT_EQ(metrics_of(o.out).size(), 1U);
}

TEST_F(TrainTest, NoticesThatTheDataHaveChanged) {
  TrainOptions o = options("model");
  o.epochs = 1;
  train_quietly(o);
  TrainOptions rest;
  rest.out = o.out;
  rest.resume = true;
  rest.epochs = 2;
  const std::string before = read_file(ModelFiles(o.out).state);

  std::ofstream(data_, std::ios::app) << "five five\tcinq cinq\n";
  EXPECT_THROW_TEXT(train_quietly(rest), IoError,
                    "train: the data have changed since the training in " + o.out.string() +
                        " began: their words are not those of its vocabularies");
  EXPECT_EQ(read_file(ModelFiles(o.out).state), before);
}

TEST_F(TrainTest, BadDataWriteNothing) {
  TrainOptions o = options("model");
  o.data = {folder_.path() / "missing.tsv"};
  EXPECT_THROW(train_quietly(o), IoError);
  o.data = {data_};
  std::ofstream(folder_.path() / "bad.tsv") << "no tab here\n";
  o.valid = {folder_.path() / "bad.tsv"};
  EXPECT_THROW(train_quietly(o), IoError);
  EXPECT_FALSE(std::filesystem::exists(o.out));
}

TEST_F(TrainTest, ADirectoryWithoutWeightsSaysHowToGoOn) {
  TrainOptions o = options("model");
  o.epochs = 1;
  train_quietly(o);
  std::filesystem::remove(ModelFiles(o.out).model);
  EXPECT_THROW_TEXT(TrainedModel{o.out}, IoError,
                    o.out.string() +
                        " holds no trained model yet; go on with translate train --resume " +
                        o.out.string());
}

}  // namespace
}  // namespace lectern::translate
