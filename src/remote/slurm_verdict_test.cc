#include "remote/slurm_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

lapcast::Run interrupted() {
  lapcast::Run run;
  run.outcome = outcome::Interrupted{};
  return run;
}

TEST(SlurmVerdict, WhatLapcastStoppedIsAboveSuspicion) {
  EXPECT_TRUE(needs_slurms_word(interrupted()));
  lapcast::Run run;
  run.outcome = outcome::Ended{};  // as programs do that end in order at a signal
  EXPECT_TRUE(needs_slurms_word(run));
  run.outcome = outcome::Enough{};
  run.stop_sent_ns = 5;
  EXPECT_FALSE(needs_slurms_word(run));
  run.outcome = outcome::Interrupted{};
  EXPECT_TRUE(needs_slurms_word(run));
}

TEST(SlurmVerdict, OfARunWithoutLaps) {
  const SlurmEnding timeout{17, "TIMEOUT", "TimeLimit", "", 60'000'000'000};
  const auto judged = judged_by_slurm(interrupted(), timeout);
  EXPECT_EQ(judged.outcome,
            Outcome(outcome::NoLaps{"its Slurm job 17 ran into its time limit of 1 min 00 s before "
                                    "the first lap"}));
}

TEST(SlurmVerdict, LapsSoFarAreKept) {
  lapcast::Run run = interrupted();
  run.started_ns = 1'000'000'000;
  run.ended_ns = 9'000'000'000;
  run.lap_logs = {lap_log_opening({2'000'000'000, 1000, 7, 0, 1, "node", "test"}) +
                  "2000000000 epoch-begin 1\n3000000000 i 8\n"};
  const auto judged = judged_by_slurm(run, {17, "CANCELLED", "", "root"});
  EXPECT_EQ(judged.outcome,
            Outcome(outcome::BudgetSpent{"its Slurm job 17 was cancelled by root"}));
  EXPECT_EQ(judged.lap_logs, run.lap_logs);
}

TEST(SlurmVerdict, WithoutACutTheOutcomeStays) {
  lapcast::Run run = interrupted();
  run.outcome = outcome::Crashed{3, 0};
  EXPECT_EQ(judged_by_slurm(run, {17, "COMPLETED"}), run);
  EXPECT_EQ(judged_by_slurm(interrupted(), {17, "FAILED"}), interrupted());
  run.outcome = outcome::Enough{};
  run.stop_sent_ns = 5;
  EXPECT_EQ(judged_by_slurm(run, {17, "CANCELLED"}), run);
}

TEST(SlurmVerdict, OutOfMemoryIsSaidBesides) {
  lapcast::Run run = interrupted();
  run.outcome = outcome::Crashed{0, 9};
  const auto judged = judged_by_slurm(run, {17, "OUT_OF_MEMORY"});
  EXPECT_EQ(judged.outcome, run.outcome);
  EXPECT_THAT(judged.warnings, ElementsAre("its Slurm job 17 took more memory than it was given"));
}

TEST(SlurmVerdict, WhatIsSaidOfAnEnd) {
  EXPECT_EQ(describe(SlurmEnding{17, "CANCELLED", "", "user 1000"}),
            "its Slurm job 17 was cancelled by user 1000");
  EXPECT_EQ(describe(SlurmEnding{17, "CANCELLED"}), "its Slurm job 17 was cancelled");
  EXPECT_EQ(describe(SlurmEnding{17, "FAILED", "NonZeroExitCode"}),
            "its Slurm job 17 ended as FAILED, NonZeroExitCode");
  EXPECT_THAT(describe(SlurmEnding{17}), HasSubstr("no result"));
  EXPECT_TRUE(deserves_another_job({17, "NODE_FAIL"}));
  EXPECT_FALSE(deserves_another_job({17, "CANCELLED"}));
}

TEST(WaitingNote, SaysWhyAndBehindHowMany) {
  SlurmJob job{.id = 17, .state = "PENDING", .reason = "Priority"};
  EXPECT_EQ(waiting_note(job, 3), "waiting in the queue: Priority, 3 ahead");
  EXPECT_EQ(waiting_note(job, std::nullopt), "waiting in the queue: Priority");
  job.reason = "Resources";
  EXPECT_EQ(waiting_note(job, 0), "waiting in the queue: Resources");
  job.reason = "Dependency";
  EXPECT_EQ(waiting_note(job, 3), "waiting in the queue, behind another probe of its machine");
  job.reason = "JobHeldUser";
  EXPECT_EQ(waiting_note(job, 3),
            "waiting in the queue, held (JobHeldUser); to let it go: scontrol release 17");
  job.reason = "";
  EXPECT_EQ(waiting_note(job, 3), "waiting in the queue");
}

TEST(WhyNever, KnowsWhatNoWaitingHelps) {
  SlurmJob job{.id = 17, .state = "PENDING", .reason = "PartitionTimeLimit"};
  EXPECT_THAT(why_never(job).value_or(""), HasSubstr("more time than its partition allows"));
  job.reason = "Priority";
  EXPECT_EQ(why_never(job), std::nullopt);
  job = {.id = 17, .state = "RUNNING", .reason = "BadConstraints"};
  EXPECT_EQ(why_never(job), std::nullopt);
}

}  // namespace
}  // namespace lapcast
