#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lap/lap_log_writer.h"
#include "remote/slurm_tracker.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kTestSecond = 1'000'000'000;
constexpr MonotonicNs kTestMinute = 60 * kTestSecond;

/// A run of which Slurm may know more: its program failed.
lapcast::Run failed_run() {
  lapcast::Run run;
  run.outcome = outcome::NoLaps{"exit status 1"};
  return run;
}

lapcast::Run good_run() {
  lapcast::Run run;
  run.outcome = outcome::Enough{"laps"};
  run.stop_sent_ns = 1;  // lapcast ended its program
  return run;
}

SlurmEnding ending(const std::string& state) {
  return {.job = 17, .state = state};
}

SlurmJob waiting(const std::string& reason) {
  return {.id = 17, .state = "PENDING", .reason = reason};
}

class SlurmTrackerTest : public testing::Test {
 protected:
  SlurmTrackerTest() { tracker_.submitted(17); }

  /// Follows the record of a life of the present job.
  void records(std::int64_t restarts) {
    EXPECT_TRUE(tracker_.take_lives({.recording = SlurmLife{tracker_.job(), restarts}}));
  }
  template <class S>
  bool steps(MonotonicNs now) {
    return std::holds_alternative<S>(tracker_.next(now));
  }

  SlurmTracker tracker_;
};

TEST_F(SlurmTrackerTest, FinishesAtOnceWithAResultThatNeedsNoWordOfSlurm) {
  EXPECT_TRUE(steps<SlurmTracker::Wait>(0));
  records(0);
  EXPECT_TRUE(tracker_.listens());
  EXPECT_TRUE(steps<SlurmTracker::Wait>(kTestMinute));
  tracker_.take_result(good_run(), kTestMinute);
  EXPECT_FALSE(tracker_.listens());
  EXPECT_TRUE(steps<SlurmTracker::Finish>(kTestMinute));
}

TEST_F(SlurmTrackerTest, HoldsAFailedRunUntilSlurmSaysWhy) {
  records(0);
  tracker_.take_result(failed_run(), 0);
  EXPECT_TRUE(steps<SlurmTracker::Wait>(29 * kTestMinute));
  tracker_.take_end(ending("OUT_OF_MEMORY"), 29 * kTestMinute);
  const auto step = tracker_.next(29 * kTestMinute);
  const auto* end = std::get_if<SlurmTracker::Finish>(&step);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->run, judged_by_slurm(failed_run(), ending("OUT_OF_MEMORY")));
}

TEST_F(SlurmTrackerTest, FinishesWithAFailedRunAfterHalfAnHourWithoutAWordOfSlurm) {
  records(0);
  tracker_.take_result(failed_run(), 0);
  EXPECT_TRUE(steps<SlurmTracker::Wait>(30 * kTestMinute));
  EXPECT_TRUE(steps<SlurmTracker::Finish>(30 * kTestMinute + 1));
}

TEST_F(SlurmTrackerTest, FollowsTheNextLifeOfARequeuedJob) {
  records(0);
  tracker_.take_result(failed_run(), 0);
  EXPECT_EQ(tracker_.take_waiting(waiting("BeginTime")), SlurmTracker::WaitingJob::waits);
  EXPECT_EQ(tracker_.life(), std::nullopt);
  EXPECT_EQ(tracker_.next_life(), (SlurmLife{17, 1}));
  EXPECT_FALSE(tracker_.take_lives({.recording = SlurmLife{17, 0}}));  // it does not count any more
  records(1);
  tracker_.take_result(good_run(), kTestSecond);
  EXPECT_TRUE(steps<SlurmTracker::Finish>(kTestSecond));
}

TEST_F(SlurmTrackerTest, BelievesAGrowingRecordRatherThanAnOlderWordOfSlurm) {
  records(0);
  EXPECT_EQ(tracker_.take_waiting(waiting("Priority")), SlurmTracker::WaitingJob::irrelevant);
  EXPECT_TRUE(tracker_.listens());
}

TEST_F(SlurmTrackerTest, TakesTheFirstLifeWhoseResultStands) {
  records(1);
  EXPECT_TRUE(tracker_.take_lives({.recording = SlurmLife{17, 1}, .ended = SlurmLife{17, 0}}));
  EXPECT_EQ(tracker_.life(), (SlurmLife{17, 0}));
  EXPECT_FALSE(tracker_.take_lives({.recording = SlurmLife{17, 2}}));
  EXPECT_EQ(tracker_.take_waiting(waiting("Priority")), SlurmTracker::WaitingJob::irrelevant);
  tracker_.take_result(failed_run(), 0);
  tracker_.take_end(ending("NODE_FAIL"), 0);  // another job would be another run
  EXPECT_TRUE(steps<SlurmTracker::Finish>(0));
}

TEST_F(SlurmTrackerTest, SubmitsAnotherJobForAFailedNodeFiveTimesAtMost) {
  for (std::int64_t job = 18; job <= 22; ++job) {
    records(0);
    tracker_.take_end(ending("NODE_FAIL"), 0);
    EXPECT_TRUE(steps<SlurmTracker::SubmitAgain>(0)) << job;
    tracker_.submitted(job);
    EXPECT_TRUE(steps<SlurmTracker::Wait>(0)) << job;
    EXPECT_FALSE(tracker_.take_lives({.recording = SlurmLife{job - 1, 0}})) << job;
  }
  tracker_.take_end(ending("NODE_FAIL"), 0);
  EXPECT_TRUE(steps<SlurmTracker::FinishWithoutRun>(0));
}

TEST_F(SlurmTrackerTest, SubmitsNoOtherJobForARunThatWasStopped) {
  tracker_.stop_ordered();
  tracker_.take_end(ending("PREEMPTED"), 0);
  const auto step = tracker_.next(0);
  const auto* end = std::get_if<SlurmTracker::FinishWithoutRun>(&step);
  ASSERT_NE(end, nullptr);
  EXPECT_TRUE(end->stopped);
}

TEST_F(SlurmTrackerTest, RecoversTheLapsOfALifeWhoseMachineRecordsNoMore) {
  records(0);
  tracker_.take_end(ending("TIMEOUT"), 0);
  EXPECT_TRUE(steps<SlurmTracker::Wait>(4 * kTestSecond));
  EXPECT_TRUE(steps<SlurmTracker::RemoveHolder>(5 * kTestSecond));
  EXPECT_TRUE(steps<SlurmTracker::Wait>(9 * kTestSecond));
  EXPECT_TRUE(steps<SlurmTracker::FinishWithoutRun>(10 * kTestSecond));
}

TEST_F(SlurmTrackerTest, FinishesWithoutARunWhenTheRecordHasNoResult) {
  records(0);
  tracker_.take_no_result();
  EXPECT_FALSE(tracker_.listens());
  EXPECT_TRUE(steps<SlurmTracker::Wait>(kTestMinute));
  tracker_.take_end(ending("FAILED"), kTestMinute);
  EXPECT_TRUE(steps<SlurmTracker::FinishWithoutRun>(kTestMinute));
}

TEST_F(SlurmTrackerTest, CallsAJobHopelessWhenSlurmSaysThreeTimesThatItNeverStarts) {
  using enum SlurmTracker::WaitingJob;
  EXPECT_EQ(tracker_.take_waiting(waiting("BadConstraints")), waits);
  EXPECT_EQ(tracker_.take_waiting(waiting("Priority")), waits);
  EXPECT_EQ(tracker_.take_waiting(waiting("BadConstraints")), waits);
  EXPECT_EQ(tracker_.take_waiting(waiting("BadConstraints")), waits);
  EXPECT_EQ(tracker_.take_waiting(waiting("BadConstraints")), hopeless);
}

using testing::ElementsAre;
using testing::HasSubstr;

lapcast::Run interrupted() {
  lapcast::Run run;
  run.outcome = outcome::Interrupted{};
  return run;
}

lapcast::Run interrupted_with_laps() {
  lapcast::Run run = interrupted();
  run.started_ns = 1'000'000'000;
  run.ended_ns = 9'000'000'000;
  run.lap_logs = {lap_log_opening({2'000'000'000, 1000, 7, 0, 1, "node", "test"}) +
                  "2000000000 epoch-begin 1\n3000000000 i 8\n"};
  return run;
}

TEST(SlurmVerdict, WhatLapcastStoppedIsAboveSuspicion) {
  EXPECT_TRUE(may_be_ended_by_slurm(interrupted()));
  lapcast::Run run;
  run.outcome = outcome::Ended{};  // as programs do that end in order at a signal
  EXPECT_TRUE(may_be_ended_by_slurm(run));
  run.outcome = outcome::Enough{};
  run.stop_sent_ns = 5;
  EXPECT_FALSE(may_be_ended_by_slurm(run));
  run.outcome = outcome::Interrupted{};
  EXPECT_TRUE(may_be_ended_by_slurm(run));
}

TEST(SlurmVerdict, OfARunWithoutLaps) {
  const SlurmEnding timeout{17, "TIMEOUT", "TimeLimit", "", 60'000'000'000};
  const auto judged = judged_by_slurm(interrupted(), timeout);
  EXPECT_EQ(judged.outcome,
            Outcome(outcome::NoLaps{"its Slurm job 17 ran into its time limit of 1 min 00 s before "
                                    "the first lap"}));
}

TEST(SlurmTracker, GoesOnInAnotherJobAfterTheTimeLimitWhereTheRunResumes) {
  for (const bool resumes : {false, true}) {
    SlurmTracker tracker(resumes);
    tracker.submitted(17);
    tracker.take_lives({.recording = SlurmLife{17, 0}, .ended = {}});
    tracker.take_result(interrupted_with_laps(), 0);
    tracker.take_end({17, "TIMEOUT", "TimeLimit", "", 60'000'000'000}, 0);
    const auto step = tracker.next(0);
    EXPECT_EQ(std::holds_alternative<SlurmTracker::SubmitAgain>(step), resumes);
    EXPECT_EQ(std::holds_alternative<SlurmTracker::Finish>(step), !resumes);
  }
}

TEST(SlurmVerdict, LapsSoFarAreKept) {
  const lapcast::Run run = interrupted_with_laps();
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

TEST(SlurmVerdict, AProgramThatFailedInAJobWithoutMemoryLackedMainMemory) {
  lapcast::Run run = interrupted();
  run.outcome = outcome::Crashed{0, 9};
  run.context.settings["batch"] = "64";
  run.usage.peak_rss_bytes = 3'000'000'000;
  const auto judged = judged_by_slurm(run, {17, "OUT_OF_MEMORY"});
  EXPECT_EQ(outcome_kind(judged.outcome), "out-of-main-memory");
  EXPECT_EQ(
      std::get<outcome::Crashed>(judged.outcome),
      (outcome::Crashed{0, 9, std::nullopt,
                        outcome::OutOfMemory{"its Slurm job 17 took more memory than it was given",
                                             "64", 3'000'000'000}}));
  EXPECT_THAT(judged.warnings, testing::IsEmpty());
}

TEST(SlurmVerdict, OutOfMemoryIsSaidBesidesOtherOutcomes) {
  lapcast::Run run = interrupted();
  for (const Outcome& outcome :
       {Outcome(outcome::NoLaps{"exit status 1"}),
        Outcome(outcome::Crashed{0, 9, outcome::OutOfMemory{"CUDA out of memory"}})}) {
    run.outcome = outcome;
    const auto judged = judged_by_slurm(run, {17, "OUT_OF_MEMORY"});
    EXPECT_EQ(judged.outcome, outcome);
    EXPECT_THAT(judged.warnings,
                ElementsAre("its Slurm job 17 took more memory than it was given"));
  }
}

TEST(SlurmVerdict, WhatIsSaidOfAnEnd) {
  EXPECT_EQ(describe(SlurmEnding{17, "CANCELLED", "", "user 1000"}),
            "its Slurm job 17 was cancelled by user 1000");
  EXPECT_EQ(describe(SlurmEnding{17, "CANCELLED"}), "its Slurm job 17 was cancelled");
  EXPECT_EQ(describe(SlurmEnding{17, "FAILED", "NonZeroExitCode"}),
            "its Slurm job 17 ended as FAILED, NonZeroExitCode");
  EXPECT_THAT(describe(SlurmEnding{17}), HasSubstr("no result"));
  EXPECT_TRUE(should_resubmit({17, "NODE_FAIL"}));
  EXPECT_FALSE(should_resubmit({17, "CANCELLED"}));
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

TEST(WaitingNote, SaysThatANodeIsPoweredUpAndWhatCameOfEarlierOnes) {
  SlurmJob job{.id = 17, .state = "CONFIGURING", .nodes = "gpu1"};
  EXPECT_EQ(waiting_note(job, {}), "its node gpu1 is made ready (CONFIGURING)");
  EXPECT_EQ(
      waiting_note(job, {}, 2),
      "its node gpu1 is made ready (CONFIGURING); 2 nodes powered up for it never registered");
  job = {.id = 17, .state = "PENDING", .reason = "BeginTime"};
  EXPECT_EQ(waiting_note(job, {}, 1),
            "waiting in the queue again: its job was requeued; a node powered up for it never "
            "registered");
}

TEST_F(SlurmTrackerTest, GivesUpAfterNodesThatNeverRegistered) {
  using Waiting = SlurmTracker::WaitingJob;
  const auto job = [](const char* state, std::int64_t submitted) {
    return SlurmJob{.id = 17, .state = state, .submitted_s = submitted};
  };
  EXPECT_EQ(tracker_.take_waiting(job("PENDING", 100)), Waiting::waits);
  EXPECT_EQ(tracker_.take_waiting(job("CONFIGURING", 100)), Waiting::waits);
  EXPECT_EQ(tracker_.take_waiting(job("CONFIGURING", 100)), Waiting::waits);
  EXPECT_EQ(tracker_.lost_nodes(), 0);
  EXPECT_EQ(tracker_.take_waiting(job("PENDING", 160)), Waiting::waits);
  EXPECT_EQ(tracker_.lost_nodes(), 1);
  EXPECT_EQ(tracker_.take_waiting(job("CONFIGURING", 160)), Waiting::waits);
  EXPECT_EQ(tracker_.take_waiting(job("CONFIGURING", 220)), Waiting::waits);  // nobody saw it wait
  EXPECT_EQ(tracker_.lost_nodes(), 2);
  EXPECT_EQ(tracker_.take_waiting(job("PENDING", 280)), Waiting::hopeless);
}

TEST_F(SlurmTrackerTest, ARequeueAfterTheNodeRegisteredIsNoLostNode) {
  SlurmJob job{.id = 17, .state = "CONFIGURING", .submitted_s = 100};
  tracker_.take_waiting(job);
  tracker_.take_running();
  job.submitted_s = 200;
  tracker_.take_waiting(job);
  records(0);
  tracker_.take_no_result();
  job.submitted_s = 300;
  tracker_.take_waiting(job);
  EXPECT_EQ(tracker_.lost_nodes(), 0);
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
