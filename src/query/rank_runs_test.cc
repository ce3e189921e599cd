#include "query/rank_runs.h"

#include <gmock/gmock.h>

#include <cmath>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "query/forecast_run.h"
#include "query/rank_notes.h"

namespace lapcast {
namespace {

class RankRunsTest : public FolderTest {
 protected:
  /// Stores a probe of 30 laps of a training of 100 laps, at 1 USD an hour.
  void add_probe(const std::string& id, const std::string& machine, double lap_s,
                 const std::string& batch = "", const std::string& sweep = "") {
    lapcast::Run run = run_of_laps(30, lap_s, outcome::Enough{}, batch.empty() ? "8" : batch);
    run.context.id = id;
    run.context.sweep = sweep;
    run.context.machine_type.name = machine;
    run.context.machine_type.environment = {{"SPEED", hardware_.empty() ? machine : hardware_}};
    run.context.program = {"./train"};
    if (!hardware_.empty()) {
      run.context.place = place_;
      run.context.machine.boot_id = hardware_;
    }
    run.context.plan.steps = 100;
    if (!batch.empty()) run.context.settings["batch"] = batch;
    Offer price;
    price.name = price.machine_type = machine;
    price.as_of = "2026-11-01";
    price.source = "a test";
    price.price.per_hour = Money::parse(usd_per_hour_.empty() ? "0" : usd_per_hour_);
    if (!usd_per_hour_.empty()) run.context.price = price;
    store_.add(run);
  }
  static std::vector<std::string> order(const RankedRuns& ranked) {
    std::vector<std::string> names;
    for (const Choice& choice : ranked.ranking.chosen)
      names.push_back(choice.candidate->machine_type);
    return names;
  }

  std::string place_;               // of the next probes on hardware_
  std::string hardware_;            // that the next probes are on; empty = each machine is its own
  std::string usd_per_hour_ = "1";  // of the next probes; empty = no price
  Store store_ = Store::open(folder_ / "store.db");
  RankRequest request_{.selection = {.all = true}};
};

TEST_F(RankRunsTest, RanksOneProbeOfEachCandidate) {
  add_probe("1", "slow", 3);
  add_probe("2", "fast", 1);
  add_probe("3", "slow", 2);  // both count
  const RankResult result = rank_runs(store_, request_);
  ASSERT_EQ(result.rankings.size(), 1U);
  const RankedRuns& ranked = result.rankings[0];
  for (const Excluded& excluded : ranked.ranking.excluded) ADD_FAILURE() << excluded.reason.text;
  ASSERT_EQ(order(ranked), (std::vector<std::string>{"fast", "slow"}));
  EXPECT_NEAR(ranked.ranking.chosen[1].quote.time.mid.count(), 100 * std::sqrt(6), 10);
  EXPECT_EQ(first_choice(ranked, result.selected)->context.id, "2");
  EXPECT_EQ(ranked.search.probes_counted, 3U);
  EXPECT_EQ(ranked.search.candidates_counted, 2U);
}

TEST_F(RankRunsTest, BatchSizesAreRankedTogetherUnlessTheyAreWantedApart) {
  add_probe("1", "a", 1, "8");
  add_probe("2", "a", 1, "16");
  const RankResult together = rank_runs(store_, request_);
  ASSERT_EQ(together.rankings.size(), 1U);
  EXPECT_FALSE(together.rankings[0].batch_size);
  EXPECT_TRUE(together.mixes_batch_sizes);
  EXPECT_EQ(order(together.rankings[0]).size(), 2U);
  request_.per_batch = true;
  const RankResult apart = rank_runs(store_, request_);
  ASSERT_EQ(apart.rankings.size(), 2U);
  EXPECT_EQ(apart.rankings[0].batch_size, 8);
  EXPECT_EQ(apart.rankings[1].batch_size, 16);
  EXPECT_FALSE(apart.mixes_batch_sizes);
  EXPECT_THROW(winner_of(store_, request_), Error);
}

TEST_F(RankRunsTest, TheSameHardwareHasOneForecastUnderAllItsNames) {
  hardware_ = "this computer";
  usd_per_hour_ = "0.5";
  add_probe("1", "t4", 2);
  usd_per_hour_ = "3";
  add_probe("2", "v100", 1);  // as the moment was better
  const RankResult result = rank_runs(store_, request_);
  const auto& chosen = result.rankings[0].ranking.chosen;
  ASSERT_EQ(order(result.rankings[0]), (std::vector<std::string>{"t4", "v100"}));
  EXPECT_EQ(chosen[0].quote.time.mid, chosen[1].quote.time.mid);
  EXPECT_DOUBLE_EQ(chosen[0].p_cheapest, 1);
  EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("t4 and v100 are the same")));
  EXPECT_EQ(first_choice(result.rankings[0], result.selected)->context.id, "1");
}

TEST_F(RankRunsTest, OneBoxUnderTwoNamesOfHostsHasOneForecast) {
  hardware_ = "one box";
  place_ = "ssh gpu1";
  add_probe("1", "gpu1", 2);
  place_ = "ssh gpu2";
  usd_per_hour_ = "2";
  add_probe("2", "gpu2", 1);
  const RankResult result = rank_runs(store_, request_);
  const auto& chosen = result.rankings[0].ranking.chosen;
  ASSERT_EQ(order(result.rankings[0]), (std::vector<std::string>{"gpu1", "gpu2"}));
  EXPECT_EQ(chosen[0].quote.time.mid, chosen[1].quote.time.mid);
  EXPECT_EQ(chosen[0].candidate->where, "ssh gpu1");
  EXPECT_EQ(chosen[1].candidate->where, "ssh gpu2");
  EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("gpu1 and gpu2 are the same")));
}

TEST_F(RankRunsTest, ContainersOfOneBoxAreApart) {
  lapcast::Run whole;
  whole.context.machine_type.name = "whole";
  whole.context.place = "ssh a";
  whole.context.machine.boot_id = "b";
  lapcast::Run half = whole;
  half.context.machine_type.name = "half";
  half.context.place = "ssh b";
  EXPECT_THAT(notes_on_hardware(std::vector{whole, half}), testing::SizeIs(1));
  lapcast::Run container = half;
  container.context.machine.host = "c1";
  EXPECT_THAT(notes_on_hardware(std::vector{whole, container}), testing::IsEmpty());
  half.context.machine.cpu_limit = 1;
  EXPECT_THAT(notes_on_hardware(std::vector{whole, half}), testing::IsEmpty());
}

TEST_F(RankRunsTest, WithoutPricesTimeIsRanked) {
  usd_per_hour_.clear();
  add_probe("1", "slow", 3);
  add_probe("2", "fast", 1);
  const RankResult result = rank_runs(store_, request_);
  EXPECT_EQ(order(result.rankings[0]), (std::vector<std::string>{"fast", "slow"}));
  EXPECT_EQ(result.rankings[0].ranking.by, Objective::time);
  EXPECT_FALSE(result.rankings[0].ranking.is_priced);
}

TEST_F(RankRunsTest, EachNumberOfEpochsGivesARanking) {
  add_probe("1", "a", 1);
  request_.epochs = {5, 10};
  const RankResult result = rank_runs(store_, request_);
  ASSERT_EQ(result.rankings.size(), 2U);
  EXPECT_EQ(result.rankings[0].epochs, 5);
  EXPECT_EQ(result.rankings[1].epochs, 10);
  EXPECT_THROW(winner_of(store_, request_), Error);
}

TEST_F(RankRunsTest, TheNewestSweepIsSelectedUnlessAnotherIsNamed) {
  store_.save_sweep({.id = "s1", .created_at = "2026-11-01T00:00:00Z", .fleet_file = "a.toml"});
  store_.save_sweep({.id = "s2", .created_at = "2026-11-02T00:00:00Z", .fleet_file = "a.toml"});
  add_probe("1", "old", 1, "", "s1");
  add_probe("2", "new", 1, "", "s2");
  EXPECT_EQ(select_runs(store_, {}).probes[0].context.id, "2");
  EXPECT_EQ(select_runs(store_, {.sweep = "s1"}).probes[0].context.id, "1");
  EXPECT_EQ(select_runs(store_, {.all = true}).probes.size(), 2U);
  EXPECT_THROW(select_runs(store_, {.sweep = "s3"}), Error);
  store_.save_sweep({.id = "s1",
                     .created_at = "2026-11-01T00:00:00Z",
                     .fleet_file = "a.toml",
                     .folder = "/mine",
                     .name = "first"});
  EXPECT_EQ(select_runs(store_, {.folder = "/mine"}).sweep->id, "s1");
  EXPECT_EQ(select_runs(store_, {.folder = "/other"}).sweep->id, "s2");
  EXPECT_EQ(select_runs(store_, {.sweep = "first"}).probes[0].context.id, "1");
}

TEST_F(RankRunsTest, AMeasuredProbeSaysMoreThanAnImportedOne) {
  add_probe("1", "a", 2);
  lapcast::Run run = store_.get("1");
  run.context.id = "2";
  run.context.imported = true;
  run.lap_logs = run_of_laps(30, 1, outcome::Enough{}).lap_logs;
  store_.add(run);
  EXPECT_EQ(select_runs(store_, {.all = true}).probes[0].context.id, "1");
}

TEST_F(RankRunsTest, TheWinnerIsTheFirstChoice) {
  add_probe("1", "slow", 3);
  add_probe("2", "fast", 1);
  const Winner winner = winner_of(store_, request_);
  EXPECT_EQ(winner.run.context.id, "2");
  EXPECT_EQ(winner.choice.candidate->machine_type, "fast");
  EXPECT_EQ(winner.choice.offer->name, "fast");
  request_.preferences.deadline = Seconds{1};
  EXPECT_THROW(winner_of(store_, request_), Error);
}

TEST_F(RankRunsTest, OfAnUndisturbedMachineNothingIsKnownWithoutSamples) {
  add_probe("1", "a", 1);
  EXPECT_EQ(order(rank_runs(store_, request_).rankings[0]).size(), 1U);
  request_.conditions = Conditions::undisturbed;
  const RankResult result = rank_runs(store_, request_);
  ASSERT_EQ(result.rankings[0].ranking.excluded.size(), 1U);
  EXPECT_EQ(result.rankings[0].ranking.excluded[0].reason.text,
            "what else the machine did is not known");
}

// Runs outside of sweeps are read once for several questions; those of a sweep come between.
TEST_F(RankRunsTest, AForecastDoesNotDependOnThoseBefore) {
  hardware_ = "one";
  add_probe("1", "a", 1);
  add_probe("2", "a", 1, "", "sweep");
  hardware_ = "another";
  place_ = "ssh another";
  add_probe("3", "b", 2);
  add_probe("4", "b", 1);
  const auto total = [&](RunForecaster& forecaster, const std::string& id) {
    return forecaster.forecast(store_.get(id)).forecast->total.mid.count();
  };
  RunForecaster fresh(store_);
  const double expected = total(fresh, "4");
  EXPECT_GT(expected, 110);  // not its own laps alone
  RunForecaster used(store_);
  total(used, "1");
  total(used, "2");
  EXPECT_EQ(total(used, "4"), expected);
}

}  // namespace
}  // namespace lapcast
