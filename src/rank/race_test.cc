#include <gtest/gtest.h>

#include <cmath>

#include "rank/race.h"
#include "rank/ranking_fixture_test.h"
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
  race.report(1, observed(3, 54, 60, 66));
  // The ratio of the costs is 1.2, its lower bound 1.2 x exp(-hypot(ln(60 / 54), ln(125 / 100))) =
  // 1.2 x exp(-0.24676) = 0.938. With ln(110 / 100) it is 1.2 x exp(-0.14207) = 1.0411, although
  // the costs' own bounds, 0.108 and 0.110, overlap: both being off at once is less likely.
  EXPECT_EQ(race.standing(1).state, RaceState::open);
  race.report(0, observed(6, 90, 100, 110));
  EXPECT_EQ(race.standing(1).state, RaceState::out);
  EXPECT_EQ(race.standing(1).reason,
            "can no longer be the cheapest (at least 1.04 times the cost of a)");
  EXPECT_EQ(race.standing(2).state, RaceState::waiting);
}

TEST(Race, WhoIsOutStaysOutAndStillRulesOutOthers) {
  Race race({candidate("a", "3.6"), candidate("b", "3.6"), candidate("c", "3.6")}, RaceGoal::time,
            0.95);
  race.report(0, observed(3, 80, 90, 95));
  race.report(1, observed(3, 100, 110, 120));
  EXPECT_EQ(race.standing(1).state, RaceState::out);
  EXPECT_EQ(race.standing(1).reason,
            "can no longer be the fastest (at least 1.10 times the time of a)");
  race.report(0, observed(6, 80, 100, 130));
  EXPECT_EQ(race.standing(1).state, RaceState::out);
  // At least 1.05 times b's time, and 0.97 times a's.
  race.report(2, observed(3, 125, 126, 127));
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
            "can no longer be the cheapest, the fastest or between them (at least 2.69 times the "
            "cost and 1.08 times the time of cheap)");
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

// With an error of 0.05 / 2 the running time is divided by exp(2.24140 x 0.3) = 1.95891.
TEST(Race, RunningTimeAloneRulesOut) {
  Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::time, 0.95);
  race.report(0, observed(9, 90, 100, 100));
  const Round round = race.next_round(1);
  EXPECT_EQ(round.laps, Race::kFirstLaps);
  EXPECT_NEAR(round.ran.count(), 1.01 * 195.891, 0.01);
  race.report(1, {0, round.ran, std::nullopt, false});
  EXPECT_EQ(race.standing(1).state, RaceState::out);
}

TEST(Race, WhoseLapsAreSettledIsMeasured) {
  Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::time, 0.95);
  race.report(0, {9, Seconds{9}, Interval<Seconds>{Seconds{80}, Seconds{100}, Seconds{125}}, false,
                  Seconds{8}, true});
  EXPECT_EQ(race.standing(0).state, RaceState::measured);
}

// After 3 laps of 2 s each and a start of 10 s: twice the laps, then 1 s more at least.
TEST(Race, LaterRoundsDoubleTheTimeOfLaps) {
  Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::time, 0.95);
  RaceObservation first{3, Seconds{16}, std::nullopt, false, Seconds{6}, false};
  race.report(0, first);
  EXPECT_EQ(race.next_round(0), (Round{.laps = 0, .ran = Seconds{22}}));
  first.in_laps = Seconds{0.3};
  race.report(0, first);
  EXPECT_EQ(race.next_round(0), (Round{.laps = 0, .ran = Seconds{17}}));
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
  EXPECT_EQ(race.next_round(2).laps, 0);  // until a plain probe would end
}

TEST(Race, WhoCannotBeSuspendedRunsInOnePiece) {
  RaceCandidate queued = candidate("b", "1");
  queued.in_one_piece = true;
  const Race race({candidate("a", "1"), queued}, RaceGoal::time, 0.95);
  EXPECT_EQ(race.next_round(0).laps, Race::kFirstLaps);
  EXPECT_EQ(race.next_round(1).laps, 0);
}

TEST(Race, JobsOfAQueueAndOtherHostsHaveNoMachineInCommon) {
  RaceCandidate other = candidate("b", "1");
  EXPECT_TRUE(Race({candidate("a", "1"), other}, RaceGoal::time, 0.95).is_on_one_machine());
  other.place = "ssh box";
  EXPECT_FALSE(Race({candidate("a", "1"), other}, RaceGoal::time, 0.95).is_on_one_machine());
  other.in_one_piece = true;
  EXPECT_FALSE(Race({other, other}, RaceGoal::time, 0.95).is_on_one_machine());
}

TEST(Race, TheErrorIsSharedByPairsOfCandidatesAndAttempts) {
  const Race race({candidate("a", "1"), candidate("b", "1")}, RaceGoal::cost, 0.9);
  EXPECT_NEAR(race.error_of_each(1), 0.05, 1e-12);
  EXPECT_NEAR(race.error_of_each(2), 0.025, 1e-12);
  const Race of_four(std::vector(4, candidate("a", "1")), RaceGoal::cost, 0.9);
  EXPECT_NEAR(of_four.error_of_each(1), 0.1 / 6 / 2, 1e-12);
  EXPECT_THROW(Race({candidate("a", "1")}, RaceGoal::cost, 1), Error);
}

TEST(Race, ACandidateWithoutAPriceIsNotPutOutByCost) {
  RaceCandidate unpriced{"b", "", std::nullopt};
  Race race({candidate("a", "1"), unpriced}, RaceGoal::front, 0.95);
  race.report(0, observed(9, 1, 1, 1));
  race.report(1, observed(9, 200, 200, 200));
  EXPECT_EQ(race.standing(1).state, RaceState::open);
}

/// Returns an assessment with 100 s of laps known to +-10 s and 10 s of other work known to +-1 s;
/// two runs differ by 2 %.
Assessment planted(double laps, double effective) {
  LapProfile profile;
  profile.steady.laps = profile.steady.observations = static_cast<std::int64_t>(laps);
  profile.steady.effective_laps = effective;
  profile.steady.mean = {Seconds{0.9}, Seconds{1}, Seconds{1.1}};
  Forecast forecast;
  forecast.total = {Seconds{95}, Seconds{110}, Seconds{125}};
  forecast.spread_between_runs = 0.02;
  forecast.parts = {{PartKind::init, {Seconds{1}, Seconds{0}, Seconds{9}}},
                    {PartKind::laps, {Seconds{90}, Seconds{100}, Seconds{110}}},
                    {PartKind::validation, {Seconds{9}, Seconds{10}, Seconds{11}}}};
  return {profile, TrainingPlan{}, forecast};
}

// With 4 laps the interval is a normal one: a standard error of 10 / 1.96 = 5.102 s, and 10 % of a
// lap give 10 / sqrt(4) = 5. At an error of 0.02 / 2 = 0.01 the factor is sqrt(5 / 4 x ln(5 /
// 0.01^2)) = sqrt(1.25 x 10.81978) = 3.677598: 18.7637 s. The others reach z(0.99) = 2.326348,
// x 1 / 1.959964 = 1.186934 s; between runs it is 0.0465270.
TEST(RaceBounds, OfFewLapsByHand) {
  const auto total = anytime_total(planted(4, 4), 0.02, 0);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->mid, Seconds{110});
  const double up = std::log1p(18.7637 / 110) + std::hypot(std::log1p(1.186934 / 110), 0.0465270);
  EXPECT_NEAR(total->high.count(), 110 * std::exp(up), 2e-3);
  const double down =
      -std::log1p(-18.7637 / 110) + std::hypot(std::log1p(-1.186934 / 110), 0.0465270);
  EXPECT_NEAR(total->low.count(), 110 * std::exp(-down), 2e-3);
}

// With 21 laps worth 11 the interval is Student's with 10 degrees of freedom, 2.228139 standard
// errors.
TEST(RaceBounds, OfManyLapsByTheirEffectiveNumber) {
  const auto total = anytime_total(planted(21, 11), 0.02, 0);
  const double error = 10 / 2.228139;
  const double laps = anytime_half_width(error, 10, 11, 0.02);
  const double up = std::log1p(laps / 110) + std::hypot(std::log1p(1.186934 / 110), 0.0465270);
  EXPECT_NEAR(total->high.count(), 110 * std::exp(up), 1e-3);
}

/// Returns planted() without errors of measurement.
Assessment sure() {
  Assessment sure = planted(1000, 1000);
  sure.profile->steady.mean = Interval<Seconds>::exactly(Seconds{1});
  for (ForecastPart& part : sure.forecast->parts)
    part.time = Interval<Seconds>::exactly(part.time.mid);
  return sure;
}

TEST(RaceBounds, WhatRunsDifferByIsNeverLost) {
  const auto total = anytime_total(sure(), 0.02, 0);
  EXPECT_NEAR(total->high / total->mid, std::exp(0.0465270), 1e-6);
  EXPECT_NEAR(total->mid / total->low, std::exp(0.0465270), 1e-6);
}

// hypot(0.02, 0.1) x 2.326348 = 0.237242
TEST(RaceBounds, OneMomentIsNotAnother) {
  const auto total = anytime_total(sure(), 0.02, 0.1);
  EXPECT_NEAR(total->high / total->mid, std::exp(0.237242), 1e-6);
  Assessment recorded = sure();
  recorded.forecast->record = "by 5 finished runs";  // they have it in them
  EXPECT_NEAR(anytime_total(recorded, 0.02, 0.1)->high.count(), 110 * std::exp(0.0465270), 1e-3);
}

// Other moments widen the part of the laps; the bounds have them already.
TEST(RaceBounds, TheLapItselfCountsAndNotWhatOtherMomentsAdd) {
  Assessment corrected = planted(21, 11);
  corrected.forecast->parts[1].time = {Seconds{50}, Seconds{100}, Seconds{200}};
  EXPECT_EQ(anytime_total(corrected, 0.02, 0)->high, anytime_total(planted(21, 11), 0.02, 0)->high);
}

// The laps' own reach is 0 of a spread between runs that stays; then it is 18.8 s of 110, against
// 0.0465 of the rest, or against 2.326348 x hypot(0.02, 0.3) = 0.699 of one that differs more.
TEST(RaceBounds, LapsAreSettledWhereTheRestIsThreeTimesAsWide) {
  EXPECT_TRUE(laps_are_settled(sure(), 0.02, 0));
  EXPECT_FALSE(laps_are_settled(planted(21, 11), 0.02, 0));
  EXPECT_TRUE(laps_are_settled(planted(21, 11), 0.02, 0.3));
  EXPECT_FALSE(laps_are_settled(planted(4, 4), 0.02, 0.3));  // too few to say how they vary
}

TEST(RaceBounds, NothingForecastNothingKnown) {
  Assessment none = planted(4, 4);
  none.forecast = because("no laps");
  EXPECT_FALSE(anytime_total(none, 0.02, 0));
}

// The bound uses z(0.99) = 2.326348: 100 x exp(-2.326348 x 0.3) = 49.7627
TEST(RaceBounds, ARunThatHasNotEnded) {
  EXPECT_NEAR(least_total_after(Seconds{100}, 0.02).count(), 49.7627, 1e-3);
}

}  // namespace

}  // namespace lapcast
