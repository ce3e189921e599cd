#include "rank/deadline_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::candidate;
using test::offer;
using testing::ElementsAre;

/// Returns "NAME from SECONDS" of each step, in whole seconds.
std::vector<std::string> steps_of(const Ranking& ranking, std::optional<double> risk) {
  std::vector<std::string> texts;
  for (const DeadlineCost& step : deadline_costs(ranking, risk))
    texts.push_back(step.choice->offer->name + " from " +
                    std::to_string(static_cast<int>(step.deadline.count())));
  return texts;
}

// On demand: fast 400 s for 2 USD, slow 1000 s for 1 USD, poor 1200 s for 3 USD, which is never the
// cheapest. Spot: slow for 0.50 USD.
Ranking three_machines() {
  Offer spot = offer("spot", "slow", "1.8");
  spot.terms = Spot{};
  return rank({candidate("slow", 1000), candidate("fast", 400), candidate("poor", 1200)},
              {offer("s", "slow", "3.6"), offer("f", "fast", "18"), offer("p", "poor", "9"), spot},
              {});
}

TEST(DeadlineCosts, AreStepsForEachWayOfPaying) {
  EXPECT_THAT(steps_of(three_machines(), std::nullopt),
              ElementsAre("f from 400", "s from 1000", "spot from 1000"));
}

// Forecasts are 10 % wide: 2.5 % of the cases take longer than 1.1 times the middle, and none is
// allowed to without a risk.
TEST(DeadlineCosts, ARiskMovesTheSteps) {
  const Ranking ranking = three_machines();
  const auto within = deadline_costs(ranking, 0.025);
  ASSERT_EQ(within.size(), 3u);
  EXPECT_NEAR(within[0].deadline.count(), 440, 0.5);
  EXPECT_NEAR(within[1].deadline.count(), 1100, 1);
  const auto half = deadline_costs(ranking, 0.5);
  EXPECT_NEAR(half[1].deadline.count(), 1000, 1);
  EXPECT_GT(deadline_costs(ranking, 0)[0].deadline, within[0].deadline);
  EXPECT_LT(deadline_costs(ranking, 1)[0].deadline.count(), 400);
}

TEST(DeadlineCosts, ADeadlineOfTheRankingExcludesNothing) {
  const std::vector<Candidate> candidates{candidate("slow", 1000), candidate("fast", 400)};
  const std::vector<Offer> offers{offer("s", "slow", "3.6"), offer("f", "fast", "18")};
  const Ranking ranking = rank(candidates, offers, {.deadline = Seconds{500}});
  ASSERT_EQ(ranking.chosen.size(), 1u);
  EXPECT_THAT(steps_of(ranking, std::nullopt), ElementsAre("f from 400", "s from 1000"));
  const Ranking at_risk = rank(candidates, offers, {.deadline = Seconds{500}, .risk = 0.025});
  EXPECT_EQ(steps_of(at_risk, 0.025), steps_of(rank(candidates, offers, {}), 0.025));
  const Ranking limited =
      rank(candidates, offers, {.deadline = Seconds{500}, .max_cost = Money::parse("0.5")});
  EXPECT_TRUE(limited.late.empty());
}

// What rank() keeps for a deadline and a risk meets that deadline by this function, too.
TEST(DeadlineCosts, AgreeWithTheRanking) {
  for (const double risk : {0.001, 0.025, 0.2, 0.7}) {
    const auto shortest =
        deadline_costs(rank({candidate("m", 1000)}, {offer("m", "m", "1")}, {}), risk);
    const auto kept = [&](double seconds) {
      return rank({candidate("m", 1000)}, {offer("m", "m", "1")},
                  {.deadline = shortest[0].deadline + Seconds{seconds}, .risk = risk})
          .chosen.size();
    };
    EXPECT_EQ(kept(1e-6), 1u);
    EXPECT_EQ(kept(-1e-6), 0u);
  }
}

// Interruptions once an hour on average make a training of ten hours later than its own forecast
// says.
TEST(DeadlineCosts, AgreeWithTheRankingOfInterruptedTrainings) {
  Offer spot = offer("m", "m", "1");
  spot.terms = Spot{};
  Candidate ten_hours = candidate("m", 36000);
  ten_hours.wait_s = 50;
  Preferences preferences;
  preferences.spot.checkpoint = Seconds{60};
  preferences.spot.between_interruptions = Seconds{3600};
  for (const double risk : {0.025, 0.2, 0.7}) {
    const auto shortest = deadline_costs(rank({ten_hours}, {spot}, preferences), risk);
    ASSERT_EQ(shortest.size(), 1u);
    EXPECT_GT(shortest[0].deadline, Seconds{36000});
    const auto kept = [&](double seconds) {
      Preferences limited = preferences;
      limited.deadline = shortest[0].deadline + Seconds{seconds};
      limited.risk = risk;
      return rank({ten_hours}, {spot}, limited).chosen.size();
    };
    EXPECT_EQ(kept(1e-6), 1u);
    EXPECT_EQ(kept(-1e-6), 0u);
  }
}

// The step that is as cheap but later is none; a wait and a boot belong to the time.
TEST(DeadlineCosts, TiesAndWaits) {
  Candidate late = candidate("late", 1000);
  late.wait_s = 50;
  Offer booting = offer("m", "m", "3.6");
  booting.boot_ns = 100'000'000'000;
  const Ranking tie =
      rank({late, candidate("m", 900)}, {offer("late", "late", "3.6"), booting}, {});
  EXPECT_THAT(steps_of(tie, std::nullopt), ElementsAre("m from 1000"));
  EXPECT_TRUE(deadline_costs({}, std::nullopt).empty());
  EXPECT_TRUE(deadline_costs(rank({candidate("m", 9)}, {offer("m", "m", "0")}, {}), 0.5).empty());
}

}  // namespace
}  // namespace lapcast
