// Runs the programs make-reviews and rnn-sa as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class RnnSaProgram : public ProgramTest {
 public:
  static void SetUpTestSuite() { make_data(MAKE_REVIEWS, "--train 40 --test 14"); }

 protected:
  static Outcome train(const std::string& arguments) { return train_with(RNN_SA, arguments); }
};

TEST_F(RnnSaProgram, TrainsAsTheThesisDoes) {
  EXPECT_TRUE(
      run(std::string(RNN_SA) + " --describe")
          .text.starts_with(
              R"({"name":"rnn-sa","parameters":2716482,"batch":1024,"epochs":5,"optimizer":"Adam")"));
  const Outcome outcome = train("--epochs 1 --evaluate");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("rnn-sa: 40 + 10 samples, batch 1024, 1 epochs"))
      << outcome.text;
  EXPECT_TRUE(std::regex_search(outcome.text, std::regex("\ntest_loss 0\\.[0-9]{4}  test_accuracy "
                                                         "[01]\\.[0-9]{4}\ndone after epoch 1")))
      << outcome.text;
}

TEST_F(RnnSaProgram, AResumedRunEqualsAnUninterruptedOne) {
  const std::string run_dir = (folder() / "run").string();
  const Outcome whole =
      train("--epochs 2 --batch 20 --optimizer-state --checkpoint-every 1 --run-dir " + run_dir);
  const Outcome rest = train("--epochs 2 --batch 20 --resume " + run_dir + "/checkpoint-1.pt");
  EXPECT_EQ(rest.status, 0) << rest.text;
  const std::string lines = epochs_of(whole.text);
  EXPECT_EQ(epochs_of(rest.text), lines.substr(lines.find("epoch 2"))) << whole.text;
}

TEST_F(RnnSaProgram, ReportsItsLaps) {
  const fs::path log = folder() / "log";
  fs::create_directories(log);
  const Outcome outcome =
      run("LAPCAST_LOG_DIR=" + log.string() + " " + RNN_SA + " --threads 1 --epochs 1 --data " +
          data() + " --pool --batch 30 --samples 35 --val-samples 5 --evaluate");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const std::regex laps(
      "stage-begin data-load\n.* stage-end data-load\n.* stage-begin pre-process\n.* stage-end "
      "pre-process\n.* metric memory_before_network .*\n.* stage-begin compile\n.* stage-end "
      "compile\n.* plan epochs=1 "
      ".*iterations=2 batch=30 train=35 validation=5.*\n.* stage-begin train\n"
      ".* epoch-begin 1\n.* i 30\n.* i 5\n.* epoch-end 1\n[^]*stage-begin evaluate\n"
      ".* stage-end evaluate\n.* metric test_loss .*\n.* metric test_accuracy ");
  EXPECT_TRUE(std::regex_search(lap_log_in(log), laps)) << lap_log_in(log);
}

TEST_F(RnnSaProgram, RefusesInOneLine) {
  const std::string program = std::string(RNN_SA) + " --data ";
  const fs::path bad = folder() / "bad";
  fs::copy(folder() / "data", bad, fs::copy_options::recursive);
  std::ofstream(bad / "train" / "pos" / "99_9.txt") << "\xff\xfe";
  expect_refusal(run(program + bad.string()), 1, "99_9.txt: byte 0: the review is not UTF-8");
  fs::remove_all(bad / "test" / "neg");
  expect_refusal(run(program + bad.string()), 1, "/test/neg: No such file or directory");
  expect_refusal(run(program + "/nonexistent"), 1, "/nonexistent: No such file or directory");
  expect_refusal(run(std::string(MAKE_REVIEWS) + " --out " + data()), 1, "has files already");
}

}  // namespace
