// Runs the programs make-io-observations and nn-twins as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class NnTwinsProgram : public ProgramTest {
 public:
  static void SetUpTestSuite() { make_data(MAKE_IO_OBSERVATIONS, "--train 640 --test 100"); }

 protected:
  static Outcome train(const std::string& arguments) { return train_with(NN_TWINS, arguments); }
};

TEST_F(NnTwinsProgram, TrainsAsTheThesisDoes) {
  const Outcome outcome = train("");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("nn-twins: 640 + 100 samples, batch 32, 50 epochs"))
      << outcome.text;
  EXPECT_TRUE(std::regex_search(outcome.text,
                                std::regex("\ndone after epoch 50, best val_accuracy (0.9|1.0)")))
      << outcome.text;
}

TEST_F(NnTwinsProgram, TakesOneThreadUnlessItIsToldOtherwise) {
  const std::string program = std::string(NN_TWINS) + " --steps 1 --data " + data();
  EXPECT_NE(run(program).text.find(", 1 threads, "), std::string::npos);
  EXPECT_NE(run(program + " --threads 2").text.find(", 2 threads, "), std::string::npos);
}

TEST_F(NnTwinsProgram, AResumedRunEqualsAnUninterruptedOne) {
  const std::string run_dir = (folder() / "run").string();
  const Outcome whole =
      train("--epochs 3 --optimizer-state --checkpoint-every 1 --run-dir " + run_dir);
  const Outcome rest = train("--epochs 3 --resume " + run_dir + "/checkpoint-1.pt");
  EXPECT_EQ(rest.status, 0) << rest.text;
  const std::string lines = epochs_of(whole.text);
  EXPECT_EQ(epochs_of(rest.text), lines.substr(lines.find("epoch 2"))) << whole.text;
}

TEST_F(NnTwinsProgram, ReportsItsLaps) {
  const fs::path log = folder() / "log";
  fs::create_directories(log);
  const Outcome outcome =
      run("LAPCAST_LOG_DIR=" + log.string() + " " + NN_TWINS + " --threads 1 --epochs 1 --data " +
          data() + " --batch 300 --evaluate");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const std::regex laps(
      "stage-begin data-load\n.* stage-end data-load\n.* stage-begin pre-process\n.* stage-end "
      "pre-process\n.* metric memory_before_network .*\n.* stage-begin compile\n.* stage-end "
      "compile\n.* plan epochs=1 "
      ".*iterations=3 batch=300 train=640 validation=100.*\n.* stage-begin train\n"
      ".* epoch-begin 1\n.* i 300\n.* i 300\n.* i 40\n.* epoch-end 1\n");
  EXPECT_TRUE(std::regex_search(lap_log_in(log), laps)) << lap_log_in(log);
}

/// Checks that a single file is split 70 : 30.
TEST_F(NnTwinsProgram, TakesAFolderOfOneFile) {
  fs::create_directories(folder() / "one");
  fs::copy(folder() / "data" / "training.csv", folder() / "one" / "observations.csv");
  const Outcome outcome =
      run(std::string(NN_TWINS) + " --threads 1 --epochs 1 --data " + (folder() / "one").string());
  EXPECT_TRUE(outcome.text.starts_with("nn-twins: 448 + 192 samples")) << outcome.text;
}

TEST_F(NnTwinsProgram, HasThreeLayersOnRequest) {
  EXPECT_TRUE(run(std::string(NN_TWINS) + " --describe --layers 3")
                  .text.starts_with(R"({"name":"nn-twins","parameters":78,)"));
  const Outcome outcome = train("--layers 3 --epochs 3");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(train("--layers 4").status, 2);
}

/// Five features against the pattern, the three patterns and the five features; a feature's own
/// correlation is 1.
TEST_F(NnTwinsProgram, PrintsRankCorrelations) {
  const Outcome outcome = train("--correlations");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(outcome.text.starts_with(
      "Spearman's rank correlation, 640 observations\n"
      "                      pattern  file-per-process  shared-contiguous  shared-strided"
      "  min_request_size"))
      << outcome.text;
  const std::regex own(R"(\nmin_request_size +-?0\.[0-9]{3}( +-?0\.[0-9]{3}){3} +1\.000 )");
  EXPECT_TRUE(std::regex_search(outcome.text, own)) << outcome.text;
}

TEST_F(NnTwinsProgram, RefusesInOneLine) {
  const fs::path file = folder() / "bad" / "test.csv";
  fs::copy(folder() / "data", folder() / "bad", fs::copy_options::recursive);
  std::ofstream(file, std::ios::app) << "1,2,3,4,5,sequential\n";
  expect_refusal(run(std::string(NN_TWINS) + " --data " + (folder() / "bad").string()), 1,
                 "line 102: pattern 'sequential', expected file-per-process");
  expect_refusal(run(std::string(NN_TWINS) + " --data /nonexistent"), 1,
                 "/nonexistent/training.csv: No such file or directory");
}

}  // namespace
