// The program as its user meets it: what it prints, where, and with which exit status.

#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tensor/atomic_file.h"
#include "tests/examples/translate/small_training.h"
#include "tests/support/temporary_folder.h"

namespace lectern::translate {
namespace {

struct Outcome {
  int status;
  std::string output;  ///< standard output
  std::string error;
};

class ProgramTest : public testing::Test {
 protected:
  /// Runs `translate arguments`, which the shell sees as they are.
  Outcome translate(const std::string& arguments) const {
    const auto out = folder_.path() / "stdout", err = folder_.path() / "stderr";
    const std::string command = std::string(LECTERN_TRANSLATE_PROGRAM) + " " + arguments + " >" +
                                out.string() + " 2>" + err.string();
    const int status = std::system(command.c_str());
    const auto content = [](const std::filesystem::path& file) {
      std::ifstream in(file);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    return {WEXITSTATUS(status), content(out), content(err)};
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  void train_small_model() const {
    write_number_pairs(folder_.path() / "numbers.tsv");
    const Outcome trained = translate(
        "train --data " + path("numbers.tsv") + " --out " + path("model") +
        " --d-model 16 --heads 2 --layers 1 --ff 32 --batch 16 --warmup 40 --epochs 2 --threads 1");
    ASSERT_EQ(trained.status, 0) << trained.error;
  }

  TemporaryFolder folder_;
};

TEST_F(ProgramTest, RefusesImpossibleOptions) {
  const Outcome outcome = translate("train --out x --threads 0");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error,
            "translate train: --threads: is 0; it must be a whole number from 1 to 1024\n"
            "translate train --help explains the options\n");
}

TEST_F(ProgramTest, BadFilesGiveOneMessageAndNoModel) {
  const auto error_of_training_on = [&](const std::string& bytes) {
    std::ofstream(path("data.tsv"), std::ios::binary) << bytes;
    const Outcome outcome =
        translate("train --data " + path("data.tsv") + " --out " + path("model"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.output, "");
    EXPECT_FALSE(std::filesystem::exists(path("model")));
    return outcome.error;
  };
  const std::string file = path("data.tsv");
  EXPECT_EQ(error_of_training_on(""), "translate: read_tsv: file is empty: " + file + "\n");
  EXPECT_EQ(
      error_of_training_on("a\tb\nc d\n"),
      "translate: read_tsv: " + file + " line 2: no tab; a line must be source, tab, target\n");
  EXPECT_EQ(error_of_training_on("a\tb\nc\t\xFF\n"),
            "translate: read_tsv: " + file +
                " line 2: invalid UTF-8 at byte 3; save the file as UTF-8\n");
  const Outcome missing = translate("train --data nowhere.tsv --out " + path("model"));
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.error, "translate: read_tsv: file not found: nowhere.tsv\n");
}

TEST_F(ProgramTest, LeavesOutPairsTheModelCanNotTakeWhereverTheyFall) {
  write_number_pairs(folder_.path() / "data.tsv");
  std::string words;
  for (int i = 0; i < 600; ++i) words += "one ";
  {
    std::ofstream data(path("data.tsv"), std::ios::app);
    for (int i = 0; i < 400; ++i) data << i << ' ' << words << "\tun\n";
  }
  const std::string small =
      " --d-model 16 --heads 2 --layers 1 --ff 32 --epochs 1 --threads 1 --max-words 1000 --out ";
  const Outcome trained = translate("train --data " + path("data.tsv") + small + path("model"));
  EXPECT_EQ(trained.status, 0) << trained.error;
  for (const auto* part : {"training pairs left out: a side has no word, or more than 511",
                           "held-out pairs left out: a side has no word, or more than 511"}) {
    EXPECT_NE(trained.output.find(part), std::string::npos) << trained.output;
  }
}

TEST_F(ProgramTest, LooksAtAllPairsBeforeItTrains) {
  write_number_pairs(folder_.path() / "data.tsv");
  write_file_atomically(path("other.tsv"), "one\tun\ntwo\t\u200B\u00AD\n");
  for (const auto* purpose : {"valid", "test"}) {
    const Outcome outcome = translate("train --data " + path("data.tsv") + " --" + purpose + " " +
                                      path("other.tsv") + " --out " + path("model"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.error.find(" pairs: line 2: the sentence has no word\n"), std::string::npos)
        << outcome.error;
    EXPECT_FALSE(std::filesystem::exists(path("model")));
  }
}

TEST_F(ProgramTest, AnOutputDirectoryThatIsAFile) {
  write_file_atomically(path("file"), "kept");
  const Outcome outcome = translate("train --out " + path("file"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.error, "translate: train: " + path("file") +
                               " is a file; --out must be a directory, or a new name\n");
  EXPECT_EQ(read_file(path("file")), "kept");
}

TEST_F(ProgramTest, AnOutputDirectoryBelowAFile) {
  write_file_atomically(path("file"), "kept");
  write_number_pairs(folder_.path() / "data.tsv");
  const Outcome outcome =
      translate("train --data " + path("data.tsv") + " --out " + path("file/model"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.error, "translate: train: cannot make the directory " + path("file/model") +
                               ": Not a directory\n");
}

TEST_F(ProgramTest, AMinimumFrequencyThatLeavesNoWord) {
  write_file_atomically(path("pairs.tsv"), "one\tun\ntwo\tdeux\n");
  const Outcome outcome =
      translate("train --min-freq 9 --data " + path("pairs.tsv") + " --out " + path("model"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.error,
            "translate: train: no word of the source occurs 9 times; a smaller --min-freq is "
            "needed\n");
  EXPECT_FALSE(std::filesystem::exists(path("model")));
}

TEST_F(ProgramTest, SaysWhenItsOutputIsLost) {
  train_small_model();
  const std::string command = std::string(LECTERN_TRANSLATE_PROGRAM) + " run --model " +
                              path("model") + " one >/dev/full 2>" + path("stderr");
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(read_file(path("stderr")), "translate: not all of the output could be written\n");
}

TEST_F(ProgramTest, Cases_7_3_DiskFullWhileTraining) {
  train_small_model();
  const std::string old = read_file(path("model/state.safetensors"));
  const std::string command =
      "ulimit -f 8; trap '' XFSZ; " +  // then writing fails as on a full disk
      std::string(LECTERN_TRANSLATE_PROGRAM) + " train --resume " + path("model") +
      " --epochs 3 2>" + path("stderr") + " >" + path("stdout");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_NE(read_file(path("stderr")).find("File too large"), std::string::npos)
      << read_file(path("stderr"));
  EXPECT_EQ(read_file(path("model/state.safetensors")), old);
  const Outcome later = translate("train --resume " + path("model") + " --epochs 3");
  EXPECT_EQ(later.status, 0) << later.error;
  EXPECT_NE(read_file(path("model/state.safetensors")), old);
}

TEST_F(ProgramTest, AModelDirectoryThatIsNone) {
  const Outcome outcome = translate("run --model " + path("") + " Hi!");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error, "translate: " + path("") +
                               " is not a model directory: it has no config.json; translate train "
                               "--out makes one\n");
}

TEST_F(ProgramTest, TranslatesArgumentsAndLines) {
  train_small_model();
  const std::string model = "--model " + path("model");
  const Outcome arguments = translate("run " + model + " 'one two' 'three four one'");
  EXPECT_EQ(arguments.status, 0) << arguments.error;
  EXPECT_EQ(std::count(arguments.output.begin(), arguments.output.end(), '\n'), 2);

  std::ofstream(path("in")) << "one two\r\n\nthree four one\none two";
  const Outcome lines = translate("run " + model + " <" + path("in"));
  EXPECT_EQ(lines.status, 0) << lines.error;
  const std::string first = arguments.output.substr(0, arguments.output.find('\n') + 1);
  const std::string second = arguments.output.substr(first.size());
  EXPECT_EQ(lines.output, first + "\n" + second + first);
  EXPECT_EQ(translate("run " + model + " --interactive <" + path("in")).output, lines.output);

  std::ofstream(path("long")) << "one two\n";
  std::ofstream long_line(path("long"), std::ios::app);
  for (int i = 0; i < 512; ++i) long_line << "one ";
  long_line.close();
  const Outcome too_long = translate("run " + model + " <" + path("long"));
  EXPECT_EQ(too_long.status, 1);
  EXPECT_EQ(too_long.output, first);
  EXPECT_EQ(too_long.error,
            "translate: run: line 2: the sentence has 512 words; the model takes at most 511\n");
  EXPECT_EQ(translate("run " + model + " ''").error, "translate: the sentence has no word\n");

  const Outcome unreadable = translate("run " + model + " <" + folder_.path().string());
  EXPECT_EQ(unreadable.status, 1);
  EXPECT_EQ(unreadable.error, "translate: run: cannot read the sentences\n");
}

TEST_F(ProgramTest, PrintsTheGrammarAsTsv) {
  const Outcome outcome = translate("corpus --pairs 5 --split test");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 5);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\t'), 5);
  EXPECT_EQ(translate("corpus --pairs 5 --split test").output, outcome.output);
  EXPECT_NE(translate("corpus --pairs 5 --split test --seed 2").output, outcome.output);
}

TEST_F(ProgramTest, ScoresAndShows) {
  train_small_model();
  const std::string model = "--model " + path("model");
  const Outcome scored =
      translate("eval " + model + " --data " + path("numbers.tsv") + " --output " + path("hyp"));
  EXPECT_EQ(scored.status, 0) << scored.error;
  for (const auto* part :
       {"nats/token", "perplexity", "token accuracy", "exact match", "BLEU|nrefs:1"}) {
    EXPECT_NE(scored.output.find(part), std::string::npos) << scored.output;
  }
  const std::string translations = read_file(path("hyp"));
  EXPECT_EQ(std::count(translations.begin(), translations.end(), '\n'), 80);

  const Outcome grammar = translate("eval " + model + " --max-pairs 20 --split compositions");
  EXPECT_EQ(grammar.status, 0) << grammar.error;
  EXPECT_NE(grammar.output.find("phenomenon"), std::string::npos) << grammar.output;

  const Outcome shown = translate("show " + model + " 'one two'");
  EXPECT_EQ(shown.status, 0) << shown.error;
  for (const auto* part :
       {"encoder layer 1", "decoder layer 1", "head 2", "1 one  2 two  3 <eos>"}) {
    EXPECT_NE(shown.output.find(part), std::string::npos) << shown.output;
  }
}

}  // namespace
}  // namespace lectern::translate
