// The programs make-digits and mnist-cnn, from outside.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::string text;  // what it printed, errors too
};

Outcome run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome{-1, ""};
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// The epochs' lines without their seconds.
std::string epochs_of(const std::string& text) {
  std::string lines;
  const std::regex line("(epoch [^\n]*)  [0-9.]+ s\n");
  for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i) {
    lines += i->str(1) + "\n";
  }
  return lines;
}

class MnistCnnProgram : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("mnist_cnn_test." + std::to_string(getpid()));
    ASSERT_EQ(run(std::string(MAKE_DIGITS) + " --train 400 --test 100 --gzip --out " +
                  (folder() / "digits").string())
                  .status,
              0);
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }

  static fs::path& folder() {
    static fs::path folder;
    return folder;
  }

  static Outcome train(const std::string& arguments) {
    return run(std::string(MNIST_CNN) + " --threads 1 --data " + (folder() / "digits").string() +
               " " + arguments);
  }
};

TEST_F(MnistCnnProgram, PrintsALinePerEpoch) {
  const Outcome outcome = train("--epochs 2 --batch 64");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(
      outcome.text.starts_with("mnist-cnn (carneiro): 400 + 100 images, batch 64, 2 epochs"))
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
  EXPECT_EQ(
      run("LAPCAST_LOG_DIR=" + log.string() + " " + MNIST_CNN + " --data " +
          (folder() / "digits").string() + " --threads 1 --epochs 1 --batch 150 --val-samples 90")
          .status,
      0);
  ASSERT_NE(fs::directory_iterator(log), fs::directory_iterator());
  std::ifstream in(fs::directory_iterator(log)->path());
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::regex laps(
      "stage-begin data-load\n.* stage-end data-load\n.* stage-begin pre-process\n.* stage-end "
      "pre-process\n.* stage-begin compile\n.* stage-end compile\n.* plan epochs=1 "
      ".*iterations=3 batch=150 train=400 validation=90 requests=1\n.* stage-begin train\n.* epoch-begin 1\n"
      ".* i 150\n.* i 150\n.* i 100\n.* epoch-end 1\n.* validation-begin\n.* validation-end 90\n"
      ".* metric loss .*\n.* metric accuracy .*\n.* metric val_loss .*\n.* metric val_accuracy");
  EXPECT_TRUE(std::regex_search(text, laps)) << text;
}

TEST_F(MnistCnnProgram, RefusesInOneLine) {
  const auto one_line = [](const Outcome& outcome, int status, const std::string& part) {
    EXPECT_EQ(outcome.status, status) << outcome.text;
    EXPECT_NE(outcome.text.find(part), std::string::npos) << outcome.text;
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
  };
  one_line(run(std::string(MNIST_CNN) + " --data /nonexistent"), 1,
           "/nonexistent/train-images-idx3-ubyte: No such file or directory");
  one_line(train("--resume " + (folder() / "digits/t10k-labels-idx1-ubyte.gz").string()), 1,
           "damaged, or not a checkpoint");
  EXPECT_EQ(train("--batch 0").status, 2);
  EXPECT_EQ(train("--checkpoint-every 1 --run-dir ''").status, 2);
  if (!fs::exists("/dev/nvidia0")) one_line(train("--device cuda"), 2, "--device cuda: ");
  EXPECT_EQ(run(std::string(MNIST_CNN) + " --help").status, 0);
}

}  // namespace
