#include "history/moments.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "forecast/time_cases.h"
#include "history/compile_starts.h"
#include "rank/odds.h"
#include "run/compile_caches.h"

namespace lapcast {
namespace {

using Runs = std::vector<Run>;

constexpr std::int64_t kMomentSecond = 1'000'000'000;

/// Returns a probe of 40 laps of a training of 1000, which started at that second of the clock.
Run probe_at(std::int64_t second, double lap_s, const std::string& machine = "a") {
  Run run;
  run.context.id = fmt::format("{}{}", machine, second);
  run.context.program = {"train"};
  run.context.machine_type.name = machine;
  run.context.plan.steps = 1000;
  run.started_ns = second * kMomentSecond;
  std::string log =
      fmt::format("lapcast-laps 1\n0 hello clock={} wall=1790000000.0 pid=1\n", run.started_ns);
  for (int lap = 1; lap <= 40; ++lap)
    log += fmt::format("{} i 10\n", std::llround(lap * lap_s * kMomentSecond));
  run.lap_logs = {log};
  run.ended_ns = run.started_ns + std::llround(40 * lap_s * kMomentSecond);
  run.outcome = outcome::Enough{};
  return run;
}

double width(const Interval<Seconds>& time) {
  return time.high / time.low;
}

Assessment corrected(const Runs& runs, std::size_t which,
                     const Moments::RunsByProgram& earlier = {}) {
  const Moments moments(runs, "this program", earlier, Conditions::as_measured);
  return moments.corrected(assess(runs[which]), runs[which]);
}

// Two moments at 100 and 121 ms: the geometric mean is 110 ms.
TEST(Moments, AllProbesOfACandidateCount) {
  const Runs runs{probe_at(100, 0.1), probe_at(1000, 0.121)};
  const Assessment of_first = corrected(runs, 0);
  const Assessment of_second = corrected(runs, 1);
  ASSERT_TRUE(of_first.forecast && of_second.forecast);
  EXPECT_NEAR(of_first.forecast->total.mid.count(), 110, 1.5);
  EXPECT_NEAR(of_second.forecast->total.mid.count(), of_first.forecast->total.mid.count(), 0.5);
  EXPECT_GT(width(of_first.forecast->total), width(assess(runs[0]).forecast->total));
  EXPECT_LT(of_first.forecast->total.low.count(), 100);
  EXPECT_GT(of_first.forecast->total.high.count(), 121);
}

// A wander of seconds averages out over a long rest, one of minutes does not.
TEST(Moments, TheRestOfARunMayWander) {
  const lapcast::Run run = probe_at(100, 0.1);
  const LapProfile profile = *assess(run).profile;
  const double of_short = wander_of_rest(run.context, profile, Seconds{2});
  const double of_long = wander_of_rest(run.context, profile, Seconds{2000});
  EXPECT_GT(of_short, of_long);
  EXPECT_GT(of_long, 0.01);
  EXPECT_LT(of_short, 0.5);
  EXPECT_EQ(wander_of_rest(run.context, profile, Seconds{0}), 0);
  EXPECT_EQ(wander_of_rest(run.context, LapProfile(), Seconds{2}), 0);
}

// The laps of this probe took 100 ms, and the total counts 110: so does its part of the laps.
TEST(Moments, ThePartsSumToTheTotal) {
  const Assessment made = corrected({probe_at(100, 0.1), probe_at(1000, 0.121)}, 0);
  ASSERT_TRUE(made.forecast);
  Seconds sum{0};
  for (const ForecastPart& part : made.forecast->parts) sum += part.time.mid;
  EXPECT_NEAR(sum.count(), made.forecast->total.mid.count(), 1e-9);
}

TEST(Moments, CasesAreThoseOfTheMean) {
  const Runs runs{probe_at(100, 0.1), probe_at(1000, 0.121)};
  const Assessment made = corrected(runs, 0);
  ASSERT_TRUE(made.cases);
  ASSERT_EQ(made.cases->size(), static_cast<std::size_t>(kCases));
  std::vector<double> cases = *made.cases;
  std::ranges::sort(cases);
  EXPECT_NEAR(cases[cases.size() / 2], made.forecast->total.mid.count(), 3);
  // The mean over moments is known better than one run.
  EXPECT_GT(cases[cases.size() / 40], made.forecast->total.low.count());
  EXPECT_LT(cases[cases.size() - cases.size() / 40], made.forecast->total.high.count());
}

TEST(Moments, EarlierRunsOfTheMachineShowHowItWanders) {
  Runs restless;
  Runs steady;
  for (int i = 0; i < 12; ++i) {
    restless.push_back(probe_at(10000 + 500 * i, i % 2 == 0 ? 0.2 : 0.3));
    steady.push_back(probe_at(10000 + 500 * i, 0.25 + 0.0001 * (i % 3)));
    restless.back().context.sweep = steady.back().context.sweep = "earlier";
  }
  const Runs runs{probe_at(100, 0.1)};
  EXPECT_GT(width(corrected(runs, 0, {{"earlier", restless}}).forecast->total),
            1.2 * width(corrected(runs, 0, {{"earlier", steady}}).forecast->total));
}

// Two sweeps a day apart, of two probes each, 20 minutes from each other. In both a lap takes 0.1 s
// throughout; only their difference can show that days differ.
TEST(Moments, SweepsOfOneProgramShowHowFarDaysDiffer) {
  Runs today{probe_at(100, 0.1), probe_at(1300, 0.1)};
  Runs yesterday{probe_at(100, 0.15), probe_at(1300, 0.15)};
  for (lapcast::Run& run : yesterday) run.context.started_at = "2026-11-20T12:00:00Z";
  for (lapcast::Run& run : today) run.context.started_at = "2026-11-21T12:00:00Z";
  yesterday[1].context.started_at = "2026-11-20T12:20:00Z";
  today[1].context.started_at = "2026-11-21T12:20:00Z";
  const double joined = width(corrected(today, 0, {{"this program", yesterday}}).forecast->total);
  const double apart = width(corrected(today, 0, {{"another", yesterday}}).forecast->total);
  EXPECT_GT(joined, 1.2 * apart);
  for (lapcast::Run& run : yesterday) run.lap_logs = today[0].lap_logs;
  const double alike = width(corrected(today, 0, {{"this program", yesterday}}).forecast->total);
  EXPECT_GT(joined, 1.2 * alike);
}

/// Returns six starts on that many CPUs, whose laps take 0.1 s or so many times as long, in turn.
Runs on_cpus(int cpus, double ratio) {
  Runs runs;
  for (int i = 0; i < 6; ++i) {
    runs.push_back(probe_at(100 * i + cpus, i % 2 == 0 ? 0.1 : 0.1 * ratio));
    runs.back().context.machine_type.name = fmt::format("{}c", cpus);
    for (int cpu = 0; cpu < cpus; ++cpu) runs.back().context.machine_type.cpus.push_back(cpu);
  }
  return runs;
}

// A neighbour who uses one of two CPUs slows programs on both, and hardly one that needs one: what
// the first shows counts in part for the others.
TEST(Moments, KindsOfOneMachineTeachEachOther) {
  Runs runs = on_cpus(1, 1.001);
  const Assessment alone = corrected(runs, 0);
  std::ranges::copy(on_cpus(2, 1.6), std::back_inserter(runs));
  const Assessment beside = corrected(runs, 0);
  EXPECT_GT(width(beside.forecast->total), 1.02 * width(alone.forecast->total));
  runs.resize(6);
  std::ranges::copy(on_cpus(2, 1.001), std::back_inserter(runs));
  const Assessment beside_steady = corrected(runs, 0);
  EXPECT_LT(width(beside_steady.forecast->total), width(beside.forecast->total));
}

// The last of 70 candidates takes 169 ms a lap.
TEST(Moments, ManyCandidatesAreEstimatedInParts) {
  Runs runs;
  for (int i = 0; i < 70; ++i)
    for (const int second : {100 + i, 1000 + i}) {
      runs.push_back(probe_at(second, 0.1 + 0.001 * i, fmt::format("m{}", i)));
      runs.back().context.machine.host = "one";
    }
  const Assessment last = corrected(runs, 139);
  ASSERT_TRUE(last.forecast && last.cases);
  EXPECT_NEAR(last.forecast->total.mid.count(), 169, 2);
  EXPECT_EQ(last.cases->size(), static_cast<std::size_t>(kCases));
  std::vector<double> cases = *last.cases;
  std::ranges::sort(cases);
  EXPECT_NEAR(cases[cases.size() / 2], 169, 3);
}

TEST(Moments, AnExclusiveMachineIsExpectedToVaryLess) {
  Runs shared{probe_at(100, 0.1)};
  shared[0].context.machine.hypervisor = "KVM";
  Runs exclusive = shared;
  exclusive[0].context.machine_type.exclusive = true;
  EXPECT_LT(width(corrected(exclusive, 0).forecast->total),
            width(corrected(shared, 0).forecast->total));
}

// Others are what slows a program that may use all CPUs of a guest.
TEST(Moments, UndisturbedAGuestIsExpectedToVaryLess) {
  Runs runs{probe_at(100, 0.1)};
  runs[0].context.machine.hypervisor = "KVM";
  runs[0].lap_logs[0] += "4000000000 load 4000000000 cpus=2 delay=0 others=0\n";
  const auto of = [&](Conditions conditions) {
    const Moments moments(runs, "this program", {}, conditions);
    return moments.corrected(assess(runs[0], {.conditions = conditions}), runs[0]).forecast->total;
  };
  EXPECT_GT(width(of(Conditions::as_measured)), 1.3 * width(of(Conditions::undisturbed)));
}

TEST(Moments, OfAnotherCandidateNothingIsKnown) {
  const Runs runs{probe_at(100, 0.1)};
  const Moments moments(runs, "", {}, Conditions::as_measured);
  const lapcast::Run other = probe_at(200, 0.1, "b");
  const Assessment before = assess(other);
  const Assessment after = moments.corrected(before, other);
  EXPECT_EQ(after.forecast->total.low, before.forecast->total.low);
  EXPECT_FALSE(after.cases);
}

/// Returns a probe whose first 30 laps take 0.1 s and whose last 10 take 60 ms, as where a device
/// has an empty queue.
lapcast::Run with_low_end() {
  lapcast::Run run = probe_at(100, 0.1);
  std::string log =
      fmt::format("lapcast-laps 1\n0 hello clock={} wall=1790000000.0 pid=1\n", run.started_ns);
  for (int lap = 1; lap <= 40; ++lap) {
    const double seconds = 0.1 * std::min(lap, 30) + 0.06 * std::max(0, lap - 30);
    log += fmt::format("{} i 10\n", std::llround(seconds * kMomentSecond));
  }
  run.lap_logs = {log};
  return run;
}

// The probe's steady lap is 60 ms, and its 30 laps before take 1.2 s longer. By a real run of 1000
// laps the lap is nearly 100 ms: the 30 laps are no slower than that.
TEST(Moments, ACorrectedLapTakesTheWarmUpBack) {
  const Runs runs{with_low_end(), probe_at(1000, 0.1), probe_at(2000, 0.1), probe_at(3000, 0.1)};
  const Assessment alone = assess(runs[0]);
  ASSERT_NEAR(alone.profile->steady.mean.mid.count(), 0.06, 1e-3);
  ASSERT_NEAR(part_of(*alone.forecast, PartKind::warm_up).time.mid.count(), 1.2, 0.01);
  const Assessment made = corrected(runs, 0);
  const double lap = 0.06 * std::exp(made.log_laps);
  EXPECT_GT(lap, 0.08);
  EXPECT_NEAR(part_of(*made.forecast, PartKind::warm_up).time.mid.count(), 30 * (0.1 - lap), 0.02);
  double sum = 0;
  for (const ForecastPart& part : made.forecast->parts) sum += part.time.mid.count();
  EXPECT_NEAR(sum, made.forecast->total.mid.count(), 1e-9);
}

/// Returns probe_at() of a candidate whose first lap begins after that many seconds.
lapcast::Run started_in(std::int64_t second, double init_s, const std::string& batch) {
  lapcast::Run run = probe_at(second, 0.1);
  run.context.settings["batch"] = batch;
  run.context.start = StartKind::warm;
  std::string log =
      fmt::format("lapcast-laps 1\n0 hello clock={} wall=1790000000.0 pid=1\n", run.started_ns);
  log += fmt::format("{} epoch-begin 1\n", std::llround(init_s * kMomentSecond));
  for (int lap = 1; lap <= 40; ++lap)
    log += fmt::format("{} i 10\n", std::llround((init_s + lap * 0.1) * kMomentSecond));
  run.lap_logs = {log};
  run.ended_ns += std::llround(init_s * kMomentSecond);
  return run;
}

// Starts of 9 and 11 s differ by no more than chance: the next one of each takes about 10 s.
TEST(Moments, StartsArePooledOverCandidates) {
  const Runs runs{started_in(100, 9, "32"), started_in(200, 11, "128"), started_in(300, 9.5, "128"),
                  started_in(400, 10.5, "32")};
  const double geometric = std::pow(9 * 11 * 9.5 * 10.5, 0.25);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Assessment made = corrected(runs, i);
    const Interval<Seconds> init = part_of(*made.forecast, PartKind::init).time;
    EXPECT_NEAR(init.mid.count(), geometric, 1e-6);
    EXPECT_TRUE(init.low < Seconds{9} && Seconds{11} < init.high);
    EXPECT_LT(init.high / init.low, std::exp(2 * 1.96 * 0.12));
    EXPECT_NEAR(made.profile->init.count(), i == 0 ? 9 : made.profile->init.count(), 1e-9);
  }
}

// One setting compiles for half a minute, again and again: its start stays its own.
TEST(Moments, ACandidateThatStartsOtherwiseKeepsItsStart) {
  const Runs runs{started_in(100, 10, "a"), started_in(200, 10.4, "b"), started_in(300, 40, "c"),
                  started_in(400, 41, "c")};
  const auto init = [&](std::size_t i) {
    return part_of(*corrected(runs, i).forecast, PartKind::init).time.mid.count();
  };
  EXPECT_NEAR(init(2), 40.5, 1.5);
  EXPECT_NEAR(init(0), 10.2, 0.6);
}

/// Says in the logs of a run that a cache of the inductor grew by so many files.
void add_cache(lapcast::Run& run, int added) {
  run.lap_logs.push_back("lapcast-laps 1\n0 hello clock=0 pid=2 host=box\n" +
                         compile_cache_line({"inductor", 5, added}));
}

// The first run compiled, in 30 s: it says nothing of the next start, which takes 10 s.
TEST(Moments, AStartThatCompiledIsNotPooledWithWarmOnes) {
  Runs runs{started_in(100, 40, "32"), started_in(200, 10, "32"), started_in(300, 10, "128")};
  for (std::size_t i = 0; i < runs.size(); ++i) add_cache(runs[i], i == 0 ? 300 : 0);
  for (std::size_t i = 0; i < runs.size(); ++i)
    EXPECT_NEAR(part_of(*corrected(runs, i).forecast, PartKind::init).time.mid.count(), 10, 1e-6);
}

// What with_compiled_code() knows of the next warm-up is in the forecast still, however starts are
// pooled: 20 s for a first lap with cold caches, which may come again.
TEST(Moments, TheWarmUpOfCompiledCodeStaysCorrected) {
  Runs runs;
  for (const char* batch : {"32", "128"}) {
    lapcast::Run run = probe_at(100, 0.1);
    run.context.settings["batch"] = batch;
    std::string& log = run.lap_logs[0];
    log = fmt::format(
        "lapcast-laps 1\n0 hello clock={} wall=1790000000.0 pid=1\n2000000000 epoch-begin 1\n",
        run.started_ns);
    for (int lap = 0; lap < 40; ++lap)
      log += fmt::format("{} i 10\n", 22'000'000'000 + lap * 100'000'000LL);
    run.ended_ns += 22 * kMomentSecond;
    add_cache(run, 300);
    runs.push_back(run);
  }
  const Moments moments(runs, "this program", {}, Conditions::as_measured);
  const Assessment made =
      moments.corrected(with_compiled_code(assess(runs[0]), runs[0], {}), runs[0]);
  // Warm: 2 + 0.3 x 19.9 + 100 s; cold: 122 s.
  EXPECT_NEAR(made.forecast->total.mid.count(), 108, 0.5);
  EXPECT_NEAR(part_of(*made.forecast, PartKind::warm_up).time.mid.count(), 0.3 * 19.9, 0.01);
  EXPECT_GE(made.forecast->total.high.count(), 122);
}

// Runs of the program in an earlier sweep started in 10 s, which this probe alone does not show.
TEST(Moments, EarlierRunsOfTheProgramTellItsStart) {
  const Runs earlier{started_in(100, 10, "32"), started_in(200, 10, "32")};
  const Runs now{started_in(900, 12, "32")};
  const Assessment made = corrected(now, 0, {{"this program", earlier}});
  EXPECT_NEAR(part_of(*made.forecast, PartKind::init).time.mid.count(), std::cbrt(1200), 1e-6);
  const Assessment other = corrected(now, 0, {{"another program", earlier}});
  EXPECT_NEAR(part_of(*other.forecast, PartKind::init).time.mid.count(), 12, 1e-6);
}

// 12 s of a cold start and 8 s of warm ones: 10 s of laps make the former 22 s.
TEST(Moments, ColdAndWarmStartsAreBothSaidWhereTheyDiffer) {
  Runs runs{started_in(100, 12, "32"), started_in(200, 8, "32"), started_in(300, 8, "32")};
  runs[0].context.start = StartKind::cold;
  for (lapcast::Run& run : runs) run.context.plan.steps = 100;
  const Assessment made = corrected(runs, 1);
  EXPECT_NEAR(made.forecast->total.mid.count(), 18, 0.6);
  ASSERT_FALSE(made.profile->notes.empty());
  EXPECT_NE(made.profile->notes.back().find("after a cold one, as on a fresh machine, 22"),
            std::string::npos);
}

TEST(Moments, OneStartAloneStaysWhatItWas) {
  const Runs runs{started_in(100, 9, "32")};
  EXPECT_EQ(part_of(*corrected(runs, 0).forecast, PartKind::init).time,
            part_of(*assess(runs[0]).forecast, PartKind::init).time);
}

}  // namespace
}  // namespace lapcast
