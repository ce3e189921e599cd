#include "accuracy/progress_laps.h"

#include <gtest/gtest.h>

namespace lapcast::accuracy {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns two epochs of 1000 samples, 0 to 10 s and 12 to 22 s, each a lap.
LapLog log_of_two_epochs() {
  LapLog log;
  log.plan.emplace().iterations_per_epoch = 1;
  for (const std::int64_t begin : {0, 12}) {
    const auto number = static_cast<std::int32_t>(log.laps.size());
    Lap lap;
    lap.begin_ns = begin * kSecond;
    lap.end_ns = (begin + 10) * kSecond;
    lap.index = number;
    lap.samples = 1000;
    lap.epoch = number + 1;
    log.laps.push_back(lap);
    log.epochs.push_back({.epoch = number + 1,
                          .span = {lap.begin_ns, lap.end_ns},
                          .ended = true,
                          .first_lap = number,
                          .laps = 1,
                          .samples = 1000});
  }
  log.validations.push_back({.span = {10 * kSecond, 11 * kSecond}, .laps_before = 1});
  return log;
}

/// Returns batches of 10 with a line every 30 iterations, so the last 100 samples of an epoch have
/// no line.
LoggedRun run_with_lines() {
  LoggedRun run;
  run.global_batch = 10;
  run.progress_kind = "mxnet";
  for (const double begin : {0.0, 12.0}) {
    for (int line = 1; line <= 3; ++line)
      run.progress.push_back({Seconds{begin + 3 * line}, begin > 0, 30 * line, 100});
  }
  return run;
}

TEST(ProgressLaps, AreTheLinesAndWhatIsLeftOfTheEpoch) {
  LapLog log = log_of_two_epochs();
  ASSERT_TRUE(take_progress_laps(run_with_lines(), log));
  ASSERT_EQ(log.laps.size(), 8U);
  for (const std::size_t i : {0U, 1U, 2U, 4U, 5U, 6U}) {
    EXPECT_EQ(log.laps[i].samples, 300);
    EXPECT_EQ(log.laps[i].end_ns - log.laps[i].begin_ns, 3 * kSecond);
  }
  EXPECT_EQ(log.laps[3].samples, 100);
  EXPECT_EQ(log.laps[3].end_ns, 10 * kSecond);
  EXPECT_EQ(log.laps[4].begin_ns, 12 * kSecond);
  EXPECT_EQ(log.epochs[1].first_lap, 4);
  EXPECT_EQ(log.epochs[1].laps, 4);
  EXPECT_EQ(log.validations[0].laps_before, 4);
  EXPECT_EQ(log.plan->batch_size, 300);
  EXPECT_EQ(log.plan->iterations_per_epoch, 0);
}

TEST(ProgressLaps, LeaveALogWhoseLinesMakeNoSense) {
  const auto unchanged = [](const LoggedRun& run) {
    LapLog log = log_of_two_epochs();
    return !take_progress_laps(run, log) && log.laps.size() == 2;
  };
  LoggedRun more_than_an_epoch = run_with_lines();
  more_than_an_epoch.global_batch = 20;
  EXPECT_TRUE(unchanged(more_than_an_epoch));
  LoggedRun backwards = run_with_lines();
  backwards.progress[1].iteration = 20;
  EXPECT_TRUE(unchanged(backwards));
  LoggedRun few = run_with_lines();
  few.progress.resize(5);  // two lines in the second epoch
  EXPECT_TRUE(unchanged(few));
  LoggedRun without = run_with_lines();
  without.progress_kind = "maskrcnn";
  EXPECT_TRUE(unchanged(without));
}

}  // namespace
}  // namespace lapcast::accuracy
