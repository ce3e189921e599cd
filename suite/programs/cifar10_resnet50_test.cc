// Runs the programs make-cifar10 and cifar10-resnet50 as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class Cifar10Program : public ProgramTest {
 public:
  static void SetUpTestSuite() { make_data(MAKE_CIFAR10, "--train 20 --test 6"); }

 protected:
  static Outcome train(const std::string& arguments) {
    return train_with(CIFAR10_RESNET50, arguments);
  }
};

/// Checks that a checkpoint holds the running averages of the batch normalisation.
TEST_F(Cifar10Program, AResumedRunEqualsAnUninterruptedOne) {
  const std::string settings = "--batch 10 --epochs 2 --learning-rate 0.001 --optimizer-state ";
  const std::string run_dir = (folder() / "run").string();
  const Outcome whole = train(settings + "--checkpoint-every 1 --run-dir " + run_dir);
  EXPECT_TRUE(whole.text.starts_with("cifar10-resnet50: 20 + 6 samples, batch 10, 2 epochs"))
      << whole.text;
  const Outcome rest = train(settings + "--resume " + run_dir + "/checkpoint-1.pt");
  EXPECT_EQ(rest.status, 0) << rest.text;
  const std::string lines = epochs_of(whole.text);
  EXPECT_EQ(epochs_of(rest.text), lines.substr(lines.find("epoch 2"))) << whole.text;
}

TEST_F(Cifar10Program, TakesTheEpochsOfItsBatch) {
  const std::string text = run(std::string(CIFAR10_RESNET50) + " --describe --batch 512").text;
  EXPECT_NE(text.find(R"("parameters":23528522,"batch":512,"epochs":82,"optimizer":"SGD")"),
            std::string::npos)
      << text;
}

TEST_F(Cifar10Program, RefusesInOneLine) {
  const fs::path file = folder() / "bad" / "data_batch_2.bin";
  fs::copy(folder() / "data", folder() / "bad", fs::copy_options::recursive);
  fs::resize_file(file, 3 * 3073 + 1);
  expect_refusal(
      run(std::string(CIFAR10_RESNET50) + " --data " + (folder() / "bad").string()), 1,
      file.string() + ": byte 9220: the file ends within record 4, 3072 of 3073 bytes are missing");
  expect_refusal(run(std::string(MAKE_CIFAR10) + " --train 4 --out " + folder().string()), 1,
                 "4 images do not fit: the part has 5 to 50000");
}

}  // namespace
