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

}  // namespace
}  // namespace lapcast
