#include "history/track_record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "history/compile_starts.h"
#include "run/compile_caches.h"

namespace lapcast {
namespace {

using Runs = std::vector<Run>;

constexpr std::int64_t kTrackSecond = 1'000'000'000;

/// Returns a run that starts at 1 s, as its log does. Its laps take 1 s; from `slow_from` on they
/// take `slow` seconds.
Run run_of(const std::string& id, int laps, int slow_from, double slow, int planned = 0) {
  Run run;
  run.context.id = id;
  run.context.program = {"train"};
  run.context.machine_type.name = id;
  run.context.plan.steps = planned > 0 ? planned : laps;
  run.started_ns = kTrackSecond;
  std::string log = "lapcast-laps 1\n0 hello clock=1000000000 wall=1790000000.0 pid=1\n";
  double now = 0;
  for (int i = 0; i < laps; ++i) {
    now += i < slow_from ? 1 : slow;
    log += fmt::format("{} i 10\n", static_cast<std::int64_t>(std::llround(now * kTrackSecond)));
  }
  run.lap_logs = {log};
  run.ended_ns = run.started_ns + std::llround(now * kTrackSecond);
  run.outcome = outcome::Ended{};
  return run;
}

Run probe_of(const std::string& id) {
  Run probe = run_of(id, 20, 20, 1, 100);
  probe.outcome = outcome::Enough{};
  return probe;
}

Runs slow_later(int count) {
  Runs runs;
  for (int i = 0; i < count; ++i) runs.push_back(run_of(fmt::format("m{}", i), 100, 40, 1.25));
  return runs;
}

// After 20 of 100 laps of 1 s (rounded down to 19) 81 are left; 60 of them take 1.25 s.
TEST(TrackRecord, ForecastsFinishedRunsAgain) {
  const Runs runs = slow_later(3);
  const TrackRecord record(runs);
  const PastForecasts found = record.past_forecasts("p", {.laps = 20});
  const auto past_forecasts = found.all();
  ASSERT_EQ(past_forecasts.size(), 3U);
  EXPECT_GT(past_forecasts[0].log_ratio, std::log(95.0 / 81) * 0.9);
  EXPECT_LT(past_forecasts[0].log_ratio, std::log(96.0 / 80) * 1.1);
  EXPECT_EQ(past_forecasts[0].training.program, "train\n");
  EXPECT_NEAR(past_forecasts[0].training.log_laps, std::log(100), 1e-9);
}

TEST(TrackRecord, LeavesTheRunItselfOut) {
  const Runs runs = slow_later(3);
  EXPECT_EQ(TrackRecord(runs).past_forecasts(runs[1].context.id, {.laps = 20}).all().size(), 2U);
}

TEST(TrackRecord, HasNothingFromRunsThatDidNotEndOrAreAsShort) {
  Runs runs = slow_later(2);
  runs[0].outcome = outcome::BudgetSpent{};
  EXPECT_EQ(TrackRecord(runs).past_forecasts("p", {.laps = 20}).all().size(), 1U);
  EXPECT_EQ(TrackRecord(runs).past_forecasts("p", {.laps = 80}).all().size(), 0U);
  EXPECT_TRUE(
      TrackRecord(Runs{probe_of("p")}).past_forecasts(runs[0].context.id, {.laps = 20}).empty());
}

TEST(TrackRecord, MovesTheForecast) {
  const Runs runs = slow_later(9);
  const lapcast::Run probe = probe_of("p");
  const Assessment alone = assess(probe);
  const Assessment after = with_track_record(alone, probe, 0, TrackRecord(runs));
  EXPECT_NEAR(alone.forecast->total.mid.count(), 100, 0.5);
  EXPECT_GT(after.forecast->total.mid.count(), 112);  // truth: 115
  EXPECT_LT(after.forecast->total.mid.count(), 117);
  EXPECT_NEAR(after.forecast->total.high.count(), 115, 0.5);  // nine runs are believed as 9 of 10
  EXPECT_NE(after.forecast->record.find("9 earlier runs of this program"), std::string::npos);
  double sum = 0;
  for (const ForecastPart& part : after.forecast->parts) sum += part.time.mid.count();
  EXPECT_NEAR(sum, after.forecast->total.mid.count(), 1e-9);
}

TEST(TrackRecord, LeavesAForecastOfAnotherProgramAlone) {
  Runs runs = slow_later(9);
  for (auto& run : runs) run.context.program = {"another"};
  const lapcast::Run probe = probe_of("p");
  const Assessment alone = assess(probe);
  const Assessment after = with_track_record(alone, probe, 0, TrackRecord(runs));
  EXPECT_EQ(after.forecast->total, alone.forecast->total);
  EXPECT_EQ(after.forecast->record, "");
}

// The first lap of these runs was reported with no time, as by an older hook: only how slowly they
// start is not compared.
TEST(TrackRecord, LearnsFromRunsWhoseFirstLapHasNoTime) {
  Runs runs = slow_later(9);
  lapcast::Run probe = probe_of("p");
  const auto begin_with_a_lap = [](lapcast::Run& run) {
    const std::string hello = "wall=1790000000.0 pid=1\n";
    std::string& log = run.lap_logs[0];
    log.insert(log.find(hello) + hello.size(), "0 i 10\n");
    ++run.context.plan.steps;
  };
  for (lapcast::Run& run : runs) begin_with_a_lap(run);
  begin_with_a_lap(probe);
  ASSERT_EQ(assess(probe).profile->first_lap, Seconds{0});
  const Assessment after = with_track_record(assess(probe), probe, 0, TrackRecord(runs));
  EXPECT_GT(after.forecast->total.mid.count(), 112);  // truth: 115
  EXPECT_NE(after.forecast->record.find("9 earlier runs of this program"), std::string::npos);
}

// The process of a run goes on for 48 s after its last lap, until its loader's workers are joined.
TEST(TrackRecord, LearnsTheTearDown) {
  Runs runs = slow_later(3);
  for (lapcast::Run& run : runs) {
    run = run_of(run.context.id, 100, 100, 1);
    run.ended_ns += 48 * kTrackSecond;
  }
  const lapcast::Run probe = probe_of("p");
  const Assessment after = with_track_record(assess(probe), probe, 0, TrackRecord(runs));
  EXPECT_NEAR(part_of(*after.forecast, PartKind::tear_down).time.mid.count(), 48, 1e-6);
  EXPECT_NEAR(after.forecast->total.mid.count(), 148, 1.5);
  EXPECT_TRUE(after.forecast->total.contains(Seconds{148}));
  // An ended run's tear-down is its own.
  const Assessment ended = with_track_record(assess(runs[0]), runs[0], 0, TrackRecord(runs));
  EXPECT_EQ(ended.later_end, Seconds{0});
}

TEST(TrackRecord, TheTearDownIsLearnedWhereNoForecastCanBeCompared) {
  Runs runs = slow_later(1);
  runs[0] = run_of("m", 30, 30, 1);  // fewer than twice the 20 laps of the probe
  runs[0].ended_ns += 48 * kTrackSecond;
  const lapcast::Run probe = probe_of("p");
  const Assessment after = with_track_record(assess(probe), probe, 0, TrackRecord(runs));
  EXPECT_NEAR(after.forecast->total.mid.count(), 148, 0.5);
  EXPECT_EQ(recorded_errors(probe.context, *after.profile, *after.plan, 0, TrackRecord(runs))
                .teardown->mid,
            Seconds{48});
}

void add_cache_line(lapcast::Run& run, int added) {
  run.lap_logs.push_back("lapcast-laps 1\n0 hello clock=0 pid=2 host=box\n" +
                         compile_cache_line({"inductor", 5, added}));
}

// What a finished run compiled after its first laps does not come again.
TEST(TrackRecord, RunsThatCompiledTeachOnlyWhereAllDid) {
  Runs runs = slow_later(3);
  const auto count = [&] {
    return TrackRecord(runs).past_forecasts("p", {.laps = 20}).all().size();
  };
  add_cache_line(runs[0], 300);
  EXPECT_EQ(count(), 2U);
  runs.pop_back();
  EXPECT_EQ(count(), 1U);
  add_cache_line(runs[1], 20);
  EXPECT_EQ(count(), 2U);
  runs.pop_back();
  EXPECT_EQ(count(), 0U);
}

// The first of 20 laps compiled for 10 s, of which 3 s are forecast for the next run: it is 23 s
// old after as many laps, and 80 s are left of it.
TEST(TrackRecord, TheObservedPartIsThatOfARunThatStartsAsTheNext) {
  const Runs runs = slow_later(9);
  lapcast::Run probe = probe_of("p");
  std::string& log = probe.lap_logs[0];
  const std::size_t begin = log.find("pid=1\n") + 6;
  log.resize(begin);
  for (int lap = 0; lap < 20; ++lap) log += fmt::format("{} i 10\n", (11 + lap) * kTrackSecond);
  probe.ended_ns = 31 * kTrackSecond;
  add_cache_line(probe, 300);
  const Assessment own = with_compiled_code(assess(probe), probe, {});
  ASSERT_NEAR(own.forecast->total.mid.count(), 103, 1e-6);
  const Assessment after = with_track_record(own, probe, 0, TrackRecord(runs));
  EXPECT_NEAR(after.observed.count(), 23, 1e-6);
  const double bias = after.bias->at(std::log(100));
  EXPECT_GT(bias, 0.1);
  EXPECT_NEAR(after.forecast->total.mid.count(), 23 + 80 * std::exp(bias), 0.1);
}

}  // namespace
}  // namespace lapcast
