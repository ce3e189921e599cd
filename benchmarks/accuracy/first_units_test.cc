#include "accuracy/first_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "accuracy/logged_run_test.h"
#include "accuracy/ours.h"

namespace lapcast::accuracy {
namespace {

/// Returns ten epochs of 8 s from second 2 on, each followed by an evaluation of 2 s; the run ends
/// at 104.
LoggedRun ten_epochs() {
  LoggedRun run = run_of(MllogUnit::epoch, 10);
  run.total = Seconds{104};
  for (int i = 0; i < 10; ++i) {
    log(run, MllogKey::epoch_start, 2 + 10.0 * i);
    log(run, MllogKey::epoch_stop, 10 + 10.0 * i);
    log(run, MllogKey::eval_start, 10 + 10.0 * i);
    log(run, MllogKey::eval_stop, 12 + 10.0 * i);
  }
  return run;
}

TEST(ProbeOf, SeesTheFirstUnitsAsLaps) {
  const LoggedRun run = ten_epochs();
  const auto probe = probe_of(run, 2);
  ASSERT_TRUE(probe) << probe.error().text;
  EXPECT_EQ(probe->stopped, Seconds{22});
  EXPECT_EQ(probe->papers, Seconds{12 + 9 * 10});
  ASSERT_EQ(probe->log.laps.size(), 2u);
  EXPECT_EQ(probe->log.laps[1].begin_ns, 12'000'000'000);
  EXPECT_EQ(probe->log.laps[1].end_ns, 20'000'000'000);
  EXPECT_EQ(probe->log.validations.size(), 2u);
  EXPECT_EQ(probe->plan.epochs, 10);
  EXPECT_DOUBLE_EQ(laps_of(probe->plan), 10);
}

TEST(ProbeOf, WhatComesLaterChangesNothing) {
  const LoggedRun run = ten_epochs();
  LoggedRun cut = run;
  std::erase_if(cut.events, [](const MllogEvent& e) { return e.time_ns > 22'000'000'000; });
  cut.total = Seconds{1000};
  const auto whole = probe_of(run, 2), short_one = probe_of(cut, 2);
  ASSERT_TRUE(whole && short_one);
  EXPECT_EQ(whole->log.laps, short_one->log.laps);
  EXPECT_EQ(whole->log.validations, short_one->log.validations);
  EXPECT_EQ(whole->plan, short_one->plan);
  EXPECT_EQ(*ours(*whole, {}), *ours(*short_one, {}));
}

TEST(ProbeOf, BlocksCountByTheirLength) {
  LoggedRun run = run_of(MllogUnit::block, 39);  // 3 epochs and 9 times 4 epochs, 10 s each
  run.total = Seconds{391};
  log(run, MllogKey::block_start, 1, 3);
  log(run, MllogKey::block_stop, 31);
  for (int i = 0; i < 9; ++i) {
    log(run, MllogKey::block_start, 31 + 40.0 * i, 4);
    log(run, MllogKey::block_stop, 71 + 40.0 * i);
  }
  const auto probe = probe_of(run, 2);
  ASSERT_TRUE(probe) << probe.error().text;
  EXPECT_EQ(probe->papers, Seconds{31 + 36 * 10});
  EXPECT_NEAR(laps_of(probe->plan), 39.0 / 4, 0.01);
}

TEST(ProbeOf, SaysWhyARunCannotBeJudged) {
  const auto why = [](const std::function<void(LoggedRun&)>& change, std::size_t seen = 2) {
    LoggedRun run = ten_epochs();
    change(run);
    const auto probe = probe_of(run, seen);
    return probe ? "" : probe.error().text;
  };
  EXPECT_EQ(why([](LoggedRun& run) { run.unit.reset(); }), "no number of units is given");
  EXPECT_EQ(why([](LoggedRun& run) { run.units = 0; }), "no number of units is given");
  EXPECT_EQ(why([](LoggedRun& run) { run.units = 2; }), "no unit is left after 2");
  EXPECT_EQ(why([](LoggedRun& run) { run.total = Seconds{20}; }), "its units go on after its end");
  EXPECT_EQ(why([](LoggedRun& run) { run.events.clear(); }), "fewer than 2 units are timed");
  EXPECT_EQ(why([](LoggedRun&) {}, 10), "fewer than 10 units are timed");
  EXPECT_EQ(why([](LoggedRun& run) { log(run, MllogKey::epoch_start, 12); }),
            "a unit takes no time");
  EXPECT_EQ(why([](LoggedRun& run) { run.units = 1e12; }), "it has more units than a run can have");
}

}  // namespace
}  // namespace lapcast::accuracy
