#include "run/pauses.h"

#include <gmock/gmock.h>

#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kSecond = 1'000'000'000;

lapcast::Run paused(std::vector<Pause> pauses) {
  lapcast::Run run;
  run.started_ns = 100 * kSecond;
  run.ended_ns = 200 * kSecond;
  for (Pause& pause : pauses)
    run.pauses.push_back({pause.begin_ns * kSecond, pause.end_ns * kSecond});
  return run;
}

std::vector<double> lap_lengths(const LapLog& log) {
  std::vector<double> lengths;
  for (const Lap& lap : log.laps) lengths.push_back(lap.seconds().count());
  return lengths;
}

TEST(PauselessTime, StandsStillWhileTheProgramDid) {
  const PauselessTime time(paused({{110, 120}, {150, 155}}));
  EXPECT_EQ(time.without(10 * kSecond), 10 * kSecond);  // the very begin
  EXPECT_EQ(time.without(13 * kSecond), 10 * kSecond);  // within
  EXPECT_EQ(time.without(20 * kSecond), 10 * kSecond);
  EXPECT_EQ(time.without(21 * kSecond), 11 * kSecond);
  EXPECT_EQ(time.without(60 * kSecond), 45 * kSecond);
  EXPECT_EQ(time.without(5 * kSecond), 5 * kSecond);
  EXPECT_EQ(time.total_ns(), 15 * kSecond);
  EXPECT_EQ(paused({{110, 120}, {150, 155}}).wall(), Seconds{85});
}

TEST(PauselessTime, PausesThatCannotBeCountAsFarAsTheyAre) {
  EXPECT_EQ(paused({{50, 110}, {105, 120}, {130, 125}, {190, 300}}).wall(), Seconds{70});
  EXPECT_TRUE(PauselessTime(paused({{10, 20}, {300, 400}})).empty());
}

/// Returns a log with its hello at 102 s, an epoch, and laps that end at the given times after the
/// hello.
std::string log_of(int rank, std::initializer_list<int> laps_s) {
  std::string text = lap_log_opening({102 * kSecond, 5002, 7, rank, 2, "h", "test"});
  text += "2000000000 epoch-begin 1\n";
  for (const int at : laps_s) text += std::to_string(at) + "000000000 i 8\n";
  return text;
}

// Laps of 2 s each; the program was suspended from 107 to 117 s, 1 s into its second lap.
TEST(PauselessTime, ARunThatEndedBeforeItBeganHasNone) {
  lapcast::Run run;
  run.started_ns = 10;
  run.ended_ns = 4;
  run.pauses = {{5, 7}, {11, 12}};
  EXPECT_TRUE(PauselessTime(run).empty());
}

TEST(LapsOf, ALapUnderWayIsAsLongAsItWouldHaveBeen) {
  lapcast::Run run = paused({{107, 117}});
  run.lap_logs = {log_of(0, {4, 16, 18})};
  const LapLog log = *laps_of(run);
  EXPECT_THAT(lap_lengths(log), ElementsAre(2, 2, 2));
  EXPECT_EQ(log.laps.front().begin_ns, 4 * kSecond);  // init of the program
  EXPECT_EQ(log.last_ns, 10 * kSecond);
  EXPECT_EQ(log.epochs.front().span.begin_ns, 4 * kSecond);
}

// Rank 1 ends its laps 1 s later: the lap of the run is the slowest rank's, pauses apart. Suspended
// from 109 s, when rank 1 was within its second lap and rank 0 in its third.
TEST(LapsOf, PausesOfSeveralRanks) {
  lapcast::Run run = paused({{109, 129}, {131, 141}});
  run.lap_logs = {log_of(0, {4, 6, 28, 40}), log_of(1, {5, 27, 39, 41})};
  // Without the pauses: rank 0 at 4, 6, 8, 10; rank 1 at 5, 7, 9, 11 (39 and 41 were 9 and 11).
  EXPECT_THAT(lap_lengths(*laps_of(run)), ElementsAre(3, 2, 2, 2));
}

TEST(LapsOf, SeveralPausesWithinOneLap) {
  lapcast::Run run = paused({{105, 110}, {110, 115}, {116, 126}});
  run.lap_logs = {log_of(0, {4 + 20, 26})};
  EXPECT_THAT(lap_lengths(*laps_of(run)), ElementsAre(2, 2));
}

}  // namespace
}  // namespace lapcast
