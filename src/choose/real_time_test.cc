#include "choose/real_time.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

/// Starts at 1 s; its log begins 0.5 s later; two epochs of 2 s, each with a second of validation;
/// then 0.25 s of tear-down.
Run two_epochs() {
  Run run;
  run.started_ns = 1'000'000'000;
  run.ended_ns = 7'750'000'000;
  run.outcome = outcome::Ended{};
  run.lap_logs = {
      "lapcast-laps 1\n"
      "0 hello clock=1500000000 wall=1790000000.0 pid=1\n"
      "0 epoch-begin 1\n"
      "2000000000 i 10\n"
      "2000000000 epoch-end 1\n"
      "2000000000 validation-begin\n"
      "3000000000 validation-end 5\n"
      "3000000000 epoch-begin 2\n"
      "5000000000 i 10\n"
      "5000000000 epoch-end 2\n"
      "5000000000 validation-begin\n"
      "6000000000 validation-end 5\n"};
  return run;
}

TEST(RealTime, IsTheWallTimeOfTheWholeRun) {
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 0).count(), 6.75);
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 2).count(), 6.75);
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 3).count(), 6.75);
}

TEST(RealTime, OfFewerEpochsEndsWhereTheNextOneBegan) {
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 1).count(), 0.5 + 3.0 + 0.25);
}

TEST(RealTimeOfAPlan, NeedsThePlansLaps) {
  const TrainingPlan two{.epochs = 2, .batch_size = 10, .iterations_per_epoch = 1};
  EXPECT_DOUBLE_EQ(real_time_of(two_epochs(), two).value().count(), 6.75);
  const TrainingPlan twenty{.epochs = 20, .batch_size = 10, .iterations_per_epoch = 1};
  EXPECT_FALSE(real_time_of(two_epochs(), twenty));
  lapcast::Run stopped = two_epochs();
  stopped.outcome = outcome::BudgetSpent{};
  EXPECT_FALSE(real_time_of(stopped, two));
}

// Five laps an epoch: of a plan of one epoch the first five.
TEST(RealTimeOfAPlan, OfFewerEpochsIsTheirs) {
  lapcast::Run run = two_epochs();
  std::string& log = run.lap_logs[0];
  for (const char* lap : {"2000000000 i 10\n", "5000000000 i 10\n"}) {
    for (int more = 0; more < 4; ++more) log.insert(log.find(lap), lap);
  }
  const TrainingPlan one{.epochs = 1, .batch_size = 10, .iterations_per_epoch = 5};
  EXPECT_DOUBLE_EQ(real_time_of(run, one).value().count(), 3.75);
}

}  // namespace
}  // namespace lapcast
