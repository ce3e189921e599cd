#include "accuracy/run_parts.h"

#include <gtest/gtest.h>

#include "accuracy/first_units.h"
#include "accuracy/logged_run_test.h"

namespace lapcast::accuracy {
namespace {

// 10 s until the first of three epochs of 20 s, 2 s of evaluation after each, 1 s between the first
// and the second, and 23 s at the end.
LoggedRun three_epochs() {
  LoggedRun run = run_of(MllogUnit::epoch, 3);
  double at = 10;
  for (int i = 0; i < 3; ++i) {
    log(run, MllogKey::epoch_start, at);
    log(run, MllogKey::epoch_stop, at + 20);
    log(run, MllogKey::eval_start, at + 20);
    log(run, MllogKey::eval_stop, at + 22);
    at += i == 0 ? 23 : 22;
  }
  return run;
}

TEST(RunParts, EachSecondHasOne) {
  const LoggedRun run = three_epochs();
  const RunParts parts = parts_of(whole_run(run));
  EXPECT_EQ(parts.laps, 3u);
  EXPECT_NEAR(parts.start.count(), 10, 1e-6);
  EXPECT_NEAR(parts.training.count(), 60, 1e-6);
  EXPECT_NEAR(parts.evaluation.count(), 6, 1e-6);
  EXPECT_NEAR(parts.between.count(), 1, 1e-6);
  EXPECT_NEAR(parts.end.count(), 23, 1e-6);
  EXPECT_FALSE(what_is_wrong(parts, run));
}

TEST(RunParts, WhatIsWrongIsSaid) {
  LoggedRun run = three_epochs();
  RunParts parts = parts_of(whole_run(run));
  parts.between += Seconds{1};
  EXPECT_EQ(what_is_wrong(parts, run), "the parts take 101.000 s of 100.000");
  parts.end -= Seconds{30};
  EXPECT_EQ(what_is_wrong(parts, run), "end takes -7.000 s");
  parts = parts_of(whole_run(run));
  parts.laps = 1;
  EXPECT_EQ(what_is_wrong(parts, run), "1 laps of 3 that the log begins");
}

}  // namespace
}  // namespace lapcast::accuracy
