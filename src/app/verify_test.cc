#include "app/verify.h"

#include <gmock/gmock.h>

#include "app/forecast_run.h"
#include "fleet/fake_executor_test.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

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
    executor_.ended = [&](const RunContext& context, std::size_t) {
      if (interrupted_) raise(SIGINT);
      return run_of_laps(100, real_.at(context.machine_type.name), end_, "8", later_);
    };
    return verify(request, {store_, executor_, interrupt_, listener_});
  }
  std::vector<std::string> machines_run() const {
    std::vector<std::string> names;
    for (const ProbeRequest& request : executor_.requests)
      names.push_back(request.context.machine_type.name);
    return names;
  }
  double forecast_of(const std::string& machine) const {
    RunForecaster forecaster(store_);
    return forecaster.forecast(store_.get("probe-" + machine)).forecast->total.mid.count();
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  Store store_ = Store::open(folder_ / "store.db");
  ProgressListener listener_;
  std::map<std::string, double> real_;  // seconds of a lap
  double later_ = 1;                    // so many times as long take the later laps
  Outcome end_ = outcome::Ended{};
  bool interrupted_ = false;  // by the user, while a run goes on
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
  EXPECT_NEAR(result.rows[0].real->count(), 400, 1e-6);
  EXPECT_NEAR(result.rows[0].forecast.mid.count(), 400, 20);
  EXPECT_NEAR(result.rows[1].real->count(), 100, 1e-6);
  EXPECT_FALSE(result.rows[2].real);
  EXPECT_EQ(result.bill.probes, 3U);
  EXPECT_FALSE(result.any_failed);
}

TEST_F(VerifyTest, WhatWasRunToTheEndIsRunAgainOnlyWhenAsked) {
  add_probe("fast", 1, "90");
  verify_now({});
  EXPECT_EQ(executor_.requests.size(), 1U);
  EXPECT_TRUE(verify_now({}).rows[0].real);
  EXPECT_TRUE(executor_.requests.empty());
  verify_now({.again = true});
  EXPECT_EQ(executor_.requests.size(), 1U);
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
  EXPECT_FALSE(result.rows[0].real);
  EXPECT_EQ(result.rows[0].reason, "failed with exit status 1");
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
                          [](const VerifiedForecast& row) { return row.real.has_value(); }),
            2);
}

}  // namespace
}  // namespace lapcast
