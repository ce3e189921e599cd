#include "rank/race_result.h"

#include <gtest/gtest.h>

#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kSecond = 1'000'000'000;

/// Returns a candidate that has run for so long at so many dollars an hour.
RaceRow row(const std::string& name, std::string_view dollars_per_hour, std::int64_t ran_s,
            RaceState state = RaceState::measured) {
  RaceRow row{{name, "", test::offer(name, name, dollars_per_hour)}, {state, {}, ""}, {}};
  lapcast::Run run;
  run.context.id = "run-" + name;
  run.context.machine_type.name = name;
  run.context.price = row.candidate.price;
  run.started_ns = 5 * kSecond;
  run.ended_ns = (5 + ran_s) * kSecond;
  run.outcome = outcome::Enough{"measured"};
  row.run = run;
  return row;
}

Assessment forecast_of(double seconds) {
  Assessment assessment;
  assessment.forecast->total = Interval<Seconds>::exactly(Seconds{seconds});
  return assessment;
}

Assessment unknown() {
  return {because("no"), because("no"), because("no")};
}

LapProfile profile(std::size_t laps) {
  LapProfile profile;
  profile.first_lap = Seconds{0.1};
  profile.init = Seconds{2};
  profile.laps.assign(laps, Seconds{0.1});
  return profile;
}

TEST(RaceResult, WhatCannotBePricedIsNoPickAndNoExpense) {
  const std::vector<RaceRow> rows{row("a", "1", 10), row("b", "3", 10)};
  const double century = 3.2e9;
  EXPECT_TRUE(
      picks_of(std::vector{rows[0]}, std::vector{forecast_of(century)}, RaceGoal::front).empty());
  const std::vector<Assessment> assessments{forecast_of(century), forecast_of(1800)};
  const auto picks = picks_of(rows, assessments, RaceGoal::cost);
  ASSERT_EQ(picks.size(), 1u);
  EXPECT_EQ(picks[0].row, 1u);
  EXPECT_EQ(picks[0].not_known, 1u);
  EXPECT_EQ(cost_of_everything(rows, assessments).cost, Money::parse("1.5"));  // of b: 3 USD/h
}

TEST(RaceResult, WithoutPricesTheFastestIsPicked) {
  std::vector<RaceRow> rows{row("a", "1", 10), row("b", "1", 10)};
  for (RaceRow& each : rows) each.candidate.price.reset();
  const auto picks =
      picks_of(rows, std::vector{forecast_of(3600), forecast_of(1800)}, RaceGoal::front);
  ASSERT_EQ(picks.size(), 1u);
  EXPECT_EQ(picks[0].row, 1u);
  EXPECT_EQ(picks[0].measure, RaceGoal::time);
  EXPECT_DOUBLE_EQ(picks[0].time.mid.count(), 1800);
}

TEST(RaceResult, SumsStopAtWhatMoneyHolds) {
  // 50 years are 438,300 h, which cost 8,766,000,000 USD each at 20,000 USD/h.
  const std::vector<RaceRow> rows{row("a", "20000", 10), row("b", "20000", 10)};
  const std::vector<Assessment> assessments{forecast_of(1'577'880'000), forecast_of(1'577'880'000)};
  EXPECT_EQ(cost_of_everything(rows, assessments).cost, Money::from_nanos(INT64_MAX));
}

TEST(RaceResult, CheapestAndFastestOfEachGroup) {
  std::vector<RaceRow> rows{row("a", "1", 10), row("b", "3", 10),
                            row("c", "0.01", 10, RaceState::failed), row("d", "9", 10)};
  rows[3].candidate.group = "64";
  const std::vector<Assessment> assessments{forecast_of(3600), forecast_of(1800), forecast_of(1),
                                            forecast_of(7200)};
  const auto picks = picks_of(rows, assessments, RaceGoal::front);
  ASSERT_EQ(picks.size(), 4u);
  EXPECT_EQ(picks[0].row, 0u);
  EXPECT_EQ(picks[0].measure, RaceGoal::cost);
  EXPECT_EQ(picks[0].cost.mid, Money::parse("1"));
  EXPECT_NEAR(picks[0].chance_wrong, 0, 1e-9);
  EXPECT_EQ(picks[0].not_known, 1u);
  EXPECT_EQ(picks[1].row, 1u);
  EXPECT_EQ(picks[1].time.mid, Seconds{1800});
  EXPECT_EQ(picks[2].group, "64");
  EXPECT_EQ(picks[2].row, 3u);
  EXPECT_EQ(picks_of(rows, assessments, RaceGoal::time).size(), 2u);
}

TEST(RaceResult, WhatPutOneOutHoldsAgainstItsForecast) {
  std::vector<RaceRow> rows{row("a", "1", 10, RaceState::out), row("b", "1", 10)};
  rows[0].standing.observed.total = Interval<Seconds>{Seconds{200}, Seconds{250}, Seconds{300}};
  const auto picks = picks_of(rows, std::vector{forecast_of(90), forecast_of(100)}, RaceGoal::time);
  ASSERT_EQ(picks.size(), 1u);
  EXPECT_EQ(picks[0].row, 1u);
}

TEST(RaceResult, APlainProbeGoesOnUntilItHasEnough) {
  const auto time = [](std::size_t laps, double ran_s, Seconds budget, int rounds) {
    return plain_probe_time(profile(laps), Seconds{ran_s}, {0.05, budget, rounds});
  };
  // 100 equal laps are enough, so the probe takes as long as it took.
  EXPECT_EQ(time(100, 12, Seconds{60}, 1), Seconds{12});
  // Two more rounds have five laps of 0.1 s each.
  EXPECT_NEAR(time(100, 12, Seconds{60}, 3).count(), 13, 1e-9);
  // Three laps are never enough: the probe goes on, to its budget at most.
  const Seconds longer = time(3, 1, Seconds{0}, 1);
  EXPECT_GT(longer, Seconds{1});
  EXPECT_EQ(time(3, 1, (longer + Seconds{1}) / 2, 1), (longer + Seconds{1}) / 2);
  EXPECT_EQ(time(3, 1, Seconds{0.5}, 3), Seconds{1});  // it ran so long
}

TEST(RaceResult, WhatTheSearchesCost) {
  std::vector<RaceRow> rows{row("a", "3.6", 10, RaceState::out), row("b", "7.2", 20),
                            row("c", "3.6", 30, RaceState::failed), RaceRow{{"d", "", {}}, {}, {}}};
  std::vector<Assessment> assessments{forecast_of(1000), forecast_of(2000), unknown(), unknown()};
  // 100 laps are enough, and two more rounds of 0.5 s make the 10 s of a into 11. Nothing is known
  // of the laps of b; c failed.
  assessments[0].profile = profile(100);
  assessments[1].profile = tl::unexpected(Reason{"no laps"});
  const Expense plain = cost_of_plain_probes(rows, assessments, {0.05, Seconds{60}, 3});
  EXPECT_NEAR(plain.time.count(), 11 + 20 + 30, 1e-9);
  EXPECT_EQ(plain.cost, Money::parse("0.081"));  // 0.011 + 0.040 + 0.030
  rows[0].candidate.in_one_piece = true;
  EXPECT_EQ(cost_of_plain_probes(rows, assessments, {0.05, Seconds{60}, 3}).time, Seconds{60});
  EXPECT_EQ(time_to_first_laps(assessments), Seconds{2});
  const Expense everything = cost_of_everything(rows, assessments);
  EXPECT_EQ(everything.time, Seconds{1000 + 2000 + 30});
  EXPECT_EQ(everything.cost, Money::parse("5.03"));
  const Expense race = cost_of_runs(std::vector{*rows[0].run, *rows[1].run});
  EXPECT_EQ(race.time, Seconds{30});
  EXPECT_EQ(race.cost, Money::parse("0.05"));
}

}  // namespace
}  // namespace lapcast
