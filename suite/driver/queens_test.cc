#include "suite/driver/queens.h"

#include <gmock/gmock.h>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(Queens, KnowsTheirNumbers) {
  EXPECT_EQ(known_solutions(1), 1);
  EXPECT_EQ(known_solutions(3), 0);
  EXPECT_EQ(known_solutions(8), 92);
  EXPECT_EQ(known_solutions(16), 14'772'512);
  EXPECT_EQ(known_solutions(20), 39'029'188'884);
  EXPECT_FALSE(known_solutions(0) || known_solutions(21));
}

TEST(Queens, NodesOfLargerBoardsFollowFromTwoSmallOnes) {
  // The growth from 12 to 13 is 2,337,445 / 428,094 = 5.46; boards of 14, 15 and 16 grow by 5.83,
  // 6.20 and 6.57. The search of 16 really has 570,595,151 nodes (suite/docs/nqueens.md).
  EXPECT_NEAR(expected_nodes(428'094, 2'337'445, 13, 16) / 570'595'151, 1, 0.05);
  EXPECT_DOUBLE_EQ(expected_nodes(428'094, 2'337'445, 13, 13), 2'337'445);
}

/// Counts the solutions by trying all of them, so that the test trusts no list.
std::int64_t count(int n, unsigned columns, unsigned left, unsigned right) {
  const unsigned all = (1u << n) - 1;
  if (columns == all) return 1;
  std::int64_t found = 0;
  for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
    const unsigned queen = free & -free;
    found += count(n, columns | queen, (left | queen) << 1, (right | queen) >> 1);
  }
  return found;
}

TEST(Queens, TheirNumbersAreTrue) {
  for (int n = 1; n <= 10; ++n) EXPECT_EQ(known_solutions(n), count(n, 0, 0, 0)) << n;
}

TEST(BoardSizes, AreRangesAndLists) {
  EXPECT_THAT(parse_board_sizes("10..13"), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(parse_board_sizes("14"), ElementsAre(14));
  EXPECT_THAT(parse_board_sizes("12,10..12,8"), ElementsAre(8, 10, 11, 12));
  for (const char* bad : {"", ",", "a", "10..", "..10", "12..10", "0", "21", "10,", "1e1", "10-12"})
    EXPECT_THROW(parse_board_sizes(bad), Error) << bad;
}

Run solved(const std::string& metrics) {
  Run run;
  run.ended_ns = 5'000'000'000;
  run.outcome = outcome::NoLaps{"none"};
  run.lap_logs = {
      "lapcast-laps 1\n0 hello clock=0 wall=1.0 pid=7 rank=0 world=1 host=b emitter=t\n" + metrics};
  return run;
}

TEST(QueensResult, IsWhatTheProgramReports) {
  const auto result = queens_result(
      solved("9 metric solutions 14772512\n9 metric nodes 1141190303\n9 metric seconds 2.5\n"));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->solutions, 14'772'512);
  EXPECT_EQ(result->nodes, 1141190303);
  EXPECT_EQ(result->seconds, 2.5);
  EXPECT_EQ(result->kernel_seconds, std::nullopt);
}

TEST(QueensResult, HasTheTimeInKernelsWhereAGpuSearched) {
  const lapcast::Run run = solved(
      "9 metric solutions 92\n9 metric nodes 5\n9 metric seconds 2.5\n"
      "9 metric kernel_seconds 1.25\n");
  EXPECT_EQ(queens_result(run)->kernel_seconds, 1.25);
  QueensRuns board{.n = 8, .mode = QueensMode::gpu};
  add_results(board, std::vector<lapcast::Run>{run, run});
  EXPECT_THAT(board.kernel_seconds, ElementsAre(1.25, 1.25));
}

TEST(QueensResult, NeedsAllOfIt) {
  EXPECT_FALSE(queens_result(solved("9 metric solutions 92\n9 metric nodes 5\n")));
  EXPECT_FALSE(
      queens_result(solved("9 metric solutions 0.5\n9 metric nodes 5\n9 metric seconds 1\n")));
  EXPECT_FALSE(
      queens_result(solved("9 metric solutions 92\n9 metric nodes 5\n9 metric seconds 0\n")));
  lapcast::Run crashed = solved("9 metric solutions 92\n9 metric nodes 5\n9 metric seconds 1\n");
  crashed.outcome = outcome::Crashed{2, 0};
  crashed.standard_error = "no CUDA driver\n";
  EXPECT_EQ(queens_result(crashed).error().text, "failed with exit status 2: no CUDA driver");
}

TEST(QueensRuns, AreCorrectWhenTheyFindTheKnownNumber) {
  EXPECT_TRUE((QueensRuns{.n = 8, .solutions = 92}.correct()));
  EXPECT_FALSE((QueensRuns{.n = 8, .solutions = 93}.correct()));
}

}  // namespace
}  // namespace lapcast
