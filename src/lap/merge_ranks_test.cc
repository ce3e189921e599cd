#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lap/golden_test.h"
#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LapLog rank_log(int rank, const std::string& hello, const std::string& events) {
  return parse_lap_log("lapcast-laps 1\n0 hello world=2 rank=" + std::to_string(rank) + " " +
                       hello + "\n" + events);
}

TEST(MergeRanks, NothingGivesAnEmptyLog) {
  const LapLog merged = merge_ranks({});
  EXPECT_EQ(merged.hello, std::nullopt);
  EXPECT_THAT(merged.laps, IsEmpty());
}

// An attempt of two laps failed 40 ns after the hello; the training has three laps of 10 ns.
TEST(MergeRanks, WhatCameBeforeATrainingBeganAnewIsAStageOfItsStart) {
  const LapLog merged = merge_ranks(std::vector{parse_lap_log(
      "lapcast-laps 1\n0 hello clock=5 rank=0\n5 plan epochs=9\n10 epoch-begin 1\n20 i 32\n30 i "
      "32\n"
      "32 metric loss 2\n33 validation-begin\n36 validation-end 5\n"
      "40 anew\n41 plan epochs=3\n50 epoch-begin 1\n60 i 8\n70 i 8\n71 metric loss 1\n80 i 8\n")});
  ASSERT_THAT(merged.laps, SizeIs(3));
  EXPECT_EQ(merged.laps.front().index, 0);
  EXPECT_EQ(merged.laps.front().begin_ns, 50);
  ASSERT_THAT(merged.epochs, SizeIs(1));
  EXPECT_EQ(merged.epochs[0].first_lap, 0);
  EXPECT_EQ(merged.epochs[0].laps, 3);
  EXPECT_THAT(merged.validations, IsEmpty());
  ASSERT_THAT(merged.metrics, SizeIs(1));
  EXPECT_EQ(merged.metrics[0].laps_before, 2);
  ASSERT_THAT(merged.stages, SizeIs(1));
  EXPECT_EQ(merged.stages[0].name, "earlier-attempts");
  EXPECT_EQ(merged.stages[0].span, (Span{10, 40}));
  EXPECT_EQ(merged.plan->epochs, 3);
}

TEST(MergeRanks, OneLogStaysWhatItIs) {
  const LapLog log = parse_lap_log(golden_lap_log("complete.log"));
  const LapLog merged = merge_ranks(std::vector{log});
  EXPECT_EQ(merged.hello, log.hello);
  EXPECT_EQ(merged.plan, log.plan);
  EXPECT_EQ(merged.laps, log.laps);
  EXPECT_EQ(merged.stages, log.stages);
  EXPECT_EQ(merged.validations, log.validations);
  EXPECT_EQ(merged.epochs, log.epochs);
  EXPECT_EQ(merged.metrics, log.metrics);
  EXPECT_EQ(merged.last_ns, log.last_ns);
  EXPECT_TRUE(merged.said_bye);
}

// Rank 1 said hello 30 ns before rank 0, so all times of rank 0 grow by 30. In that time rank 0 has
// laps 50..130, 130..230 and rank 1 40..100, 100..240; lap 0 is 50..130 and lap 1 130..240.
TEST(MergeRanks, ALapIsTheSlowestRanks) {
  const LapLog merged = merge_ranks(std::vector{
      rank_log(1, "clock=1000 host=a", "40 epoch-begin 1\n100 i 8\n240 q 8\n250 bye\n"),
      rank_log(0, "clock=1030 host=a wall=50", "20 epoch-begin 1\n100 i 8\n200 i 7\n300 i 8\n")});
  EXPECT_THAT(merged.laps, ElementsAre(Lap{50, 130, 0, 16, 1}, Lap{130, 240, 1, 15, 1, 0, false}));
  EXPECT_EQ(merged.hello->clock_ns, 1000);
  EXPECT_DOUBLE_EQ(merged.hello->wall_seconds, 50 - 30e-9);
  EXPECT_THAT(merged.epochs, ElementsAre(EpochSpan{1, {50, 0}, false, 0, 2, 31}));
  EXPECT_FALSE(merged.said_bye);
  EXPECT_EQ(merged.last_ns, 330);
}

// Monotonic clocks of two hosts have nothing in common: rank 1 began 1 s later by the wall clock.
TEST(MergeRanks, HostsAreAlignedByTheWallClock) {
  const LapLog merged =
      merge_ranks(std::vector{rank_log(0, "clock=900000 host=a wall=100", "1100000000 i 8\n"),
                              rank_log(1, "clock=5 host=b wall=101", "50000000 i 8\n")});
  EXPECT_THAT(merged.laps, ElementsAre(Lap{1000000000, 1100000000, 0, 16}));
}

TEST(MergeRanks, OfSeveralLogsOfARankTheLongestCounts) {
  const LapLog merged = merge_ranks(std::vector{rank_log(0, "clock=10", "5 i 1\n"),
                                                rank_log(0, "clock=10", "5 i 2\n9 i 2\n"),
                                                rank_log(0, "clock=10", "5 i 3\n9 i 3\n")});
  EXPECT_THAT(merged.laps, ElementsAre(Lap{0, 5, 0, 2}, Lap{5, 9, 1, 2}));
}

TEST(MergeRanks, RanksWithoutLapsDoNotHideThoseOfOthers) {
  const LapLog merged = merge_ranks(
      std::vector{rank_log(0, "clock=10", "5 i 1\n9 i 1\n"), rank_log(1, "clock=10", "7 bye\n")});
  EXPECT_THAT(merged.laps, SizeIs(2));
}

// A launcher has no RANK, so that it counts as rank 0, and began 3 ns before the first worker.
TEST(MergeRanks, ALauncherDoesNotDisturb) {
  const LapLog launcher = rank_log(0, "clock=7",
                                   "1 note torch 1.4 is too old\n2 stage-begin load\n"
                                   "3 stage-end load\n4 bye\n");
  const LapLog merged = merge_ranks(std::vector{
      launcher, rank_log(2, "clock=10 world=4", "1 epoch-begin 1\n5 i 1\n6 device-memory 70\n"),
      rank_log(1, "clock=12 world=4", "1 epoch-begin 1\n5 i 1\n6 device-memory 90\n")});
  EXPECT_THAT(merged.laps, ElementsAre(Lap{3, 7, 0, 2, 1}));
  EXPECT_EQ(merged.hello->clock_ns, 10);
  EXPECT_THAT(merged.stages, IsEmpty());
  EXPECT_THAT(merged.epochs, SizeIs(1));
  EXPECT_THAT(merged.notes, ElementsAre("torch 1.4 is too old"));
  EXPECT_EQ(merged.device_memory_bytes, 90);
}

TEST(MergeRanks, WhereNobodyHasLapsTheLowestRankTells) {
  const LapLog merged = merge_ranks(
      std::vector{rank_log(1, "clock=10", "7 bye\n"), rank_log(0, "clock=10", "3 phase a\n")});
  EXPECT_THAT(merged.phases, ElementsAre("", "a"));
}

TEST(MergeRanks, ANoteOfSeveralProcessesIsSaidOnce) {
  const LapLog merged = merge_ranks(std::vector{rank_log(0, "clock=10", "7 note a\n8 note b\n"),
                                                rank_log(1, "clock=10", "7 note b\n8 note c\n")});
  EXPECT_THAT(merged.notes, ElementsAre("a", "b", "c"));
}

TEST(MergeRanks, DamageIsThatOfAllLogs) {
  const LapLog merged = merge_ranks(std::vector{rank_log(0, "clock=10", "x\n9 i 1\n"),
                                                parse_lap_log("garbage\n"), parse_lap_log("")});
  EXPECT_EQ(merged.damage->lines, 2);
  EXPECT_EQ(merged.damage->what, "no time at its beginning");
}

TEST(MergeRanks, LapsOfTheProgramCountBeforeThoseOfItsOutput) {
  const std::string hello = "clock=1000 host=a emitter=";
  const LapLog output = rank_log(0, hello + "lapcast-output/1", "10 i 0\n20 i 0\n30 i 0\n");
  const LapLog own = rank_log(0, hello + "lap.h/1", "15 i 8\n25 i 8\n");
  EXPECT_THAT(merge_ranks(std::vector{output, own}).laps, SizeIs(2));
  EXPECT_THAT(merge_ranks(std::vector{own, output}).laps, SizeIs(2));
}

TEST(MergeRanks, WhatTheOutputsLapsAreIsSaidOnlyWhereTheyCount) {
  const std::string hello = "clock=1000 host=a emitter=";
  const LapLog output = rank_log(0, hello + "lapcast-output/1", "0 note from+its+output\n10 i 0\n");
  const LapLog own = rank_log(0, hello + "lap.h/1", "15 i 8\n");
  EXPECT_THAT(merge_ranks(std::vector{output}).notes, SizeIs(1));
  EXPECT_THAT(merge_ranks(std::vector{output, own}).notes, IsEmpty());
}

TEST(MergeRanks, EpochsThatAreOnlyPrintedArePlanned) {
  const std::string hello = "clock=1000 host=a emitter=";
  const LapLog output =
      rank_log(0, hello + "lapcast-output/1", "20 plan epochs=90 from=epoch/90\n");
  const std::string laps = "plan iterations=2\n10 epoch-begin 1\n15 i 8\n";
  const LapLog merged =
      merge_ranks(std::vector{rank_log(0, hello + "lap.h/1", "5 " + laps), output});
  EXPECT_EQ(merged.plan->epochs, 90);
  EXPECT_EQ(merged.plan->iterations_per_epoch, 2);
  EXPECT_EQ(merged.plan->from, "epoch/90");
  const LapLog knows = rank_log(0, hello + "lap.h/1", "4 plan epochs=3\n15 i 8\n");
  EXPECT_EQ(merge_ranks(std::vector{knows, output}).plan->epochs, 3);
}

TEST(MergeRanks, TakingTheLapsGivesTheSame) {
  const std::vector logs{rank_log(0, "clock=10", "5 i 1\n9 i 1\n12 i 1\n"),
                         rank_log(1, "clock=12", "4 i 2\n8 i 2\n")};
  const LapLog merged = merge_ranks(logs);
  std::vector taken = logs;
  EXPECT_EQ(merged_ranks(taken).laps, merged.laps);
  std::vector one{logs[0]};
  EXPECT_EQ(merged_ranks(one).laps, logs[0].laps);
  EXPECT_THAT(one[0].laps, IsEmpty());
}

}  // namespace
}  // namespace lapcast
