#include "probe/watch_judge.h"

#include "probe/judge_fixture_test.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WatchJudgeTest : public JudgeTest {
 protected:
  std::unique_ptr<Judge> judge(const WatchLimits& limits) {
    request_.watch = WatchRequest{.limits = limits};
    return watch_judge(request_, kStarted, stopped_clock);
  }
};

TEST_F(WatchJudgeTest, WithoutLimitsNothingIsStopped) {
  const auto watch = judge({});
  EXPECT_EQ(stopped(*watch, 101).second, Outcome(outcome::Ended{}));
  ProbeProgress progress;
  watch->describe(folder_laps_, progress);
  EXPECT_EQ(progress.laps, 1000);
  EXPECT_NEAR(progress.laps_per_second, 10, 1e-6);
  EXPECT_NEAR(progress.total->mid.count(), 101, 0.2);
  EXPECT_THAT(warnings_, IsEmpty());
}

// 101 s with an interval of 2 % and the tear-down: clearly above 80 s, clearly below 120 s. 10
// steady laps are there after 2.1 s; forecasts are made every 0.5 s, and the second one decides.
TEST_F(WatchJudgeTest, StopsAsSoonAsTheForecastIsAboveTheLimit) {
  const auto watch = judge({.max_time = Seconds{80}});
  const auto [when, outcome] = stopped(*watch, 101);
  EXPECT_GE(when, 2.1);
  EXPECT_LE(when, 5);
  EXPECT_THAT(why(outcome), HasSubstr("budget spent: the forecast of 1 min 41 s ("));
  EXPECT_THAT(why(outcome), HasSubstr("is above the time limit of 1 min 20 s"));
}

TEST_F(WatchJudgeTest, ALimitWithinTheIntervalDoesNotStop) {
  const auto watch = judge({.max_time = Seconds{101.5}});
  EXPECT_EQ(stopped(*watch, 101).second, Outcome(outcome::Ended{}));
}

// 2 % of 300 s are 6 s: no forecast stops it before.
TEST_F(WatchJudgeTest, NoForecastStopsBeforeASmallPartOfTheLimitIsUsed) {
  context_.plan.steps = 100000;
  const auto watch = judge({.max_time = Seconds{300}});
  const auto [when, outcome] = stopped(*watch, 20);
  EXPECT_GE(when, 6);
  EXPECT_LE(when, 8);
}

TEST_F(WatchJudgeTest, WithoutAPlanTheClockDecides) {
  context_.plan = {};
  const auto watch = judge({.max_time = Seconds{30}});
  const auto [when, outcome] = stopped(*watch, 101);
  EXPECT_NEAR(when, 30, 0.21);
  EXPECT_EQ(why(outcome), "budget spent: time limit of 30.0 s reached");
}

// 0.04 USD at 3.60 USD an hour are 40 s; the grace of 5 s is cut to a tenth of that.
TEST_F(WatchJudgeTest, MoneyIsNotSpentByTheGraceTime) {
  context_.plan = {};
  context_.price.emplace().price = {Money::parse("3.60")};
  context_.price->billing = {0, 0};
  const auto watch = judge({.max_cost = Money::parse("0.04")});
  const auto [when, outcome] = stopped(*watch, 101);
  EXPECT_NEAR(when, 36, 0.21);
  EXPECT_EQ(why(outcome), "budget spent: cost limit of $0.04 reached");
}

TEST_F(WatchJudgeTest, ForecastsAreComparedWithTheMoneyToo) {
  context_.price.emplace().price = {Money::parse("3.60")};
  const auto watch = judge({.max_cost = Money::parse("0.09")});
  EXPECT_THAT(why(stopped(*watch, 101).second), HasSubstr("is above the cost limit of $0.09"));
}

// 50 of the 80 s are spent before this attempt.
TEST_F(WatchJudgeTest, ALimitCountsTheAttemptsBefore) {
  context_.plan = {};
  request_.watch = WatchRequest{.limits = {.max_time = Seconds{80}}, .ran_before = Seconds{50}};
  const auto watch = watch_judge(request_, kStarted, stopped_clock);
  const auto [when, outcome] = stopped(*watch, 101);
  EXPECT_NEAR(when, 30, 0.21);
  EXPECT_EQ(why(outcome), "budget spent: time limit of 1 min 20 s reached");
}

TEST_F(WatchJudgeTest, WarnsOnceOfTheForecastAndOnceOfTheLimit) {
  const auto watch = judge({.max_time = Seconds{80}, .stop = false});
  EXPECT_EQ(stopped(*watch, 101).second, Outcome(outcome::Ended{}));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is above the time limit of 1 min 20 s"),
                                     "time limit of 1 min 20 s reached"));
  lapcast::Run run;
  watch->add_results(run);
  EXPECT_EQ(run.warnings, warnings_);
  EXPECT_GT(run.forecasts.size(), 30U);
}

TEST_F(WatchJudgeTest, WithoutLapsTheLimitHoldsAllTheSame) {
  std::filesystem::remove(folder_ / "laps.7.log");
  const auto watch = judge({.max_time = Seconds{3}});
  EXPECT_EQ(watch->look(folder_laps_, false, Seconds{2.9}), std::nullopt);
  const auto outcome = watch->look(folder_laps_, false, Seconds{3});
  ASSERT_TRUE(outcome);
  EXPECT_THAT(why(*outcome), HasSubstr("no laps: none until the time limit of 3.00 s"));
  ProbeProgress progress;
  watch->describe(folder_laps_, progress);
  EXPECT_EQ(progress.state, "no laps yet");
}

TEST_F(WatchJudgeTest, ALogThatGrewTooLongIsWarnedOfOnce) {
  LapFolder small(folder_, 200);
  const auto watch = judge({});
  laps_until(50);
  small.poll();
  for (const double elapsed : {1.0, 2.0, 3.0})
    EXPECT_EQ(watch->look(small, true, Seconds{elapsed}), std::nullopt);
  EXPECT_THAT(watch->take_warnings(), ElementsAre(HasSubstr("grew too long")));
}

}  // namespace
}  // namespace lapcast
