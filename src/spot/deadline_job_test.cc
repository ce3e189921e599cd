#include "spot/deadline_job.h"

#include "accuracy/hindsight_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "spot/planned_policy.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

std::vector<std::uint8_t> random_ticks(SeededNumbers& numbers, std::size_t count,
                                       const TwoStateSupply& supply) {
  std::vector<std::uint8_t> ticks;
  bool there = numbers.uniform() < supply.share();
  for (std::size_t i = 0; i < count; ++i) {
    ticks.push_back(there ? 1 : 0);
    there = numbers.uniform() < supply.chance(there, true);
  }
  return ticks;
}

/// Returns the least cost of finishing by trying all choices.
double tried_all(const DeadlineJob& job, std::span<const std::uint8_t> spot, int tick, int work,
                 Held held, int starting) {
  if (work == 0) return 0;
  if (tick == job.deadline) return std::numeric_limits<double>::infinity();
  const bool there = spot[static_cast<std::size_t>(tick)] != 0;
  if (held == Held::spot && !there) held = Held::none;
  double least = tried_all(job, spot, tick + 1, work, Held::none, 0);
  for (const Held choice : {Held::spot, Held::on_demand}) {
    if (choice == Held::spot && !there) continue;
    const int left = choice == held ? starting : job.restart;
    const double price = choice == Held::spot ? job.spot_price : 1;
    least = std::min(least, price + tried_all(job, spot, tick + 1, left > 0 ? work : work - 1,
                                              choice, left > 0 ? left - 1 : 0));
  }
  return least;
}

TEST(SpotDeadline, GreedyByHand) {
  // 3 ticks of work, 1 to start, deadline 7. Spot is there in ticks 0 and 1 and from 5 on: one tick
  // of work is done in tick 1. In tick 2 the slack is 7 - 2 - 2 - 1 = 2: wait; in 3 it is 1: wait;
  // in 4 it is 0: on demand in 4, 5 and 6.
  const DeadlineJob job{3, 7, 1, 0.3};
  const std::vector<std::uint8_t> spot{1, 1, 0, 0, 0, 1, 1};
  const DeadlineOutcome outcome = run_policy(job, greedy, spot);
  const std::vector<Held> expected{Held::spot,      Held::spot,      Held::none,     Held::none,
                                   Held::on_demand, Held::on_demand, Held::on_demand};
  EXPECT_EQ(outcome.held, expected);
  EXPECT_NEAR(outcome.cost, 2 * 0.3 + 3, 1e-12);
  EXPECT_TRUE(outcome.in_time);
  EXPECT_EQ(outcome.interruptions, 1);
}

TEST(SpotDeadline, HindsightIsTheBestOfAllChoices) {
  SeededNumbers numbers(3);
  for (int i = 0; i < 60; ++i) {
    const DeadlineJob job{4, 9, 1 + i % 2, 0.3};
    const auto spot = random_ticks(numbers, 9, {0.7, 0.6});
    EXPECT_NEAR(hindsight_cost(job, spot), tried_all(job, spot, 0, 4, Held::none, 0), 1e-9);
  }
}

TEST(SpotDeadline, NoPolicyWithTheNetMissesADeadlineNorBeatsHindsight) {
  SeededNumbers numbers(9);
  const auto grid = supply_grid(300);
  for (int i = 0; i < 30; ++i) {
    const int restart = 1 + i % 3;
    const int work = 20 + static_cast<int>(numbers.uniform() * 30);
    const DeadlineJob job{work, work + restart + static_cast<int>(numbers.uniform() * 40), restart,
                          numbers.uniform()};
    ASSERT_TRUE(job.valid());
    const std::vector<std::vector<std::uint8_t>> seen{random_ticks(numbers, 500, {0.9, 0.9})};
    const auto plans =
        std::make_shared<const DeadlinePlans>(plans_for(job, learned_prior(grid, seen, 0.01)));
    const DeadlinePolicy ours = planned_policy(plans);
    for (int k = 0; k < 10; ++k) {
      const TwoStateSupply supply = grid[static_cast<std::size_t>(numbers.uniform() * 36)];
      const auto spot = random_ticks(numbers, static_cast<std::size_t>(job.deadline), supply);
      const double best = hindsight_cost(job, spot);
      for (const DeadlinePolicy& policy :
           {DeadlinePolicy(greedy), DeadlinePolicy(switch_back), DeadlinePolicy(uniform_progress),
            DeadlinePolicy(on_demand_only), DeadlinePolicy(spot_only), ours}) {
        const DeadlineOutcome outcome = run_policy(job, policy, spot);
        EXPECT_TRUE(outcome.in_time);
        EXPECT_GE(outcome.cost, best - 1e-9);
      }
    }
  }
}

// For a known supply the plan's expected cost is the mean cost of those who follow it, and nobody
// is cheaper.
TEST(SpotDeadline, ThePlanCostsWhatItExpects) {
  const TwoStateSupply supply{0.95, 0.9};
  const DeadlineJob job{40, 60, 1, 0.3};
  const auto plans = std::make_shared<const DeadlinePlans>(plans_for(job, {{supply}, {1.0}, 0.0}));
  SeededNumbers numbers(4);
  double mean = 0, expected = 0, mean_greedy = 0, mean_uniform = 0;
  constexpr int kJobs = 20'000;
  for (int i = 0; i < kJobs; ++i) {
    const auto spot = random_ticks(numbers, 60, supply);
    DeadlineState state;
    state.work_left = job.work;
    state.spot = std::span(spot).first(1);
    float least = DeadlinePlan::kLate;
    for (const Held choice : {Held::none, Held::spot, Held::on_demand})
      least = std::min(least, plans->plans[0].cost_of(state, choice));
    expected += least / kJobs;
    mean += run_policy(job, planned_policy(plans), spot).cost / kJobs;
    mean_greedy += run_policy(job, greedy, spot).cost / kJobs;
    mean_uniform += run_policy(job, uniform_progress, spot).cost / kJobs;
  }
  EXPECT_NEAR(mean / expected, 1, 0.01);
  EXPECT_LT(mean, mean_greedy);
  EXPECT_LT(mean, mean_uniform);
}

TEST(SpotDeadline, TheBeliefFindsThePlantedSupply) {
  const auto grid = supply_grid(300);
  const SupplyPrior prior{grid, std::vector<double>(36, 1.0 / 36), 0};
  SupplyBelief belief(prior);
  SeededNumbers numbers(2);
  const std::size_t planted = 2 * 6 + 1;  // sessions of 1.5 h, waits of 30 min
  for (const std::uint8_t there : random_ticks(numbers, 3000, grid[planted]))
    belief.observe(there != 0);
  EXPECT_GT(belief.weights()[planted], 0.9);
}

TEST(SpotDeadline, PoliciesAreRankedByCostAndSpotOnlyMayMiss) {
  const DeadlineJob job{10, 14, 1, 0.3};
  const std::vector<std::uint8_t> always(14, 1), never(14, 0);
  const std::vector<std::span<const std::uint8_t>> futures{always, never};
  const std::vector<NamedPolicy> policies{{"on demand only", on_demand_only},
                                          {"spot only", spot_only, SafetyNet::without},
                                          {"greedy", greedy}};
  const auto judged = judge_policies(job, policies, futures);
  ASSERT_EQ(judged.size(), 3u);
  EXPECT_EQ(judged[0].name, "spot only");
  EXPECT_NEAR(judged[0].missed, 0.5, 1e-12);
  EXPECT_NEAR(judged[0].cost, 0.5 * 11 * 0.3 / 10, 1e-12);
  EXPECT_EQ(judged[1].name, "greedy");
  EXPECT_NEAR(judged[1].cost, 0.5 * (11 * 0.3 + 11) / 10, 1e-12);
  EXPECT_EQ(judged[2].missed, 0);
}

TEST(SpotDeadline, TicksAreThereOnlyWhenTheMachineIsThereThroughout) {
  AvailabilityTrace trace;
  trace.extend(Seconds{450}, 1);
  trace.extend(Seconds{900}, 0);
  trace.extend(Seconds{1300}, 1);
  trace.extend(Seconds{1400}, std::nullopt);
  trace.extend(Seconds{2000}, 1);
  const std::vector<std::uint8_t> expected{1, 0, 0, 1, 0, 1};
  EXPECT_EQ(ticks_of(presence_of(trace), Seconds{300}), expected);
  EXPECT_TRUE(ticks_of({}, Seconds{300}).empty());
  EXPECT_TRUE(ticks_of(presence_of(trace), Seconds{0}).empty());
}

TEST(SpotDeadline, JobsThatMakeNoSenseAreNotValid) {
  EXPECT_TRUE((DeadlineJob{10, 11, 1, 0.3}.valid()));
  EXPECT_FALSE((DeadlineJob{10, 10, 1, 0.3}.valid()));  // too late even on demand
  EXPECT_FALSE((DeadlineJob{0, 10, 1, 0.3}.valid()));
  EXPECT_FALSE((DeadlineJob{10, 2'000'000'000, 1, 0.3}.valid()));
  EXPECT_FALSE((DeadlineJob{10, 20, 1, std::nan("")}.valid()));
}

}  // namespace
}  // namespace lapcast
