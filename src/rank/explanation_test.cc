#include "rank/explanation.h"

#include <gtest/gtest.h>

#include <random>

#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

Offer offer_of(const std::string& machine_type, std::string_view dollars_per_hour) {
  Offer offer = test::offer(machine_type, machine_type, dollars_per_hour);
  offer.billing = {0, 0};
  return offer;
}

// "a" takes 1 h at 3.60 USD/h. "b" takes 2 h at 2.40 USD/h and costs 4.80: it would be cheaper
// below 1.80 USD/h, or in less than 1.5 h (5400 s: 100 s and 53.5 epochs of 99 s).
TEST(Explanation, OfTheCheapest) {
  const Ranking ranking = rank({test::candidate("a", 3600), test::by_epochs("b", 100, 99, 72)},
                               {offer_of("a", "3.60"), offer_of("b", "2.40")}, {});
  const std::vector<Needs> needs = needs_of(ranking);
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_EQ(needs[0].choice->candidate->machine_type, "b");
  // 3.60 USD less a nano-dollar, for 7228 s: 1.793026... USD/h.
  EXPECT_NEAR(needs[0].price->dollars(), 3.6 * 3600 / 7228, 1e-8);
  EXPECT_NEAR(needs[0].training->count(), 5400, 1e-5);
  EXPECT_EQ(needs[0].epochs, 53);
}

TEST(Explanation, OfTheFastest) {
  const Ranking ranking =
      rank({test::candidate("a", 3600), test::by_epochs("b", 100, 99, 72)},
           {offer_of("a", "3.60"), offer_of("b", "0.1")}, {.by = Objective::time});
  const std::vector<Needs> needs = needs_of(ranking);
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_FALSE(needs[0].price);
  EXPECT_NEAR(needs[0].training->count(), 3600, 1e-6);
  EXPECT_EQ(needs[0].epochs, 35);  // 100 + 35 * 99 = 3565
}

// Each value makes the choice the first, and the next larger price does not.
TEST(Explanation, ValuesAreExact) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> seconds(1, 1e5);
  std::uniform_int_distribution<int> cents(1, 5000);
  for (int round = 0; round < 200; ++round) {
    std::vector<Offer> offers;
    std::vector<Candidate> candidates;
    for (const char* name : {"a", "b", "c"}) {
      offers.push_back(offer_of(name, "1"));
      offers.back().price = {Money::from_nanos(cents(random) * 10'000'000LL)};
      offers.back().billing = {round % 3 * 30'000'000'000, 60'000'000'000};
      offers.back().boot_ns = 40'000'000'000;
      if (round % 2 == 1)
        offers.back().other = {
            .licence = {Money::parse("0.1")}, .egress_per_gb = Money::parse("0.09"), .tax = 0.19};
      candidates.push_back(test::candidate(name, seconds(random)));
      candidates.back().demand.egress_bytes = 10'000'000;
      candidates.back().demand.before.data_in = Seconds{round * 1.0};
    }
    const Ranking ranking = rank(candidates, offers, {});
    const Money best = ranking.chosen[0].quote.total.mid;
    for (const Needs& needs : needs_of(ranking)) {
      const Candidate& candidate = *needs.choice->candidate;
      Offer offer = *needs.choice->offer;
      if (needs.training) {
        const auto training = Interval<Seconds>::exactly(*needs.training);
        EXPECT_LT(quote(offer, training, candidate.demand)->total.mid, best);
      }
      if (!needs.price) {  // what is billed beside the machine costs too much alone
        offer.price = {};
        EXPECT_GE(quote(offer, *candidate.time, candidate.demand)->total.mid, best);
        continue;
      }
      offer.price = {*needs.price};
      EXPECT_LT(quote(offer, *candidate.time, candidate.demand)->total.mid, best);
      offer.price = {*needs.price + Money::from_nanos(1)};
      EXPECT_GE(quote(offer, *candidate.time, candidate.demand)->total.mid, best);
    }
  }
}

/// Ranks 10 h of work on a spot machine of that price, interrupted every so many hours, and on one
/// that stays for 1.20 USD/h. A checkpoint takes a minute, a restart five.
Ranking spot_against_on_demand(Money spot_price, double hours) {
  Offer spot = offer_of("spot", "1");
  spot.price = {spot_price};
  spot.machine_type = "m";
  spot.terms = Spot{hours, {}};
  Offer plain = offer_of("plain", "1.20");
  plain.machine_type = "m";
  return rank({test::candidate("m", 36000, 0)}, {spot, plain},
              {.spot = {.checkpoint = Seconds{60}, .restart = Seconds{300}}});
}

TEST(Explanation, ASpotMachineNeedsAPriceOrFewerInterruptions) {
  const Ranking ranking = spot_against_on_demand(Money::parse("1"), 1);
  ASSERT_EQ(ranking.chosen[0].offer->name, "plain");
  const std::vector<Needs> needs = needs_of(ranking);
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_FALSE(needs[0].training);
  ASSERT_TRUE(needs[0].price && needs[0].between_interruptions);
  const auto first = [](const Ranking& other) { return other.chosen[0].offer->name; };
  EXPECT_EQ(first(spot_against_on_demand(*needs[0].price, 1)), "spot");
  EXPECT_EQ(first(spot_against_on_demand(*needs[0].price + Money::from_nanos(1), 1)), "plain");
  const double hours = *needs[0].between_interruptions / Seconds{3600};
  EXPECT_GT(hours, 1.1);
  EXPECT_LT(hours, 24);
  EXPECT_EQ(first(spot_against_on_demand(Money::parse("1"), hours * 1.02)), "spot");
  EXPECT_EQ(first(spot_against_on_demand(Money::parse("1"), hours / 1.02)), "plain");
}

// 1 h on demand costs 1 USD. The reserved machine costs 0.40 USD in each hour of its term, so that
// an hour of use costs less than 1 USD from 40 % on: 1 USD less a nano-dollar.
TEST(Explanation, AReservedMachineNeedsHoursOfUse) {
  Offer reserved = offer_of("reserved", "1");
  reserved.machine_type = "m";
  reserved.terms = Reserved{12, Money::parse("876"), Money::parse("0.3"), 0.25};
  Offer plain = offer_of("plain", "1");
  plain.machine_type = "m";
  const auto ranked = [&](double utilisation) {
    std::get<Reserved>(reserved.terms).utilisation = utilisation;
    reserved.price = hourly_price(std::get<Reserved>(reserved.terms));
    return rank({test::candidate("m", 3600, 0)}, {plain, reserved}, {});
  };
  const Ranking ranking = ranked(0.25);
  const std::vector<Needs> needs = needs_of(ranking);
  ASSERT_EQ(needs.size(), 1u);
  ASSERT_TRUE(needs[0].utilisation);
  EXPECT_NEAR(*needs[0].utilisation, 0.4, 1e-8);
  EXPECT_EQ(ranked(*needs[0].utilisation).chosen[0].offer->name, "reserved");
  EXPECT_EQ(ranked(*needs[0].utilisation * (1 - 1e-8)).chosen[0].offer->name, "plain");
  std::get<Reserved>(reserved.terms).per_hour = Money::parse("2");
  const Ranking dear = ranked(0.25);
  EXPECT_FALSE(needs_of(dear)[0].utilisation);
}

TEST(Explanation, NothingToCompare) {
  EXPECT_TRUE(needs_of({}).empty());
  const std::vector<Offer> offers{offer_of("a", "1"), offer_of("b", "1")};
  const std::vector<Candidate> candidates{test::candidate("a", 1), test::candidate("b", 2)};
  EXPECT_TRUE(needs_of(rank(candidates, offers, {.by = Objective::score})).empty());
  // A free first cannot be beaten.
  const Ranking free = rank(candidates, {offer_of("a", "0"), offer_of("b", "1")}, {});
  EXPECT_FALSE(needs_of(free)[0].price);
  EXPECT_FALSE(needs_of(free)[0].training);
}

}  // namespace
}  // namespace lapcast
