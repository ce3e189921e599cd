#include "commands/rank/rank_strategies.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "query/sweep_state.h"

namespace lapcast {
namespace {

class RankStrategiesTest : public FolderTest {
 protected:
  /// Stores a run of a training of 100 laps, whose first 30 laps its probe has.
  void add_run(const std::string& id, const std::string& machine, double lap_s, RunKind kind,
               const std::string& sweep = "s1", int laps = 0) {
    const bool is_probe = kind == RunKind::probe;
    lapcast::Run run = run_of_laps(laps > 0   ? laps
                                   : is_probe ? 30
                                              : 100,
                                   lap_s, is_probe ? Outcome(outcome::Enough{}) : outcome::Ended{});
    run.context.id = id;
    run.context.kind = kind;
    run.context.sweep = sweep;
    run.context.machine_type.name = machine;
    run.context.program = {"./train"};
    run.context.plan.steps = 100;
    run.context.imported = imported_;
    Offer price;
    price.name = price.machine_type = machine;
    price.as_of = "2026-11-01";
    price.source = "a test";
    price.price.per_hour = Money::parse("36");
    run.context.price = price;
    store_.add(run);
  }
  void add_sweep(const std::string& id, const std::string& hash) {
    store_.save_sweep({.id = id,
                       .created_at = "2026-11-0" + id.substr(1) + "T00:00:00Z",
                       .description = describe_sweep("", {{"./train", hash}})});
  }
  Strategies compared(Objective by = Objective::time) const {
    RankRequest request{.selection = {.sweep = "s1"}};
    request.preferences.by = by;
    return compare_strategies(store_, request).at(0);
  }
  static const StrategyRow& row_of(const Strategies& strategies, const std::string& machine) {
    return *std::ranges::find(strategies.rows, machine, &StrategyRow::machine_type);
  }

  Store store_ = Store::open(folder_ / "store.db");
  bool imported_ = false;
};

// Two real runs of 100 and 120 s have a mean of 110 s: 1.10 USD at 36 USD an hour.
TEST_F(RankStrategiesTest, RealIsTheMeanOfRunsToTheEndWhicheverSweepTheyBelongTo) {
  add_sweep("s1", "same");
  add_sweep("s2", "same");
  add_sweep("s3", "changed");
  add_run("1", "a", 1, RunKind::probe);
  add_run("2", "b", 2, RunKind::probe);
  add_run("3", "a", 1, RunKind::full);
  add_run("4", "a", 1.2, RunKind::full, "s2");
  add_run("5", "a", 9, RunKind::full, "s3");      // of another program
  add_run("6", "a", 1, RunKind::full, "s2", 50);  // of another length
  imported_ = true;
  add_run("7", "a", 9, RunKind::full);
  const Strategies by_time = compared();
  const StrategyRow& row = row_of(by_time, "a");
  EXPECT_EQ(row.real_runs, 2U);
  EXPECT_NEAR(row.real->time.count(), 110, 1e-6);
  EXPECT_NEAR(row.real->cost.dollars(), 1.1, 1e-6);
  EXPECT_EQ(by_time.of_other_plans, 1U);
  EXPECT_FALSE(row_of(by_time, "b").real);
  EXPECT_EQ(by_time.by, Objective::time);
}

TEST_F(RankStrategiesTest, EachMethodHasItsColumnOrSaysWhyNot) {
  add_sweep("s1", "same");
  add_run("1", "a", 1, RunKind::probe);
  const Strategies strategies = compared(Objective::cost);
  for (const Method method : {Method::lapcast, Method::iteration, Method::second_iteration})
    EXPECT_NEAR(strategies.column(method).at(0).value(), 1, 0.05) << to_string(method);
  EXPECT_FALSE(strategies.column(Method::epoch).at(0));
  ASSERT_FALSE(strategies.missing.empty());
  EXPECT_EQ(strategies.missing[0].method, Method::epoch);
  EXPECT_EQ(strategies.missing[0].candidates, 1U);
}

// The probe took 30 s; two laps take 2 s; everything was measured as 100 s.
TEST_F(RankStrategiesTest, TheBillHasWhatWasRunAndWhatOthersWouldRun) {
  add_sweep("s1", "same");
  add_run("1", "a", 1, RunKind::probe);
  const auto time = [&](SearchWay way) { return compared().bill.total(way).sum.time.count(); };
  EXPECT_EQ(compared().bill.total(SearchWay::everything).forecast, 1U);
  add_run("2", "a", 1, RunKind::full);
  EXPECT_NEAR(time(SearchWay::everything), 100, 1e-6);
  EXPECT_NEAR(time(SearchWay::two_iterations), 2, 1e-6);
  EXPECT_NEAR(time(SearchWay::probes), 30, 1e-6);
  EXPECT_EQ(compared().bill.total(SearchWay::two_epochs).unknown, 1U);
  EXPECT_EQ(compared().bill.total(SearchWay::race).counted(), 0U);
}

TEST_F(RankStrategiesTest, RunsToTheEndTeachTheColumnBesideThemNothing) {
  add_sweep("s1", "same");
  add_run("1", "a", 1, RunKind::probe);
  const double before = compared().column(Method::lapcast).at(0).value();
  add_run("2", "a", 1.5, RunKind::full);
  EXPECT_EQ(compared().column(Method::lapcast).at(0).value(), before);
}

TEST_F(RankStrategiesTest, OnlyCostAndTimeAreCompared) {
  add_sweep("s1", "same");
  add_run("1", "a", 1, RunKind::probe);
  EXPECT_THROW(compared(Objective::score), Error);
}

}  // namespace
}  // namespace lapcast
