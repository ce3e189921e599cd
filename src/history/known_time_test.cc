#include "history/known_time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "history/time_by_epochs.h"
#include "run/run.h"

namespace lapcast {
namespace {

constexpr double kNsOfKnown = 1e9;

/// Returns a run of 40 laps of 1 s that began after 2 s; the 20th lap took 11 s, a stall. It ended
/// by itself after 53 s.
Run stalled_run() {
  Run run;
  run.context.id = "a";
  run.context.program = {"train"};
  run.context.plan.steps = 40;
  run.outcome = outcome::Ended{};
  std::string log = "lapcast-laps 1\n0 hello clock=0\n2000000000 epoch-begin 1\n";
  double now = 2;
  for (int i = 0; i < 40; ++i) {
    now += i == 19 ? 11 : 1;
    log += fmt::format("{:.0f} i 10\n", now * kNsOfKnown);
  }
  run.lap_logs = {log};
  run.ended_ns = std::llround(53 * kNsOfKnown);
  return run;
}

Seconds sum_of_parts(const Assessment& assessment) {
  Seconds sum{0};
  for (const ForecastPart& part : assessment.forecast->parts) sum += part.time.mid;
  return sum;
}

// The mean lap leaves the stall out: the forecast of another run is 43 s.
TEST(KnownTime, ARunSeenToItsEndTakesItsTime) {
  const lapcast::Run run = stalled_run();
  ASSERT_NEAR(assess(run).forecast->total.mid.count(), 43, 0.1);
  const Assessment known = with_known_time(assess(run), run);
  EXPECT_EQ(known_time(run, known), Seconds{53});
  EXPECT_EQ(known.forecast->total.mid, Seconds{53});
  EXPECT_LT(known.forecast->total.low, Seconds{53});
  EXPECT_GT(known.forecast->total.high, Seconds{53});
  EXPECT_NEAR(sum_of_parts(known).count(), 53, 1e-9);
  EXPECT_NEAR(time_of(known, *known.plan)->count(), 53, 1e-9);

  const Assessment of_run = of_this_run(known, run);
  EXPECT_EQ(of_run.forecast->total, Interval<Seconds>::exactly(Seconds{53}));
  for (const ForecastPart& part : of_run.forecast->parts) EXPECT_EQ(part.time.low, part.time.high);
}

// Twice the laps take 40 s more, and half of them 20 s less.
TEST(KnownTime, OtherPlansGoOnFromIt) {
  const lapcast::Run run = stalled_run();
  for (const auto& [steps, seconds] : {std::pair(80, 93.0), std::pair(20, 33.0)}) {
    const Assessment known = with_known_time(assess(run, {.plan = {.steps = steps}}), run);
    EXPECT_FALSE(known_time(run, known));
    EXPECT_NEAR(known.forecast->total.mid.count(), seconds, 0.1);
    EXPECT_NEAR(sum_of_parts(known).count(), known.forecast->total.mid.count(), 1e-9);
    EXPECT_EQ(of_this_run(known, run).forecast->total, known.forecast->total);
  }
}

// Forecasts of the rest after 10 s were a fifth too short.
TEST(KnownTime, EarlierRunsDoNotCorrectIt) {
  const lapcast::Run run = stalled_run();
  Assessment corrected = assess(run);
  const ComparedTraining same = training_numbers(*corrected.profile, *corrected.plan);
  corrected.bias = std::make_shared<const PastBias>(
      same, PastForecasts({{same, std::log(1.25)}, {same, std::log(1.25)}}));
  corrected.observed = Seconds{10};
  ASSERT_GT(time_of(corrected, *corrected.plan)->count(), 44);
  const Assessment known = with_known_time(corrected, run);
  EXPECT_EQ(known.forecast->total.mid, Seconds{53});
  EXPECT_NEAR(time_of(known, *known.plan)->count(), 53, 1e-9);
}

TEST(KnownTime, IsNotKnownOfOtherRuns) {
  lapcast::Run stopped = stalled_run();
  stopped.outcome = outcome::Enough{};
  EXPECT_FALSE(known_time(stopped, with_known_time(assess(stopped), stopped)));

  lapcast::Run planned_more = stalled_run();
  planned_more.context.plan.steps = 80;
  EXPECT_FALSE(known_time(planned_more, with_known_time(assess(planned_more), planned_more)));

  const lapcast::Run run = stalled_run();
  const Assessment papers = assess(run, {.method = Method::second_iteration});
  EXPECT_FALSE(known_time(run, with_known_time(papers, run)));
}

// The next start is known to take 20 s longer, so that the next run does.
TEST(KnownTime, ANextRunThatStartsOtherwiseIsForecast) {
  const lapcast::Run run = stalled_run();
  Assessment cold = assess(run);
  cold.profile->next_init = Interval<Seconds>::exactly(Seconds{22});
  cold.forecast = forecast(*cold.profile, *cold.plan);
  const Assessment next = with_known_time(cold, run);
  EXPECT_FALSE(known_time(run, next));
  EXPECT_NEAR(next.forecast->total.mid.count(), 63, 0.1);  // 43 s and 20 s: no stall
  EXPECT_EQ(next.later_end, Seconds{0});
}

}  // namespace
}  // namespace lapcast
