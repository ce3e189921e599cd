// Runs the programs make-digits and mnist-cnn as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class MnistCnnProgram : public ProgramTest {
 public:
  static void SetUpTestSuite() { make_data(MAKE_DIGITS, "--train 400 --test 100"); }

 protected:
  static Outcome train(const std::string& arguments) { return train_with(MNIST_CNN, arguments); }
};

TEST_F(MnistCnnProgram, PrintsALinePerEpoch) {
  const Outcome outcome = train("--epochs 2 --batch 64");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("mnist-cnn: 400 + 100 samples, batch 64, 2 epochs"))
      << outcome.text;
  EXPECT_NE(epochs_of(outcome.text).find("\nepoch 2  loss "), std::string::npos) << outcome.text;
}

TEST_F(MnistCnnProgram, AResumedRunEqualsAnUninterruptedOne) {
  const std::string settings = "--setting malta --batch 64 --optimizer-state ";
  const std::string run_dir = (folder() / "run").string();
  const Outcome whole = train(settings + "--epochs 2");
  const Outcome first = train(settings + "--epochs 1 --checkpoint-every 1 --run-dir " + run_dir);
  const Outcome second = train(settings + "--epochs 2 --resume " + run_dir + "/checkpoint-1.pt");
  EXPECT_EQ(second.status, 0) << second.text;
  EXPECT_EQ(epochs_of(first.text) + epochs_of(second.text), epochs_of(whole.text));
}

TEST_F(MnistCnnProgram, ReportsItsLaps) {
  const fs::path log = folder() / "log";
  fs::create_directories(log);
  EXPECT_EQ(run("LAPCAST_LOG_DIR=" + log.string() + " " + MNIST_CNN + " --data " + data() +
                " --threads 1 --epochs 1 --batch 150 --val-samples 90")
                .status,
            0);
  const std::string text = lap_log_in(log);
  const std::regex laps(
      "stage-begin data-load\n.* stage-end data-load\n.* stage-begin pre-process\n.* stage-end "
      "pre-process\n.* metric memory_before_network .*\n.* stage-begin compile\n.* stage-end "
      "compile\n.* plan epochs=1 "
      ".*iterations=3 batch=150 train=400 validation=90 requests=1\n.* stage-begin train\n.* "
      "epoch-begin 1\n"
      ".* i 150\n.* i 150\n.* i 100\n.* epoch-end 1\n.* validation-begin\n.* validation-end 90\n"
      ".* metric loss .*\n.* metric accuracy .*\n.* metric val_loss .*\n.* metric val_accuracy");
  EXPECT_TRUE(std::regex_search(text, laps)) << text;
}

TEST_F(MnistCnnProgram, DescribesItself) {
  EXPECT_EQ(run(std::string(MNIST_CNN) + " --describe").text,
            R"({"name":"mnist-cnn","parameters":1199882,"batch":128,"epochs":12,)"
            R"("optimizer":"Adadelta","layers":[)"
            R"({"name":"conv1","parameters":320,"outputs":21632,"multiply_adds":194688},)"
            R"({"name":"conv2","parameters":18496,"outputs":36864,"multiply_adds":10616832},)"
            R"({"name":"pool","parameters":0,"outputs":9216,"multiply_adds":0},)"
            R"({"name":"dropout1","parameters":0,"outputs":9216,"multiply_adds":0},)"
            R"({"name":"dense1","parameters":1179776,"outputs":128,"multiply_adds":1179648},)"
            R"({"name":"dropout2","parameters":0,"outputs":128,"multiply_adds":0},)"
            R"({"name":"dense2","parameters":1290,"outputs":10,"multiply_adds":1280}]})"
            "\n");
}

TEST_F(MnistCnnProgram, TrainsInBfloat16WhereTheCpuHasIt) {
  const Outcome outcome = train("--epochs 1 --batch 100 --dtype bf16");
  if (outcome.status == 2) {
    expect_refusal(outcome, 2, "this CPU has no instructions for bfloat16");
    GTEST_SKIP() << outcome.text;
  }
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find(", bf16\nepoch 1  loss 2."), std::string::npos) << outcome.text;
}

TEST_F(MnistCnnProgram, EvaluatesOnceMoreWhenAsked) {
  const fs::path log = folder() / "evaluate-log";
  fs::create_directories(log);
  const Outcome outcome = run("LAPCAST_LOG_DIR=" + log.string() + " " + MNIST_CNN + " --data " +
                              data() + " --threads 1 --steps 1 --evaluate");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const std::regex stages("stage-end train\n.* stage-begin evaluate\n.* stage-end evaluate\n");
  EXPECT_TRUE(std::regex_search(lap_log_in(log), stages)) << lap_log_in(log);
}

TEST_F(MnistCnnProgram, RefusesInOneLine) {
  expect_refusal(run(std::string(MNIST_CNN) + " --data /nonexistent"), 1,
                 "/nonexistent/train-images-idx3-ubyte: No such file or directory");
  expect_refusal(train("--resume " + (folder() / "data/t10k-labels-idx1-ubyte").string()), 1,
                 "damaged, or not a checkpoint");
  expect_refusal(run(MNIST_CNN), 2, "--data DIR is needed");
  expect_refusal(train("--gpus 2"), 2, "--gpus needs --device cuda");
  EXPECT_EQ(train("--batch 0").status, 2);
  EXPECT_EQ(train("--checkpoint-every 1 --run-dir ''").status, 2);
  if (!fs::exists("/dev/nvidia0")) expect_refusal(train("--device cuda"), 2, "--device cuda: ");
  EXPECT_EQ(run(std::string(MNIST_CNN) + " --help").status, 0);
}

}  // namespace
