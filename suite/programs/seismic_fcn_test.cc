// Runs the programs make-seismic and seismic-fcn as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class SeismicFcnProgram : public ProgramTest {
 public:
  static void SetUpTestSuite() { make_data(MAKE_SEISMIC, "--train 96 --test 20"); }

 protected:
  static Outcome train(const std::string& arguments) { return train_with(SEISMIC_FCN, arguments); }
};

TEST_F(SeismicFcnProgram, TrainsAsTheThesisDoes) {
  const Outcome outcome = train("--steps 1");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("seismic-fcn: 96 + 20 samples, batch 256, 1 steps"))
      << outcome.text;
}

TEST_F(SeismicFcnProgram, TakesTheEpochsOfItsBatch) {
  const auto epochs_for = [](const std::string& batch) {
    const std::string text = run(std::string(SEISMIC_FCN) + " --describe --batch " + batch).text;
    const size_t at = text.find(R"("epochs":)");
    return at == std::string::npos ? text : text.substr(at + 9, 2);
  };
  EXPECT_EQ(epochs_for("256"), "13");
  EXPECT_EQ(epochs_for("512"), "14");
  EXPECT_EQ(epochs_for("1024"), "14");
  EXPECT_EQ(epochs_for("2048"), "16");
}

/// Checks that the learning rate follows from the epoch's number, so a resumed run has the same
/// one.
TEST_F(SeismicFcnProgram, AResumedRunEqualsAnUninterruptedOne) {
  const std::string settings = "--batch 32 --epochs 3 --optimizer-state ";
  const std::string run_dir = (folder() / "run").string();
  const Outcome whole = train(settings + "--checkpoint-every 1 --run-dir " + run_dir);
  const Outcome rest = train(settings + "--resume " + run_dir + "/checkpoint-1.pt");
  EXPECT_EQ(rest.status, 0) << rest.text;
  const std::string lines = epochs_of(whole.text);
  EXPECT_EQ(epochs_of(rest.text), lines.substr(lines.find("epoch 2"))) << whole.text;
}

/// Trains at a rate at which nothing is learned, so the accuracy cannot rise after the first epoch.
TEST_F(SeismicFcnProgram, StopsEarlyAfterFiveEpochsWithoutABetterOne) {
  const std::string lazy = "--samples 8 --val-samples 8 --batch 8 --learning-rate 1e-9 --epochs 9 ";
  const Outcome outcome = train(lazy);
  EXPECT_NE(outcome.text.find("stopped early after epoch 6"), std::string::npos) << outcome.text;
  EXPECT_NE(train(lazy + "--patience 0").text.find("done after epoch 9"), std::string::npos);
}

TEST_F(SeismicFcnProgram, RefusesInOneLine) {
  const fs::path labels = folder() / "bad" / "train-labels-idx1-ubyte";
  fs::copy(folder() / "data", folder() / "bad", fs::copy_options::recursive);
  fs::resize_file(labels, 50);
  expect_refusal(run(std::string(SEISMIC_FCN) + " --data " + (folder() / "bad").string()), 1,
                 labels.string() + ": byte 50: the file ends, 54 of 96 bytes are missing");
  expect_refusal(run(std::string(SEISMIC_FCN) + " --data /nonexistent"), 1,
                 "/nonexistent/train-images-idx3-ubyte: No such file or directory");
  EXPECT_EQ(run(std::string(MAKE_SEISMIC) + " --help").status, 0);
  expect_refusal(run(MAKE_SEISMIC), 2, "--out DIR is needed");
}

}  // namespace
