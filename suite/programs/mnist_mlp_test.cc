// Runs the five programs of [G] as a user does: mnist-mlp and the four that differ in their
// network.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

struct Case {
  const char* program;
  const char* name;
  const char* sizes;  // how the output of --describe begins
  bool classifies;
};

class MnistPrograms : public ProgramTest, public testing::WithParamInterface<Case> {
 public:
  static void SetUpTestSuite() { make_data(MAKE_DIGITS, "--train 96 --test 32"); }

 protected:
  static Outcome train(const std::string& arguments) {
    return train_with(GetParam().program, "--batch 32 --optimizer-state " + arguments);
  }
};

TEST_P(MnistPrograms, DescribesItsDefaults) {
  const Outcome outcome = run(std::string(GetParam().program) + " --describe");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with(GetParam().sizes)) << outcome.text;
}

TEST_P(MnistPrograms, PrintsALinePerEpoch) {
  const Outcome outcome = train("--epochs 1");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const std::string line = epochs_of(outcome.text);
  EXPECT_TRUE(line.starts_with("epoch 1  loss ")) << outcome.text;
  EXPECT_EQ(line.find("val_accuracy") != std::string::npos, GetParam().classifies) << line;
}

TEST_P(MnistPrograms, AResumedRunEqualsAnUninterruptedOne) {
  const std::string run_dir = (folder() / GetParam().name).string();
  const Outcome whole = train("--epochs 2");
  const Outcome first = train("--epochs 1 --checkpoint-every 1 --run-dir " + run_dir);
  const Outcome second = train("--epochs 2 --resume " + run_dir + "/checkpoint-1.pt");
  EXPECT_EQ(second.status, 0) << second.text;
  EXPECT_EQ(epochs_of(first.text) + epochs_of(second.text), epochs_of(whole.text));
}

INSTANTIATE_TEST_SUITE_P(
    OfG, MnistPrograms,
    testing::Values(
        Case{
            MNIST_MLP, "mlp",
            R"({"name":"mnist-mlp","parameters":269322,"batch":128,"epochs":20,"optimizer":"Adam")",
            true},
        Case{
            MNIST_CNN3, "cnn3",
            R"({"name":"mnist-cnn3","parameters":80266,"batch":128,"epochs":10,"optimizer":"Adam")",
            true},
        Case{MNIST_RNN, "rnn",
             R"({"name":"mnist-rnn","parameters":75530,"batch":128,"epochs":20,"optimizer":"SGD")",
             true},
        Case{
            MNIST_LSTM, "lstm",
            R"({"name":"mnist-lstm","parameters":294410,"batch":128,"epochs":20,"optimizer":"SGD")",
            true},
        Case{MNIST_AUTOENCODER, "autoencoder",
             R"({"name":"mnist-autoencoder","parameters":178001,"batch":32,"epochs":30,)"
             R"("optimizer":"Adam")",
             false}),
    [](const auto& program) { return std::string(program.param.name); });

/// Returns the best accuracy, which the last line prints.
double best_accuracy(const std::string& text) {
  const size_t at = text.rfind("val_accuracy ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + 13));
}

/// Checks the accuracies that suite/docs/workloads.md states for the full set of digits. It takes
/// minutes and runs only with LAPCAST_LONG_TESTS=1.
TEST(MnistProgramsLong, ReachTheStatedAccuracy) {
  if (!std::getenv("LAPCAST_LONG_TESTS")) GTEST_SKIP() << "long: set LAPCAST_LONG_TESTS=1";
  const fs::path folder = fs::temp_directory_path() / ("mnist_long." + std::to_string(getpid()));
  ASSERT_EQ(run(std::string(MAKE_DIGITS) + " --out " + folder.string()).status, 0);
  const auto accuracy = [&](const std::string& program, const std::string& epochs) {
    return best_accuracy(
        run(program + " --threads 1 --data " + folder.string() + " --epochs " + epochs).text);
  };
  EXPECT_GT(accuracy(MNIST_MLP, "20"), 0.95);
  EXPECT_GT(accuracy(MNIST_CNN3, "3"), 0.97);
  EXPECT_GT(accuracy(MNIST_RNN, "7"), 0.91);
  fs::remove_all(folder);
}

TEST(WriteStep, IsRefusedInOneLineWhereItCannotBeWritten) {
  const fs::path folder = fs::temp_directory_path() / ("write_step." + std::to_string(getpid()));
  ASSERT_EQ(run(std::string(MAKE_DIGITS) + " --train 8 --test 8 --out " + folder.string()).status,
            0);
  const std::string command = std::string(MNIST_MLP) + " --threads 1 --batch 8 --data " +
                              folder.string() + " --write-step ";
  EXPECT_EQ(run(command + (folder / "step.pt").string()).status, 0);
  EXPECT_TRUE(fs::exists(folder / "step.pt"));
  expect_refusal(run(command + "/nonexistent/step.pt"), 1,
                 "/nonexistent/step.pt: cannot be written");
  fs::remove_all(folder);
}

}  // namespace
