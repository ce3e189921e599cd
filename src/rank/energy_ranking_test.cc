#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "rank/ranking.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::candidate;
using test::offer;

/// Returns a candidate that takes an hour times `hours` at so many watts.
Candidate with_power(const std::string& machine_type, double hours, double watts) {
  Candidate result = candidate(machine_type, 3600 * hours, 0);
  result.power = TrainingPower{.watts = Interval<double>::exactly(watts)};
  return result;
}

TEST(EnergyRanking, OrdersByEnergy) {
  // 1 h x 1000 W against 2 h x 300 W.
  const Ranking ranking =
      rank({with_power("fast", 1, 1000), with_power("slow", 2, 300)},
           {offer("a", "fast", "1"), offer("b", "slow", "1")}, {.by = Objective::energy});
  ASSERT_EQ(ranking.chosen.size(), 2u);
  EXPECT_EQ(ranking.chosen[0].candidate->machine_type, "slow");
  EXPECT_NEAR(ranking.chosen[0].energy->kwh.mid, 0.6 * 1.3, 1e-12);
  EXPECT_TRUE(ranking.with_energy);
  EXPECT_TRUE(ranking.chosen[0].on_energy_front);
  EXPECT_TRUE(ranking.chosen[1].on_energy_front);
}

TEST(EnergyRanking, ByCo2TakesTheRegionIntoAccount) {
  Offer clean = offer("clean", "m", "2");
  clean.provider = "aws";
  clean.region = "eu-north-1";
  Offer dirty = offer("dirty", "m", "1");
  dirty.provider = "aws";
  dirty.region = "ap-south-1";
  const Ranking ranking = rank({with_power("m", 1, 1000)}, {dirty, clean}, {.by = Objective::co2});
  ASSERT_EQ(ranking.chosen.size(), 2u);
  EXPECT_EQ(ranking.chosen[0].offer->name, "clean");
  EXPECT_NEAR(ranking.chosen[0].energy->co2_g->mid, 1.15 * 8, 1e-9);
}

TEST(EnergyRanking, ExcludesWhatIsNotKnownOrAboveTheLimit) {
  const std::vector<Candidate> candidates{with_power("m", 1, 1000), candidate("n", 3600)};
  const std::vector<Offer> offers{offer("a", "m", "1"), offer("b", "n", "1")};
  EXPECT_EQ(rank(candidates, offers, {}).chosen.size(), 2u);
  const Ranking by_energy = rank(candidates, offers, {.by = Objective::energy});
  ASSERT_EQ(by_energy.excluded.size(), 1u);
  EXPECT_EQ(by_energy.excluded[0].reason.text,
            "its energy is not known: nothing was measured, and no table has its parts");
  const Ranking by_co2 = rank(candidates, offers, {.by = Objective::co2});
  ASSERT_EQ(by_co2.excluded.size(), 2u);
  EXPECT_EQ(by_co2.excluded[0].reason.text,
            "its CO2 is not known: no table has the region; --grid says grams per kWh");
  // 1.3 kWh x 500 g = 650 g.
  Preferences limit{.grams_per_kwh = 500, .max_co2_g = 649};
  const Ranking above = rank({candidates[0]}, {offers[0]}, limit);
  ASSERT_EQ(above.excluded.size(), 1u);
  EXPECT_EQ(above.excluded[0].reason.text, "0.65 kg CO2e is above the limit of 0.649 kg");
  limit.max_co2_g = 651;
  EXPECT_EQ(rank({candidates[0]}, {offers[0]}, limit).chosen.size(), 1u);
}

bool beats(const Choice& a, const Choice& b) {
  const auto figures = [](const Choice& choice) {
    return std::vector<double>{choice.quote.time.mid.count(),
                               static_cast<double>(choice.quote.total.mid.nanos()),
                               choice.energy->kwh.mid};
  };
  const std::vector<double> x = figures(a), y = figures(b);
  return x != y && x[0] <= y[0] && x[1] <= y[1] && x[2] <= y[2];
}

TEST(EnergyRanking, TheFrontIsWhatNoOtherChoiceBeats) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<Candidate> candidates;
    std::vector<Offer> offers;
    for (int i = 0; i < 25; ++i) {
      const std::string name = "m" + std::to_string(i);
      candidates.push_back(with_power(name, 1 + random() % 5, 100.0 * (1 + random() % 6)));
      offers.push_back(offer(name, name, std::to_string(1 + random() % 4)));
    }
    const Ranking ranking = rank(candidates, offers, {});
    for (const Choice& choice : ranking.chosen) {
      const bool is_beaten = std::ranges::any_of(
          ranking.chosen, [&](const Choice& other) { return beats(other, choice); });
      EXPECT_EQ(choice.on_energy_front, !is_beaten);
    }
  }
}

}  // namespace
}  // namespace lapcast
