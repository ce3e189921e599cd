// Runs the program nqueens as a user does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

Outcome nqueens(const std::string& arguments) {
  return run(std::string(NQUEENS) + " " + arguments);
}

TEST(NqueensProgram, PrintsSolutionsNodesAndTime) {
  const Outcome outcome = nqueens("--n 8 --algorithm paper --threads 2");
  EXPECT_EQ(outcome.status, 0);
  const std::regex lines(
      "nqueens: 8 x 8, paper, 2 threads\n92 solutions\n1028 nodes, [0-9.e+]+ nodes/s\n"
      "[0-9.]+ s\n");
  EXPECT_TRUE(std::regex_match(outcome.text, lines)) << outcome.text;
}

TEST(NqueensProgram, SearchesTheSmallestBoards) {
  const char* const solutions[] = {"\n1 solutions\n", "\n0 solutions\n", "\n0 solutions\n",
                                   "\n2 solutions\n", "\n10 solutions\n"};
  for (int n = 1; n <= 5; ++n) {
    for (const std::string algorithm : {"paper", "fast"}) {
      const Outcome outcome = nqueens("--n " + std::to_string(n) + " --algorithm " + algorithm);
      EXPECT_EQ(outcome.status, 0);
      EXPECT_NE(outcome.text.find(solutions[n - 1]), std::string::npos) << outcome.text;
    }
  }
}

TEST(NqueensProgram, EveryChoiceOfInstructionsThatRunsIsRight) {
  for (const std::string isa : {"auto", "plain", "avx2", "avx512"}) {
    const Outcome outcome = nqueens("--n 12 --isa " + isa);
    // This CPU lacks the set; isa_test.cc compares isas_here() with the CPU's flags.
    if (outcome.status == 2) continue;
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.text.find("\n14200 solutions\n"), std::string::npos) << outcome.text;
  }
}

TEST(NqueensProgram, PiecesAddUpToTheWhole) {
  for (const std::string algorithm : {"paper", "fast"}) {
    int64_t solutions = 0;
    for (int piece = 1; piece <= 5; ++piece) {
      const std::string part = std::to_string(piece) + "/5";
      const Outcome outcome =
          nqueens("--n 10 --threads 1 --algorithm " + algorithm + " --piece " + part);
      EXPECT_EQ(outcome.status, 0);
      EXPECT_NE(outcome.text.find("piece " + part + ", 1 thread"), std::string::npos)
          << outcome.text;
      std::smatch found;
      ASSERT_TRUE(std::regex_search(outcome.text, found, std::regex("\n([0-9]+) solutions\n")));
      solutions += std::stoll(found[1]);
    }
    EXPECT_EQ(solutions, 724);
  }
}

TEST(NqueensProgram, ReportsItsLaps) {
  const fs::path log = fs::temp_directory_path() / ("nqueens_test." + std::to_string(getpid()));
  fs::create_directories(log);
  EXPECT_EQ(run("LAPCAST_LOG_DIR=" + log.string() + " " + NQUEENS + " --n 9 --laps 3").status, 0);
  const std::string text = lap_log_in(log);
  const std::regex laps(
      "stage-begin pre-process\n.* stage-end pre-process\n.* plan steps=3 batch=1\n"
      ".* stage-begin train\n.* i 1\n.* i 1\n.* i 1\n.* stage-end train\n"
      ".* metric solutions 352\n.* metric nodes [0-9]+\n.* metric seconds [0-9.e-]+\n");
  EXPECT_TRUE(std::regex_search(text, laps)) << text;
  fs::remove_all(log);
}

TEST(NqueensProgram, DescribesItself) {
  const Outcome outcome = nqueens("--describe");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with(R"({"name":"nqueens","parameters":0,)")) << outcome.text;
  EXPECT_TRUE(outcome.text.ends_with("\"layers\":[]}\n")) << outcome.text;
}

TEST(NqueensProgram, RefusesInOneLine) {
  expect_refusal(nqueens("--n 0"), 2, "--n 0: must be a number from 1 to 20");
  expect_refusal(nqueens("--n 21"), 2, "--n 21");
  expect_refusal(nqueens("--n eight"), 2, "--n eight");
  expect_refusal(nqueens("--threads 0"), 2, "--threads 0");
  expect_refusal(nqueens("--laps 0"), 2, "--laps 0");
  expect_refusal(nqueens("--algorithm best"), 2, "--algorithm best");
  expect_refusal(nqueens("--algorithm paper --isa avx2"), 2, "--isa avx2");
  expect_refusal(nqueens("--gpus 2"), 2, "--gpus needs --device cuda");
  expect_refusal(nqueens("--piece 3/2"), 2, "--piece 3/2: must be I/P with 1 <= I <= P");
  expect_refusal(nqueens("8"), 2, "not an option: 8");
  if (!fs::exists("/dev/nvidia0")) expect_refusal(nqueens("--device cuda"), 2, "--device cuda: ");
  EXPECT_EQ(nqueens("--help").status, 0);
}

}  // namespace
