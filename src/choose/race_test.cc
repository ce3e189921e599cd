#include <gtest/gtest.h>

#include <cmath>

#include "choose/race.h"
#include "choose/ranking_fixture_test.h"
#include "stats/distributions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

RaceCandidate candidate(const std::string& name, std::string_view dollars_per_hour,
                        const std::string& group = "") {
  return {name, group, test::offer(name, name, dollars_per_hour)};
}

RaceObservation observed(std::int64_t laps, double low, double mid, double high,
                         bool measured = false) {
  return {laps, Seconds{1}, Interval<Seconds>{Seconds{low}, Seconds{mid}, Seconds{high}}, measured};
}

using Order = std::vector<std::size_t>;

// 3.6 USD an hour are 0.001 USD a second.
TEST(Race, WhoCanNoLongerBeTheCheapestIsOut) {
  Race race({candidate("a", "3.6"), candidate("b", "7.2"), candidate("c", "3.6")}, RaceGoal::cost,
            0.95);
  race.report(0, observed(3, 80, 100, 125));
  race.report(1, observed(3, 60, 70, 80));
  EXPECT_EQ(race.standing(1).state, RaceState::open);  // at least 0.12, a at most 0.125
  race.report(0, observed(6, 90, 100, 110));
  EXPECT_EQ(race.standing(1).state, RaceState::out);
  EXPECT_EQ(race.standing(1).reason,
            "can no longer be the cheapest (at least $0.12, best at most $0.11)");
  EXPECT_EQ(race.standing(2).state, RaceState::waiting);
}

TEST(Race, WhoIsOutStaysOutAndStillRulesOutOthers) {
  Race race({candidate("a", "3.6"), candidate("b", "3.6"), candidate("c", "3.6")}, RaceGoal::time,
            0.95);
  race.report(0, observed(3, 80, 90, 95));
  race.report(1, observed(3, 100, 110, 120));
  EXPECT_EQ(race.standing(1).state, RaceState::out);
  EXPECT_EQ(race.standing(1).reason,
            "can no longer be the fastest (at least 1 min 40 s, best at most 1 min 35 s)");
  race.report(0, observed(6, 80, 100, 130));
  EXPECT_EQ(race.standing(1).state, RaceState::out);
  race.report(2, observed(3, 125, 126, 127));  // above b's 120, below a's 130
  EXPECT_EQ(race.standing(2).state, RaceState::out);
}

TEST(Race, ABaselineIsComparedWithEveryGroupAndNeverOut) {
  Race race({candidate("default", "3.6"), candidate("malloc", "3.6", "malloc"),
             candidate("threads", "3.6", "threads"), candidate("wait", "3.6", "wait")},
            RaceGoal::time, 0.95);
  Race with_baseline({{"default", "", std::nullopt, true},
                      {"malloc", "malloc", std::nullopt},
                      {"threads", "threads", std::nullopt},
                      {"wait", "wait", std::nullopt}},
                     RaceGoal::time, 0.95);
  for (Race* each : {&race, &with_baseline}) {
    each->report(0, observed(3, 90, 100, 110));
    each->report(1, observed(3, 45, 50, 55));
    each->report(2, observed(3, 115, 120, 125));
    each->report(3, observed(3, 92, 99, 106));
  }
  EXPECT_EQ(with_baseline.standing(0).state, RaceState::open);  // wait is as fast
  EXPECT_EQ(with_baseline.standing(1).state, RaceState::decided);
  EXPECT_EQ(with_baseline.standing(2).state, RaceState::out);
  EXPECT_EQ(with_baseline.standing(3).state, RaceState::open);
  // Without a baseline the groups are races of their own: nothing puts threads out.
  EXPECT_EQ(race.standing(2).state, RaceState::decided);
  with_baseline.report(3, observed(9, 85, 87, 89));
  EXPECT_EQ(with_baseline.standing(0).state, RaceState::decided);
  EXPECT_EQ(with_baseline.standing(3).state, RaceState::decided);
}

TEST(Race, OnTheFrontIsWhoIsNotSurelyDearerAndSlowerThanOne) {
  Race race({candidate("cheap", "3.6"), candidate("fast", "36"), candidate("both", "5.4"),
             candidate("none", "9")},
            RaceGoal::front, 0.95);
  race.report(0, observed(9, 95, 100, 105));  // 0.095 to 0.105 USD
  race.report(1, observed(9, 19, 20, 21));    // 0.19 to 0.21 USD
  race.report(2,
              observed(9, 80, 90, 100));  // 0.12 to 0.15 USD: dearer than cheap, not surely slower
  race.report(3, observed(9, 110, 115, 120));  // 0.275 USD and 110 s at least
  for (const std::size_t i : {0, 1, 2}) EXPECT_NE(race.standing(i).state, RaceState::out) << i;
  EXPECT_EQ(race.standing(1).state, RaceState::decided);
  EXPECT_EQ(race.standing(2).state, RaceState::open);  // as quick as cheap, for all that is known
  EXPECT_EQ(race.standing(3).state, RaceState::out);
  EXPECT_EQ(race.standing(3).reason,
            "can no longer be the cheapest, the fastest or between them (at least $0.275 and "
            "1 min 50 s; cheap at most $0.105 and 1 min 45 s)");
}

TEST(Race, EqualsAreNotPutOut) {
  Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::front, 0.95);
  race.report(0, observed(9, 100, 100, 100, true));
  race.report(1, observed(9, 100, 100, 100, true));
  EXPECT_EQ(race.standing(0).state, RaceState::measured);
  EXPECT_EQ(race.standing(1).state, RaceState::measured);
  EXPECT_TRUE(race.order().empty());
}

TEST(Race, WhosePlaceIsSureNeedsNoMoreLaps) {
  Race race({candidate("cheap", "3.6"), candidate("fast", "36"), candidate("late", "36")},
            RaceGoal::front, 0.95);
  race.report(0, observed(6, 95, 100, 105));           // 0.095 to 0.105 USD
  race.report(1, observed(6, 19, 20, 21));             // 0.19 to 0.21 USD
  EXPECT_EQ(race.standing(1).state, RaceState::open);  // nothing is known of the third
  race.report(2, observed(3, 20, 30, 50));             // perhaps the fastest
  EXPECT_EQ(race.standing(0).state, RaceState::decided);
  EXPECT_EQ(race.order(), (Order{1, 2}));
  race.report(2, observed(6, 22, 30, 40));
  EXPECT_EQ(race.standing(1).state, RaceState::decided);
  EXPECT_EQ(race.standing(2).state, RaceState::out);
  EXPECT_TRUE(race.order().empty());
}

TEST(Race, TheLastOneLeftIsDecided) {
  Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::cost, 0.95);
  race.report(0, observed(3, 80, 100, 125));
  race.fail(1, "crashed");
  EXPECT_EQ(race.standing(0).state, RaceState::decided);
}

TEST(Race, GroupsAreNotCompared) {
  Race race({candidate("a", "1", "32"), candidate("b", "1", "64")}, RaceGoal::cost, 0.95);
  race.report(0, observed(9, 100, 100, 100));
  race.report(1, observed(9, 200, 200, 200));
  EXPECT_EQ(race.standing(0).state, RaceState::decided);
  EXPECT_EQ(race.standing(1).state, RaceState::decided);
}

// With an error of 0.05 / 2 / 2 the running time is divided by exp(2.49771 x 0.3) = 2.11554.
TEST(Race, RunningTimeAloneRulesOut) {
  Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::time, 0.95);
  race.report(0, observed(9, 90, 100, 100));
  const Round round = race.next_round(1);
  EXPECT_EQ(round.laps, Race::kFirstLaps);
  EXPECT_NEAR(round.ran.count(), 1.01 * 211.554, 0.01);
  race.report(1, {0, round.ran, std::nullopt, false});
  EXPECT_EQ(race.standing(1).state, RaceState::out);
}

TEST(Race, CheapOnesThenTheLeaderThenByHope) {
  Race race({candidate("a", "3"), candidate("b", "1"), candidate("c", "2"), candidate("d", "4")},
            RaceGoal::time, 0.95);
  EXPECT_EQ(race.order(), (Order{1, 2, 0, 3}));
  race.report(1, observed(3, 50, 100, 200));
  race.report(2, observed(3, 40, 120, 300));
  race.report(0, observed(3, 90, 150, 200));
  EXPECT_EQ(race.order(), (Order{3, 1, 2, 0}));
  race.fail(3, "crashed");
  EXPECT_EQ(race.order(), (Order{1, 2, 0}));
  race.report(1, observed(60, 98, 100, 102, true));
  EXPECT_EQ(race.order(), (Order{2, 0}));
  EXPECT_EQ(race.next_round(2).laps, 6);
}

TEST(Race, TheErrorIsSharedByCandidatesAndAttempts) {
  const Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::cost, 0.9);
  EXPECT_NEAR(race.error_of_each(1), 0.025, 1e-12);
  EXPECT_NEAR(race.error_of_each(2), 0.0125, 1e-12);
  EXPECT_THROW(Race({candidate("a", "1")}, RaceGoal::cost, 1), Error);
}

TEST(Race, ACandidateWithoutAPriceIsNotPutOutByCost) {
  RaceCandidate unpriced{"b", "", std::nullopt};
  Race race({candidate("a", "1"), unpriced}, RaceGoal::front, 0.95);
  race.report(0, observed(9, 1, 1, 1));
  race.report(1, observed(9, 200, 200, 200));
  EXPECT_EQ(race.standing(1).state, RaceState::open);
}

const HourlyPrice kPrice{Money::parse("1.80")};

TEST(RacePause, TakesWhatCostsLess) {
  // Idling for 60 s at 1.80 USD an hour cost 0.03 USD, a new start of 20 s costs 0.01 USD.
  EXPECT_EQ(between_rounds({kPrice, true, true, Seconds{60}, Seconds{20}}), PauseMethod::restart);
  EXPECT_EQ(between_rounds({kPrice, true, true, Seconds{10}, Seconds{20}}), PauseMethod::suspend);
  EXPECT_EQ(between_rounds({kPrice, true, true, Seconds{20}, Seconds{20}}), PauseMethod::suspend);
}

TEST(RacePause, SuspendsWhereIdlingCostsNothing) {
  EXPECT_EQ(between_rounds({kPrice, true, false, Seconds{600}, Seconds{1}}), PauseMethod::suspend);
  EXPECT_EQ(between_rounds({{Money()}, true, true, Seconds{600}, Seconds{1}}),
            PauseMethod::suspend);
}

TEST(RacePause, ACandidateThatCannotBeSuspendedStartsAgain) {
  EXPECT_EQ(between_rounds({kPrice, false, false, Seconds{0}, Seconds{600}}), PauseMethod::restart);
}

/// Returns an assessment with 100 s of laps known to +-10 s and 10 s of other work known to +-1 s;
/// two runs differ by 2 %.
Assessment planted(double laps, double effective) {
  LapProfile profile;
  profile.steady.laps = static_cast<std::int64_t>(laps);
  profile.steady.effective_laps = effective;
  Forecast forecast;
  forecast.total = {Seconds{95}, Seconds{110}, Seconds{125}};
  forecast.spread_between_runs = 0.02;
  forecast.parts = {{PartKind::init, {Seconds{1}, Seconds{0}, Seconds{9}}},
                    {PartKind::laps, {Seconds{90}, Seconds{100}, Seconds{110}}},
                    {PartKind::validation, {Seconds{9}, Seconds{10}, Seconds{11}}}};
  return {profile, TrainingPlan{}, forecast};
}

// With 4 laps the interval is a normal one: a standard error of 10 / 1.96 = 5.102 s, and 10 % of a
// lap give 10 / sqrt(4) = 5. At an error of 0.02 / 2 / 2 = 0.005 the factor is sqrt(5 / 4 x ln(5 /
// 0.005^2)) = sqrt(1.25 x 12.20607) = 3.906096: 19.929 s. The others reach z(0.995) = 2.575829,
// x 1 / 1.959964 = 1.314222 s; between runs it is 0.0515166.
TEST(RaceBounds, OfFewLapsByHand) {
  const auto total = anytime_total(planted(4, 4), 0.02);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->mid, Seconds{110});
  const double up = std::log1p(19.9294 / 110) + std::hypot(std::log1p(1.314222 / 110), 0.0515166);
  EXPECT_NEAR(total->high.count(), 110 * std::exp(up), 2e-3);
  const double down =
      -std::log1p(-19.9294 / 110) + std::hypot(std::log1p(-1.314222 / 110), 0.0515166);
  EXPECT_NEAR(total->low.count(), 110 * std::exp(-down), 2e-3);
}

// With 21 laps worth 11 the interval is Student's with 10 degrees of freedom, 2.228139 standard
// errors.
TEST(RaceBounds, OfManyLapsByTheirEffectiveNumber) {
  const auto total = anytime_total(planted(21, 11), 0.02);
  const double error = 10 / 2.228139;
  const double laps = anytime_half_width(error, 10, 11, 0.01);
  const double up = std::log1p(laps / 110) + std::hypot(std::log1p(1.314222 / 110), 0.0515166);
  EXPECT_NEAR(total->high.count(), 110 * std::exp(up), 1e-3);
}

TEST(RaceBounds, WhatRunsDifferByIsNeverLost) {
  Assessment sure = planted(1000, 1000);
  for (ForecastPart& part : sure.forecast->parts)
    part.time = Interval<Seconds>::exactly(part.time.mid);
  const auto total = anytime_total(sure, 0.02);
  EXPECT_NEAR(total->high / total->mid, std::exp(0.0515166), 1e-6);
  EXPECT_NEAR(total->mid / total->low, std::exp(0.0515166), 1e-6);
}

TEST(RaceBounds, NothingForecastNothingKnown) {
  Assessment none = planted(4, 4);
  none.forecast = because("no laps");
  EXPECT_FALSE(anytime_total(none, 0.02));
}

// The bound uses z(0.99) = 2.326348: 100 x exp(-2.326348 x 0.3) = 49.7627
TEST(RaceBounds, ARunThatHasNotEnded) {
  EXPECT_NEAR(least_total_after(Seconds{100}, 0.02).count(), 49.7627, 1e-3);
}

}  // namespace

}  // namespace lapcast
