#include "probe/judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr MonotonicNs kStarted = 5'000'000'000;

/// Plays a program that reports laps of 100 ms, 32 samples each, from 1 s after its start on.
class WatchJudgeTest : public FolderTest {
 protected:
  WatchJudgeTest() {
    context_.plan.steps = 1000;  // 101 s in all
    write_text(folder_ / "laps.7.log",
               fmt::format("lapcast-laps 1\n0 hello clock={}\n", kStarted + 1'000'000'000));
  }
  std::unique_ptr<Judge> judge(const WatchLimits& limits) {
    request_.watch = WatchRequest{.limits = limits};
    return judge_for(request_, kStarted, [] { return kStarted; });  // forecasts take no time
  }
  void laps_until(double elapsed) {
    std::ofstream log(folder_ / "laps.7.log", std::ios::app);
    for (; 1 + 0.1 * (laps_ + 1) <= elapsed + 1e-9; ++laps_) {
      const long long begin = 100'000'000LL * laps_;
      if (laps_of_epoch_ > 0 && laps_ == 0)
        log << begin << " plan epochs=9 iterations=" << laps_of_epoch_ << '\n';
      if (laps_of_epoch_ > 0 && laps_ % laps_of_epoch_ == 0) {
        const int epoch = laps_ / laps_of_epoch_;
        if (epoch > 0) log << begin << " epoch-end " << epoch << '\n';
        log << begin << " epoch-begin " << epoch + 1 << '\n';
      }
      log << begin + 100'000'000LL << " i 32\n";
    }
  }
  /// Looks every 0.2 s, with laps. Returns when the program was stopped, and why.
  std::pair<double, Outcome> stopped(Judge& judge, double until) {
    for (int tick = 1; tick * 0.2 <= until; ++tick) {
      laps_until(tick * 0.2);
      const bool any_new = folder_laps_.poll();
      if (auto outcome = judge.look(folder_laps_, any_new, Seconds{tick * 0.2}))
        return {tick * 0.2, *outcome};
      for (std::string& warning : judge.take_warnings()) warnings_.push_back(warning);
    }
    return {until, outcome::Ended{}};
  }
  static std::string why(const Outcome& outcome) { return describe(outcome); }

  ProbeRequest request_;
  RunContext& context_ = request_.context;
  LapFolder folder_laps_{folder_, 1 << 20};
  int laps_ = 0;
  int laps_of_epoch_ = 0;  // 0: the program reports no epochs
  std::vector<std::string> warnings_;
};

// 10 laps are enough, at 2.2 s. The other 15 of the epoch take 1.5 s.
TEST_F(WatchJudgeTest, AProbeGoesOnWhereTheEpochIsNearlyOver) {
  laps_of_epoch_ = 25;
  const auto probe = judge_for(request_, kStarted, [] { return kStarted; });
  EXPECT_NEAR(stopped(*probe, 101).first, 3.6, 0.21);
}

TEST_F(WatchJudgeTest, AProbeDoesNotWaitForALongEpoch) {
  laps_of_epoch_ = 60;
  const auto probe = judge_for(request_, kStarted, [] { return kStarted; });
  EXPECT_LE(stopped(*probe, 101).first, 2.6);
}

// Laps begin at 1 s, 25 of 100 ms are an epoch: the third one begins at 6 s, and its first lap
// tells it at 6.1 s.
TEST_F(WatchJudgeTest, AProbeOfWholeEpochsGoesOnUntilTheNextOneBegins) {
  laps_of_epoch_ = 25;
  request_.limits.epochs = WholeEpochs{2};
  request_.limits.budget = Seconds{3};
  const auto probe = judge_for(request_, kStarted, [] { return kStarted; });
  const auto [end, outcome] = stopped(*probe, 101);
  EXPECT_NEAR(end, 6.1, 0.21);
  EXPECT_EQ(why(outcome), "enough: 2 whole epochs");
}

// The first lap is seen at 1.1 to 1.2 s; the budget counts from it.
TEST_F(WatchJudgeTest, ABudgetOfTheUserEndsAProbeOfWholeEpochs) {
  laps_of_epoch_ = 25;
  request_.limits.epochs = WholeEpochs{2, true};
  request_.limits.budget = Seconds{3};
  const auto probe = judge_for(request_, kStarted, [] { return kStarted; });
  EXPECT_NEAR(stopped(*probe, 101).first, 4.2, 0.21);
}

// 10 laps are enough, at 2 s.
TEST_F(WatchJudgeTest, AProgramWithoutEpochsIsProbedAsWithoutThem) {
  request_.limits.epochs = WholeEpochs{2};
  const auto probe = judge_for(request_, kStarted, [] { return kStarted; });
  const auto [end, outcome] = stopped(*probe, 101);
  EXPECT_LE(end, 2.6);
  EXPECT_THAT(why(outcome), HasSubstr("steady laps"));
}

// The program takes longer for its epoch than it said.
TEST_F(WatchJudgeTest, AProbeWaitsForTheEpochNoLongerThanItTook) {
  laps_of_epoch_ = 25;
  const auto probe = judge_for(request_, kStarted, [] { return kStarted; });
  laps_until(3.4);
  laps_ = 1'000'000;  // no more come
  EXPECT_NEAR(stopped(*probe, 101).first, 2 * 0.2, 0.21);
}

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
  const auto watch = judge_for(request_, kStarted, [] { return kStarted; });
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
