#include "run/repair.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "lap/lap_log_writer.h"
#include "run/random_run_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Date kToday{2026, 11, 22};
constexpr std::int64_t kRepairSecond = 1'000'000'000;

/// Returns a run that is 10 s long.
Run measured() {
  lapcast::Run run;
  run.context.id = "a";
  run.context.program = {"./train"};
  run.context.started_at = "2026-11-22T12:00:00Z";
  run.started_ns = 100 * kRepairSecond;
  run.ended_ns = 110 * kRepairSecond;
  return run;
}

/// Returns what is odd after a change.
template <class Change>
std::vector<std::string> odd(Change change) {
  lapcast::Run run = measured();
  change(run);
  return repair(run, kToday);
}

using R = lapcast::Run;

TEST(Repair, LeavesARunThatCanBeAsItIs) {
  lapcast::Run run = measured();
  run.stop_sent_ns = 109 * kRepairSecond;
  run.pauses = {{101 * kRepairSecond, 103 * kRepairSecond},
                {103 * kRepairSecond, 104 * kRepairSecond}};
  run.forecasts = {{Seconds{1}, {Seconds{2}, Seconds{2}, Seconds{1e12}}}};
  run.context.machine_type.cpus = {0, 3};
  run.context.machine_type.cpu_quota = 0.5;
  run.context.machine.memory_limit_bytes = std::numeric_limits<std::int64_t>::max() & ~4095;
  const lapcast::Run before = run;
  EXPECT_THAT(repair(run, kToday), IsEmpty());
  EXPECT_EQ(run, before);
}

TEST(Repair, WhatIsRepairedNeedsNoRepair) {
  RandomRun random(12);
  for (int i = 0; i < 500; ++i) {
    lapcast::Run run = random();
    repair(run, kToday);
    ASSERT_THAT(repair(run, kToday), IsEmpty());
    ASSERT_FALSE(why_not_kept(run));
    ASSERT_GE(run.wall().count(), 0);
  }
}

TEST(Repair, StartsAreRealTimesUntilTomorrow) {
  for (const char* good : {"", "1999-12-31T23:59:60Z", "2026-11-23T23:00:00Z"})
    EXPECT_THAT(odd([&](R& run) { run.context.started_at = good; }), IsEmpty()) << good;
  for (const char* bad :
       {"9999-01-01T00:00:00Z", "2026-11-24T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20",
        "2026-11-20T24:00:00Z", "2026-11-20T12:60:00Z", "2026-11-20T12:00:00+",
        "2026-11-20 12:00:00Z", "1969-12-31T23:59:59Z", "2026-11-20T1x:00:00Z"})
    EXPECT_THAT(odd([&](R& run) { run.context.started_at = bad; }),
                ElementsAre(HasSubstr("started_at is not a time")))
        << bad;
}

TEST(Repair, NumbersAreNotNegative) {
  EXPECT_THAT(odd([](R& run) { run.context.plan.epochs = -3; }),
              ElementsAre("plan.epochs is negative"));
  EXPECT_THAT(odd([](R& run) { run.context.machine.cores = -8; }),
              ElementsAre("machine.cores is negative"));
  EXPECT_THAT(odd([](R& run) { run.usage.peak_rss_bytes = -1; }),
              ElementsAre("usage.peak_rss_bytes is negative"));
  EXPECT_THAT(odd([](R& run) { run.usage.user = Seconds{std::nan("")}; }),
              ElementsAre("usage.user_s is negative or too long"));
  EXPECT_THAT(odd([](R& run) { run.context.machine_type.cpu_quota = 0; }),
              ElementsAre("machine_type.cpu_quota is not above 0 and at most 2^20"));
  EXPECT_THAT(odd([](R& run) {
                run.context.machine_type.cpus = {0, 1, 1};
              }),
              ElementsAre("machine_type.cpus is not an ascending list of CPUs"));
  EXPECT_THAT(odd([](R& run) {
                run.preparation = {{"queue", Seconds{-1}, 0}};
              }),
              ElementsAre("preparation has a step of a time or size that cannot be"));
  EXPECT_THAT(odd([](R& run) {
                run.outcome = outcome::Crashed{-7, 0};
              }),
              ElementsAre("outcome.exit_status is not between 0 and 255"));
}

TEST(Repair, TextsAndListsHaveAnEnd) {
  EXPECT_THAT(odd([](R& run) { run.context.machine_type.name.assign(1001, 'x'); }),
              ElementsAre(HasSubstr("machine_type.name is longer than 1000 bytes")));
  EXPECT_THAT(odd([](R& run) { run.context.program = {std::string("a\0b", 3)}; }),
              ElementsAre("program is too long or holds a NUL byte"));
  EXPECT_THAT(odd([](R& run) { run.context.sweep = "../x"; }), ElementsAre("sweep is not an id"));
  EXPECT_THAT(odd([](R& run) { run.warnings.assign(100'001, "w"); }),
              ElementsAre("warnings has more than 100000 items"));
}

TEST(Repair, AForecastHasItsMiddleInTheMiddle) {
  lapcast::Run run = measured();
  run.forecasts = {{Seconds{1}, {Seconds{2}, Seconds{3}, Seconds{4}}},
                   {Seconds{2}, {Seconds{4}, Seconds{3}, Seconds{2}}}};
  EXPECT_EQ(repair(run, kToday).size(), 1u);
  ASSERT_EQ(run.forecasts.size(), 1u);
  EXPECT_EQ(run.forecasts[0].elapsed, Seconds{1});
}

TEST(Repair, APriceThatCannotBeIsNone) {
  lapcast::Run run = measured();
  run.context.price.emplace().boot_ns = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(repair(run, kToday), ElementsAre("price cannot be: boot is longer than a day"));
  EXPECT_FALSE(run.context.price);
}

TEST(Repair, TimesAreInOrder) {
  EXPECT_THAT(odd([](R& run) { run.stop_sent_ns = 111 * kRepairSecond; }),
              ElementsAre("stop_sent_ns is not between start and end"));
  const auto pauses = [](std::vector<Pause> pauses) {
    return odd([&](R& run) { run.pauses = std::move(pauses); }).size();
  };
  EXPECT_EQ(pauses({{100 * kRepairSecond, 110 * kRepairSecond - 1}}), 0u);
  EXPECT_EQ(pauses({{100 * kRepairSecond, 110 * kRepairSecond}}),
            1u);  // nothing is left of the run
  EXPECT_EQ(pauses({{105 * kRepairSecond, 106 * kRepairSecond},
                    {102 * kRepairSecond, 103 * kRepairSecond}}),
            1u);
  EXPECT_EQ(pauses({{105 * kRepairSecond, 104 * kRepairSecond}}), 1u);
  EXPECT_EQ(pauses({{99 * kRepairSecond, 101 * kRepairSecond}}), 1u);
}

TEST(Repair, ARunThatEndedBeforeItBeganIsAsLongAsItsLaps) {
  lapcast::Run run = measured();
  run.ended_ns = 90 * kRepairSecond;
  run.pauses = {{91 * kRepairSecond, 92 * kRepairSecond}};
  // Its first event 1 s after the start, the end of its only lap 3 s later.
  run.lap_logs = {lap_log_opening({101 * kRepairSecond, 1000, 7, 0, 1, "a", "test"}) +
                  "3000000000 i 8\n"};
  EXPECT_THAT(repair(run, kToday), ElementsAre(HasSubstr("ended_ns"), HasSubstr("pauses")));
  EXPECT_EQ(run.ended_ns, 104 * kRepairSecond);
  EXPECT_EQ(laps_of(run)->laps.size(), 1u);

  run.lap_logs.clear();
  run.ended_ns = 0;
  repair(run, kToday);
  EXPECT_EQ(run.ended_ns, run.started_ns);
}

TEST(RepairMeasured, KeepsTheLapsAndSaysWhatWasOdd) {
  lapcast::Run run = measured();
  run.lap_logs = {"laps"};
  run.context.machine.memory_bytes = -1;
  repair_measured(run, kToday);
  EXPECT_THAT(run.warnings, ElementsAre("machine.memory_bytes is negative: taken as not known"));
  EXPECT_THAT(run.lap_logs, ElementsAre("laps"));
}

}  // namespace
}  // namespace lapcast
