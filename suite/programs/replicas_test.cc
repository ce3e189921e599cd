// Runs nn-twins, which has neither dropout nor batch normalisation, on several replicas as a user
// does, and compares it with one process.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class ReplicasProgram : public ProgramTest {
 public:
  static void SetUpTestSuite() { make_data(MAKE_IO_OBSERVATIONS, "--train 640 --test 100"); }

 protected:
  static std::string command(const std::string& arguments) {
    return std::string(NN_TWINS) + " --threads 1 --data " + data() + " " + arguments;
  }

  /// Runs the program with these arguments. Returns its lap logs by rank.
  static std::vector<std::string> logs_of(const std::string& arguments, int replicas) {
    const fs::path logs = folder() / "logs";
    fs::remove_all(logs);
    fs::create_directories(logs);
    const Outcome outcome = run("LAPCAST_LOG_DIR=" + logs.string() + " " + command(arguments));
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    std::vector<std::string> by_rank(static_cast<size_t>(replicas));
    for (const fs::directory_entry& entry : fs::directory_iterator(logs)) {
      std::ifstream in(entry.path());
      const std::string log{std::istreambuf_iterator<char>(in), {}};
      std::smatch rank;
      EXPECT_TRUE(std::regex_search(log, rank, std::regex(" rank=(\\d+) world=(\\d+)"))) << log;
      EXPECT_EQ(rank.str(2), std::to_string(replicas));
      by_rank.at(std::stoul(rank.str(1))) = log;
    }
    return by_rank;
  }

  /// Returns the values of a metric, in the order of a log.
  static std::vector<double> metrics_in(const std::string& log, const std::string& name) {
    std::vector<double> values;
    const std::regex line(" metric " + name + " (.*)\n");
    for (std::sregex_iterator i(log.begin(), log.end(), line), end; i != end; ++i) {
      values.push_back(std::stod(i->str(1)));
    }
    return values;
  }

  static int count_in(const std::string& log, const std::string& pattern) {
    const std::regex line(pattern);
    return static_cast<int>(
        std::distance(std::sregex_iterator(log.begin(), log.end(), line), std::sregex_iterator()));
  }

  /// Expects that replicas with `own` samples each have the losses of one process with the batch of
  /// all: after each epoch, on training and validation samples.
  static void expect_same_losses(const std::vector<std::string>& exchanges, int replicas, int own,
                                 const std::string& samples) {
    const auto settings = [&](int batch) {
      return "--epochs 3 --learning-rate 0.01 --batch " + std::to_string(batch) + " " + samples;
    };
    const std::string one = logs_of(settings(replicas * own), 1)[0];
    EXPECT_LT(metrics_in(one, "loss")[2], 0.9 * metrics_in(one, "loss")[0]);
    for (const std::string& exchange : exchanges) {
      const std::string several = settings(own) + " --exchange " + exchange + " --replicas ";
      for (const std::string& log : logs_of(several + std::to_string(replicas), replicas)) {
        expect_same(log, one);
      }
    }
  }

  static void expect_same(const std::string& log, const std::string& expected_log) {
    for (const std::string name : {"loss", "val_loss", "accuracy", "val_accuracy"}) {
      const std::vector<double> expected = metrics_in(expected_log, name);
      const std::vector<double> found = metrics_in(log, name);
      ASSERT_EQ(expected.size(), 3u) << expected_log;
      ASSERT_EQ(found.size(), 3u) << log;
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << name << i;
    }
  }
};

TEST_F(ReplicasProgram, LoseAsOneProcessWithTheBatchOfAll) {
  expect_same_losses({"allreduce", "server"}, 2, 16, "");
}

/// Checks a last batch with fewer samples than replicas: 64 = 21 x 3 + 1.
TEST_F(ReplicasProgram, GoThroughABatchOfWhichSomeHaveNoSample) {
  expect_same_losses({"allreduce"}, 3, 1, "--samples 64");
}

TEST_F(ReplicasProgram, ReportTheirOwnSamplesAndThePlanOfAll) {
  const auto logs = logs_of("--batch 100 --epochs 1 --replicas 2 --evaluate", 2);
  for (const std::string& log : logs) {
    EXPECT_EQ(count_in(log, " plan epochs=1 iterations=4 batch=200 train=640 validation=100 "), 1)
        << log;
    EXPECT_EQ(count_in(log, " i 100\n"), 3) << log;
    EXPECT_EQ(count_in(log, " i 20\n"), 1) << log;
    EXPECT_EQ(count_in(log, " validation-end 100\n"), 1) << log;
  }
  // Of the first lap the exchange is not counted, and the second one of the other replica may come
  // too late for a report.
  const std::vector<double> seconds = metrics_in(logs[0], "exchange_seconds");
  EXPECT_GE(seconds.size(), 2u);
  for (const double each : seconds) EXPECT_GT(each, 0);
  EXPECT_EQ(count_in(logs[0], " note "), 0) << logs[0];
  EXPECT_EQ(count_in(logs[1], "exchange"), 0) << logs[1];
}

/// Two replicas make 40 steps each; a gradient is late by the steps of the other one.
TEST_F(ReplicasProgram, CountHowStaleGradientsAre) {
  const auto logs = logs_of("--batch 16 --epochs 2 --replicas 2 --exchange server-async", 2);
  const std::regex note(
      " note exchanges took [0-9.e-]+ ms of each lap, staleness of 80 gradients: ([0-9.]+) steps "
      "on "
      "average, at most (\\d+)\n");
  std::smatch stale;
  ASSERT_TRUE(std::regex_search(logs[0], stale, note)) << logs[0];
  EXPECT_GT(std::stod(stale.str(1)), 0);
  // In each of two epochs, at whose ends all meet, the steps of one are at most 20.
  EXPECT_LE(std::stod(stale.str(1)), 20);
  EXPECT_LE(std::stoi(stale.str(2)), 20);
  EXPECT_NEAR(metrics_in(logs[0], "staleness").back(), std::stod(stale.str(1)), 0.5);
  const std::vector<double> losses = metrics_in(logs[0], "val_loss");
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_LT(losses[1], losses[0]);
  EXPECT_EQ(metrics_in(logs[1], "val_loss"), losses);
}

TEST_F(ReplicasProgram, TrainForThemselvesWithoutAnExchange) {
  const auto logs = logs_of("--batch 16 --epochs 2 --replicas 2 --exchange none", 2);
  EXPECT_EQ(count_in(logs[0], "exchange"), 0) << logs[0];
  EXPECT_EQ(count_in(logs[1], " i 16\n"), 40) << logs[1];
  EXPECT_EQ(count_in(logs[0], " requests=1"), 0) << logs[0];
}

TEST_F(ReplicasProgram, SpeakWithOneVoiceAndResumeAsIfUninterrupted) {
  const std::string run_dir = (folder() / "run").string();
  const std::string settings = "--replicas 2 --batch 16 --epochs 3 ";
  const Outcome whole =
      run(command(settings + "--optimizer-state --checkpoint-every 1 --run-dir " + run_dir));
  EXPECT_TRUE(whole.text.starts_with(
      "nn-twins: 640 + 100 samples, batch 32, 3 epochs, 2 replicas (allreduce) of 1 threads, "))
      << whole.text;
  EXPECT_TRUE(
      std::regex_search(whole.text, std::regex("\nexchanges took [0-9.e-]+ ms of each lap\n$")));
  EXPECT_EQ(std::count(whole.text.begin(), whole.text.end(), '\n'), 6) << whole.text;
  const Outcome rest = run(command(settings + "--resume " + run_dir + "/checkpoint-1.pt"));
  EXPECT_EQ(rest.status, 0) << rest.text;
  const std::string lines = epochs_of(whole.text);
  EXPECT_EQ(epochs_of(rest.text), lines.substr(lines.find("epoch 2"))) << whole.text;
}

TEST_F(ReplicasProgram, RefuseInOneLine) {
  fs::create_directories(folder() / "empty");
  const std::string program = NN_TWINS;
  const Outcome outcome = run(program + " --replicas 2 --data " + (folder() / "empty").string());
  expect_refusal(outcome, 1, "/empty");
  EXPECT_TRUE(std::regex_search(outcome.text, std::regex("^nn-twins: replica [01] of 2: /")))
      << outcome.text;
  expect_refusal(run(command("--replicas 2 --write-step step.pt")), 2, "takes one replica");
  expect_refusal(run(command("--replicas 2 --exchange server --device cuda")), 2, "is for CPUs");
  expect_refusal(run(command("--replicas 65")), 2, "must be a number from 1 to 64");
}

/// Starts a training that does not end by itself on two replicas, sends a signal to one of its
/// processes, and returns the outcome, with the status of a shell.
Outcome run_and_signal(const std::string& command, bool to_replica, const std::string& signal) {
  const std::string script =
      command +
      " --replicas 2 --epochs 1000000 >/dev/null & p=$!\n"
      "until set -- $(cat /proc/$p/task/$p/children) && [ $# = 2 ] && grep -q torch /proc/$2/maps\n"
      "do sleep 0.02; done\n"
      "kill -" +
      signal + (to_replica ? " $2" : " $p") +
      "; wait $p; s=$?\n"
      "i=0; while kill -0 $1 2>/dev/null || kill -0 $2 2>/dev/null; do\n"
      "i=$((i+1)); [ $i = 250 ] && echo left; [ $i -gt 250 ] && break; sleep 0.02; done\n"
      "exit $s";
  return run("sh -c '" + script + "'");
}

TEST_F(ReplicasProgram, EndTogetherWithOneThatIsKilled) {
  const Outcome outcome = run_and_signal(command(""), true, "KILL");
  expect_refusal(outcome, 1, "nn-twins: replica 1 of 2: was ended by signal 9 (Killed)");
}

TEST_F(ReplicasProgram, EndWithTheProcessThatStartedThem) {
  for (const char* signal : {"TERM", "KILL"}) {
    const Outcome outcome = run_and_signal(command(""), false, signal);
    EXPECT_EQ(outcome.status, std::string(signal) == "TERM" ? 128 + SIGTERM : 128 + SIGKILL);
    EXPECT_EQ(outcome.text.find("left"), std::string::npos) << outcome.text;
    EXPECT_EQ(outcome.text.find("replica"), std::string::npos) << outcome.text;
  }
}

}  // namespace
