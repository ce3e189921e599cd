#include "campaign/verify.h"

#include <gmock/gmock.h>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "query/forecast_run.h"

namespace lapcast {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class VerifyTest : public FolderTest {
 protected:
  /// Stores a probe of 30 laps of a training of 100 laps.
  void add_probe(const std::string& machine, double lap_s, const std::string& per_hour,
                 bool imported = false) {
    lapcast::Run run = run_of_laps(30, lap_s, outcome::Enough{});
    run.context.id = "probe-" + machine;
    run.context.machine_type.name = machine;
    run.context.program = {"./train"};
    run.context.plan.steps = 100;
    run.context.imported = imported;
    Offer price;
    price.name = price.machine_type = machine;
    price.as_of = "2026-11-01";
    price.source = "a test";
    price.price.per_hour = Money::parse(per_hour);
    run.context.price = price;
    store_.add(run);
    real_[machine] = lap_s;
  }
  VerifyResult verify_now(VerifyRequest request) {
    request.selection.all = true;
    request.start = [](RunContext context) { return ProbeRequest{std::move(context)}; };
    request.place = [](const lapcast::Run&) { return PlaceSetup{}; };
    executor_.requests.clear();
    executor_.stopped = false;
    executor_.ended = [&](const RunContext& context, std::size_t number) {
      if (interrupted_) raise(SIGINT);
      if (number == stopped_at_) executor_.stopped = true;
      const double lap_s = real_.at(context.machine_type.name);
      real_.at(context.machine_type.name) += slower_;
      const Outcome end = number == fails_at_ ? Outcome(outcome::Crashed{1, 0}) : end_;
      return run_of_laps(100, lap_s, end, "8", later_);
    };
    return verify(request, {store_, executor_, interrupt_, listener_});
  }
  std::vector<std::string> machines_run() const {
    std::vector<std::string> names;
    for (const ProbeRequest& request : executor_.requests)
      names.push_back(request.context.machine_type.name);
    return names;
  }
  static std::vector<double> seconds_of(const VerifiedForecast& row) {
    std::vector<double> seconds;
    for (const RealRun& run : row.real_runs) seconds.push_back(run.time.count());
    return seconds;
  }
  double forecast_of(const std::string& machine) const {
    RunForecaster forecaster(store_);
    return forecaster.forecast(store_.get("probe-" + machine)).forecast->total.mid.count();
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  Store store_ = Store::open(folder_ / "store.db");
  ProgressListener listener_;
  std::map<std::string, double> real_;  // seconds of a lap in the next run
  double slower_ = 0;                   // seconds that a lap is longer in each further run
  double later_ = 1;                    // so many times as long take the later laps
  Outcome end_ = outcome::Ended{};
  std::size_t fails_at_ = 0;    // number of the run of a command that fails; 0 = none
  std::size_t stopped_at_ = 0;  // number of the run of a command that is interrupted; 0 = none
  bool interrupted_ = false;    // by the user, while a run goes on
};

TEST_F(VerifyTest, RunsTheCheapestAndTheFastestToTheirEnd) {
  add_probe("fast", 1, "90");
  add_probe("cheap", 4, "1");
  add_probe("neither", 2, "50");
  const VerifyResult result = verify_now({});
  EXPECT_THAT(machines_run(), UnorderedElementsAre("fast", "cheap"));
  for (const ProbeRequest& request : executor_.requests) {
    EXPECT_EQ(request.context.kind, RunKind::full);
    EXPECT_TRUE(request.limits.to_the_end);
  }
  ASSERT_EQ(result.rows.size(), 3U);  // in order of name
  ASSERT_EQ(result.rows[0].real_runs.size(), 1U);
  EXPECT_NEAR(result.rows[0].real_runs[0].time.count(), 400, 1e-6);
  EXPECT_NEAR(result.rows[0].forecast.mid.count(), 400, 20);
  EXPECT_THAT(seconds_of(result.rows[1]), ElementsAre(DoubleNear(100, 1e-6)));
  EXPECT_TRUE(result.rows[2].real_runs.empty());
  EXPECT_EQ(result.bill.probes, 3U);
  EXPECT_FALSE(result.any_failed);
}

TEST_F(VerifyTest, WhatWasRunToTheEndIsRunAgainOnlyWhenAsked) {
  add_probe("fast", 1, "90");
  verify_now({});
  EXPECT_EQ(executor_.requests.size(), 1U);
  EXPECT_EQ(verify_now({}).rows[0].real_runs.size(), 1U);
  EXPECT_TRUE(executor_.requests.empty());
  EXPECT_EQ(verify_now({.again = true}).rows[0].real_runs.size(), 2U);
  EXPECT_EQ(executor_.requests.size(), 1U);
}

// The orders are from an independent implementation of Fnv1a, of the 64-bit Mersenne Twister and of
// the Fisher-Yates shuffle.
TEST_F(VerifyTest, EachRoundRunsEachCandidateOnceInAnotherOrder) {
  for (const char* name : {"a", "b", "c", "d", "e"}) add_probe(name, 1, "1");
  verify_now({.all = true, .repeats = 3});
  EXPECT_THAT(machines_run(), ElementsAre("d", "b", "e", "a", "c",    // round 0
                                          "d", "b", "c", "a", "e",    // round 1
                                          "a", "d", "c", "e", "b"));  // round 2
  verify_now({.all = true, .repeats = 1, .again = true});
  EXPECT_THAT(machines_run(), ElementsAre("b", "d", "e", "c", "a"));  // round 3
}

TEST_F(VerifyTest, EveryRealTimeIsKeptWithItsCost) {
  add_probe("a", 1, "36");  // 0.01 USD a second
  add_probe("b", 2, "36");
  slower_ = 0.1;  // so that 100 laps take 10 s longer each time
  const VerifyResult result = verify_now({.all = true, .repeats = 3});
  EXPECT_THAT(seconds_of(result.rows[0]),
              ElementsAre(DoubleNear(100, 1e-6), DoubleNear(110, 1e-6), DoubleNear(120, 1e-6)));
  EXPECT_THAT(seconds_of(result.rows[1]),
              ElementsAre(DoubleNear(200, 1e-6), DoubleNear(210, 1e-6), DoubleNear(220, 1e-6)));
  EXPECT_EQ(result.rows[0].real_runs[1].cost, Money::parse("1.1"));
  for (const RealRun& run : result.rows[0].real_runs) {
    const lapcast::Run stored = store_.get(run.id);
    EXPECT_EQ(stored.context.machine_type.name, "a");
    EXPECT_EQ(stored.context.started_at, run.started_at);
    EXPECT_FALSE(run.started_at.empty());
  }
}

TEST_F(VerifyTest, RealRunsOfEarlierCommandsCountUnlessMoreAreAskedFor) {
  add_probe("a", 1, "1");
  add_probe("b", 2, "2");
  verify_now({});  // runs "a", which is the cheapest and the fastest
  EXPECT_THAT(machines_run(), ElementsAre("a"));
  verify_now({.all = true, .repeats = 2});
  ASSERT_EQ(executor_.requests.size(), 3U);  // "b" comes up to "a" before it is the turn of both
  EXPECT_EQ(machines_run()[0], "b");
  EXPECT_NE(machines_run()[1], machines_run()[2]);
  verify_now({.all = true, .repeats = 2});
  EXPECT_TRUE(executor_.requests.empty());
  const VerifyResult result = verify_now({.all = true, .repeats = 3, .again = true});
  EXPECT_EQ(executor_.requests.size(), 6U);
  for (const VerifiedForecast& row : result.rows) EXPECT_EQ(row.real_runs.size(), 5U);
}

TEST_F(VerifyTest, AfterAnInterruptTheSameCommandGoesOn) {
  add_probe("a", 1, "1");
  add_probe("b", 2, "2");
  stopped_at_ = 3;  // in the second round
  const VerifyResult interrupted = verify_now({.all = true, .repeats = 2});
  EXPECT_TRUE(interrupted.interrupted);
  EXPECT_EQ(executor_.requests.size(), 3U);
  for (const VerifiedForecast& row : interrupted.rows) EXPECT_EQ(row.real_runs.size(), 1U);
  stopped_at_ = 0;
  const VerifyResult result = verify_now({.all = true, .repeats = 2});
  EXPECT_THAT(machines_run(), UnorderedElementsAre("a", "b"));
  for (const VerifiedForecast& row : result.rows) EXPECT_EQ(row.real_runs.size(), 2U);
}

TEST_F(VerifyTest, ARunToTheEndTeachesNothingAboutItsOwnForecast) {
  add_probe("a", 1, "1");
  add_probe("b", 2, "1");
  later_ = 2;
  const double before = forecast_of("a");
  const VerifyResult first = verify_now({.all = true});
  EXPECT_DOUBLE_EQ(first.rows[0].forecast.mid.count(), before);
  EXPECT_GT(forecast_of("a"), 1.1 * before);  // as `rank` forecasts it from now on
  const VerifyResult second = verify_now({.all = true});
  EXPECT_DOUBLE_EQ(second.rows[0].forecast.mid.count(), before);
  EXPECT_DOUBLE_EQ(second.rows[1].forecast.mid.count(), first.rows[1].forecast.mid.count());
  const VerifyResult third = verify_now({.all = true, .repeats = 2, .again = true});
  EXPECT_DOUBLE_EQ(third.rows[0].forecast.mid.count(), before);
}

TEST_F(VerifyTest, ACandidateIsForecastAsRankForecastsItWhenItsRunBegins) {
  add_probe("fast", 1, "90");
  add_probe("slow", 2, "90");
  later_ = 2;
  verify_now({});  // runs "fast"
  EXPECT_THAT(machines_run(), ElementsAre("fast"));
  const double now = forecast_of("slow");
  const VerifyResult result = verify_now({.top = 2});
  EXPECT_THAT(machines_run(), ElementsAre("slow"));
  EXPECT_DOUBLE_EQ(result.rows[1].forecast.mid.count(), now);
}

TEST_F(VerifyTest, AFailedRunIsARowWithItsReason) {
  add_probe("fast", 1, "90");
  end_ = outcome::Crashed{1, 0};
  const VerifyResult result = verify_now({});
  EXPECT_TRUE(result.any_failed);
  EXPECT_TRUE(result.rows[0].real_runs.empty());
  EXPECT_EQ(result.rows[0].reason, "failed with exit status 1");
}

TEST_F(VerifyTest, AFailedRunBesideOthersIsNamedByTheCommandThatBeganIt) {
  add_probe("fast", 1, "90");
  fails_at_ = 2;
  const VerifyResult result = verify_now({.repeats = 3});
  EXPECT_TRUE(result.any_failed);
  EXPECT_EQ(result.rows[0].real_runs.size(), 2U);
  EXPECT_EQ(result.rows[0].reason, "one run: failed with exit status 1");
  const VerifyResult later = verify_now({});
  EXPECT_FALSE(later.any_failed);
  EXPECT_EQ(later.rows[0].reason, "");
}

TEST_F(VerifyTest, NothingThatWasImportedIsRun) {
  add_probe("a", 1, "1", true);
  const VerifyResult none = verify_now({.all = true});
  EXPECT_TRUE(none.rows.empty());
  ASSERT_EQ(none.imported.size(), 1U);
  add_probe("b", 1, "1");
  const VerifyResult some = verify_now({.all = true});
  EXPECT_THAT(machines_run(), ElementsAre("b"));
  EXPECT_EQ(some.rows.size(), 1U);
  EXPECT_EQ(some.imported[0].machine_type.name, "a");
}

TEST_F(VerifyTest, AnInterruptIsPassedOn) {
  add_probe("a", 1, "1");
  add_probe("b", 2, "2");
  interrupted_ = true;
  const VerifyResult result = verify_now({.all = true});
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(std::count_if(result.rows.begin(), result.rows.end(),
                          [](const VerifiedForecast& row) { return !row.real_runs.empty(); }),
            2);
}

}  // namespace
}  // namespace lapcast
