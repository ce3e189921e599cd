#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "rank/cost_curve.h"
#include "rank/ranking.h"
#include "rank/ranking_fixture_test.h"
#include "spot/exact_spot_test.h"

namespace lapcast {
namespace {

Offer spot_offer(const std::string& name, const std::string& machine_type,
                 std::string_view dollars_per_hour, std::optional<double> hours) {
  Offer offer = test::offer(name, machine_type, dollars_per_hour);
  offer.terms = Spot{hours, {}};
  return offer;
}

/// Says that a checkpoint takes a minute, and a restart five.
Preferences with_costs(std::optional<Seconds> interval = {}) {
  return {.spot = {.checkpoint = Seconds{60}, .interval = interval, .restart = Seconds{300}}};
}

const Choice& choice_of(const Ranking& ranking, const std::string& offer) {
  return *std::ranges::find_if(ranking.chosen,
                               [&](const Choice& choice) { return choice.offer->name == offer; });
}

TEST(SpotRanking, WithoutInterruptionsAQuoteIsThePlainOne) {
  for (const double share : {0.0, 0.1}) {
    for (const std::int64_t step_ns : {0LL, 1'000'000'000LL, 3600'000'000'000LL}) {
      Candidate candidate = test::candidate("m", 5000.5, share);
      candidate.demand.before = {Seconds{40}, Seconds{10}};
      Offer spot = spot_offer("spot", "m", "3.21", 5e6);
      Offer plain = test::offer("plain", "m", "3.21");
      for (Offer* offer : {&spot, &plain}) {
        offer->billing.step_ns = step_ns;
        offer->boot_ns = 30'000'000'000;
      }
      const Ranking ranking =
          rank({candidate}, {spot, plain}, {.spot = {.checkpoint = Seconds{0}}});
      const Quote& a = choice_of(ranking, "spot").quote;
      const Quote& b = choice_of(ranking, "plain").quote;
      EXPECT_EQ(a.total.mid, b.total.mid);
      EXPECT_DOUBLE_EQ(a.time.mid.count(), b.time.mid.count());
      ASSERT_EQ(a.lines.size(), b.lines.size());
      for (std::size_t i = 0; i < a.lines.size(); ++i) {
        EXPECT_EQ(a.lines[i].item, b.lines[i].item);
        EXPECT_EQ(a.lines[i].amount, b.lines[i].amount);
      }
      EXPECT_NEAR(a.total.low.dollars() / b.total.low.dollars(), 1, 0.002);
      EXPECT_NEAR(a.total.high.dollars() / b.total.high.dollars(), 1, 0.002);
      EXPECT_NEAR(a.time.high / b.time.high, 1, 0.002);
    }
  }
}

TEST(SpotRanking, TheMeanAgreesWithTheClosedForm) {
  Preferences preferences = with_costs(Seconds{1200});
  preferences.spot.wait = Seconds{1800};
  Offer offer = spot_offer("spot", "m", "1", 2.0);
  offer.billing = {0, 0};
  offer.boot_ns = 120'000'000'000;
  const Ranking ranking = rank({test::candidate("m", 86400, 0)}, {offer}, preferences);
  const Choice& choice = ranking.chosen.at(0);
  const SpotJob& job = choice.spot->job;
  EXPECT_DOUBLE_EQ(job.first_start->count(), 120);
  EXPECT_DOUBLE_EQ(job.costs.restart.count(), 420);
  const ExpectedSpotTimes exact = expected_exponential(job, Seconds{7200}, Seconds{1800});
  // 1024 jobs whose billed times deviate by 6 %, their times by 9 %: three standard errors.
  EXPECT_NEAR(choice.quote.total.mid.dollars() / (exact.billed / Seconds{3600}), 1, 0.006);
  EXPECT_NEAR(choice.spot->forecast.mean.time() / exact.time, 1, 0.009);
  EXPECT_NEAR(choice.spot->forecast.interruptions / (exact.billed / Seconds{7200}), 1, 0.02);
  EXPECT_EQ(choice.spot->between_interruptions, Seconds{7200});
}

// A job that saves nothing and works for as long as a machine lasts takes (e - 1) M on average.
TEST(SpotRanking, WithoutCheckpointsATrainingBeginsAgain) {
  Preferences preferences;
  preferences.spot.saves = false;
  Offer offer = spot_offer("spot", "m", "1", 1.0);
  offer.billing = {0, 0};
  const Ranking ranking = rank({test::candidate("m", 3600, 0)}, {offer}, preferences);
  EXPECT_NEAR(ranking.chosen.at(0).quote.total.mid.dollars(), std::exp(1.0) - 1, 0.12);
  EXPECT_EQ(ranking.chosen[0].spot->forecast.mean.checkpoints, Seconds{0});
  // Ten hours take 22,000 h, with as many interruptions: more than are simulated.
  const Ranking endless = rank({test::candidate("m", 36000, 0)}, {offer}, preferences);
  EXPECT_TRUE(endless.chosen.empty());
  EXPECT_NE(endless.excluded.at(0).reason.text.find("may never finish"), std::string::npos);
}

TEST(SpotRanking, WhatIsNotKnownIsNamedAndThePriceCountsAlone) {
  const Candidate candidate = test::candidate("m", 3600);
  const std::vector<Offer> offers{spot_offer("a", "m", "1", {}), spot_offer("b", "m", "2", {}),
                                  test::offer("c", "m", "3")};
  const Ranking ranking = rank({candidate}, offers, with_costs());
  ASSERT_EQ(ranking.spot_unknown.size(), 1u);
  EXPECT_NE(ranking.spot_unknown[0].text.find("--interruptions"), std::string::npos);
  for (const Choice& choice : ranking.chosen) EXPECT_FALSE(choice.spot);
  EXPECT_EQ(ranking.chosen[0].quote.total.mid, Money::parse("1"));
  Preferences with_rate;
  with_rate.spot.between_interruptions = Seconds{7200};
  const Ranking no_costs = rank({candidate}, offers, with_rate);
  ASSERT_EQ(no_costs.spot_unknown.size(), 1u);
  EXPECT_NE(no_costs.spot_unknown[0].text.find("--checkpoint"), std::string::npos);
  Candidate measured = candidate;
  measured.checkpoint_s = 20;
  measured.start_s = 15;
  const Ranking known = rank({measured}, offers, with_rate);
  EXPECT_TRUE(known.spot_unknown.empty());
  EXPECT_EQ(choice_of(known, "a").spot->job.costs.checkpoint, Seconds{20});
  EXPECT_EQ(choice_of(known, "a").spot->job.costs.restart, Seconds{15});
  EXPECT_FALSE(choice_of(known, "c").spot);
}

TEST(SpotRanking, EachOfferHasLuckOfItsOwn) {
  // Equal offers: the first in rank order has the same chance as the second.
  const Ranking ranking =
      rank({test::candidate("m", 36000, 0.2)},
           {spot_offer("a", "m", "1", 3.0), spot_offer("b", "m", "1", 3.0)}, with_costs());
  ASSERT_EQ(ranking.chosen.size(), 2u);
  EXPECT_EQ(ranking.chosen[0].quote.total.mid, ranking.chosen[1].quote.total.mid);
  for (const Choice& choice : ranking.chosen) {
    EXPECT_NEAR(choice.p_cheapest, 0.5, 0.05);
    EXPECT_NEAR(choice.p_fastest, 0.5, 0.05);
  }
  EXPECT_GT(ranking.expected_regret, 0.01);
}

TEST(SpotRanking, ADeadlineCountsInterruptionsAndWaits) {
  Preferences preferences = with_costs();
  preferences.spot.wait = Seconds{3600};
  preferences.deadline = Seconds{60'000};
  const std::vector<Offer> offers{spot_offer("spot", "m", "1", 3.0),
                                  test::offer("plain", "m", "3")};
  const Ranking ranking = rank({test::candidate("m", 36000, 0)}, offers, preferences);
  const Choice& spot = choice_of(ranking, "spot");
  ASSERT_TRUE(spot.p_late);
  const auto late =
      std::ranges::count_if(spot.spot->cases.time_s, [](double time) { return time > 60'000; });
  EXPECT_DOUBLE_EQ(*spot.p_late, static_cast<double>(late) / 1024);
  EXPECT_GT(*spot.p_late, 0.05);
  EXPECT_FALSE(choice_of(ranking, "plain").p_late);
  preferences.risk = 0.01;
  const Ranking strict = rank({test::candidate("m", 36000, 0)}, offers, preferences);
  ASSERT_EQ(strict.chosen.size(), 1u);
  EXPECT_EQ(strict.chosen[0].offer->name, "plain");
}

TEST(SpotRanking, SimulatedRowsTakeNoPartInCrossovers) {
  const std::vector<Candidate> candidates{test::by_epochs("m", 10, 100, 20)};
  const Ranking ranking =
      rank(candidates, {spot_offer("spot", "m", "1", 3.0), test::offer("plain", "m", "3")},
           with_costs());
  EXPECT_EQ(ranking.chosen.size(), 2u);
  EXPECT_TRUE(ranking.crossovers.empty());
}

// 0.001 USD for each second. 100.2 s are billed as 120; with one interruption each of the two
// machines adds half a minute to what is used.
TEST(SpotRanking, CostOfUseByHand) {
  Offer offer = test::offer("o", "m", "3.60");
  offer.billing.step_ns = 60'000'000'000;
  const CostCurve curve(offer);
  EXPECT_EQ(curve.nano_dollars_on_spot(100.2, 0), 0.120e9);
  EXPECT_EQ(curve.nano_dollars_on_spot(100.2, 1), 0.1602e9);
}

TEST(SpotRanking, LinesAndProbabilitiesSumForAnyInputs) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto unit = [&] { return static_cast<double>(random() % 1000) / 1000; };
    std::vector<Candidate> candidates;
    for (const char* machine : {"a", "b", "c"}) {
      candidates.push_back(test::candidate(machine, 600 + 40000 * unit(), 0.3 * unit()));
      if (random() % 2 == 0) candidates.back().run_id = "one run";
    }
    std::vector<Offer> offers;
    for (int i = 0; i < 12; ++i) {
      const std::string name = "o" + std::to_string(i);
      const std::string machine(1, static_cast<char>('a' + random() % 3));
      offers.push_back(random() % 3 == 0 ? test::offer(name, machine, "3")
                                         : spot_offer(name, machine, "1.2", 0.2 + 9 * unit()));
      offers.back().billing.step_ns = random() % 2 == 0 ? 0 : 60'000'000'000;
      offers.back().boot_ns = static_cast<std::int64_t>(random() % 3) * 20'000'000'000;
    }
    Preferences preferences = with_costs();
    preferences.by = static_cast<Objective>(random() % 3);
    preferences.spot.wait = Seconds{600 * unit()};
    if (random() % 2 == 0) preferences.deadline = Seconds{30'000};
    const Ranking ranking = rank(candidates, offers, preferences);
    double cheapest = 0, fastest = 0;
    for (const Choice& choice : ranking.chosen) {
      Money sum;
      for (const QuoteLine& line : choice.quote.lines) sum += line.amount;
      EXPECT_EQ(sum, choice.quote.total.mid);
      EXPECT_LE(choice.quote.total.low, choice.quote.total.mid);
      EXPECT_LE(choice.quote.total.mid, choice.quote.total.high);
      EXPECT_LE(choice.quote.time.low, choice.quote.time.mid);
      EXPECT_LE(choice.quote.time.mid, choice.quote.time.high);
      cheapest += choice.p_cheapest;
      fastest += choice.p_fastest;
    }
    EXPECT_NEAR(cheapest, ranking.chosen.empty() ? 0 : 1, 1e-9);
    EXPECT_NEAR(fastest, ranking.chosen.empty() ? 0 : 1, 1e-9);
    EXPECT_GE(ranking.expected_regret, 0);
    const Ranking again = rank(candidates, offers, preferences);
    ASSERT_EQ(again.chosen.size(), ranking.chosen.size());
    for (std::size_t i = 0; i < again.chosen.size(); ++i) {
      EXPECT_EQ(again.chosen[i].quote.total.mid, ranking.chosen[i].quote.total.mid);
      EXPECT_EQ(again.chosen[i].p_cheapest, ranking.chosen[i].p_cheapest);
    }
  }
}

}  // namespace
}  // namespace lapcast
