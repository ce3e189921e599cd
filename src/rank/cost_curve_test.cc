#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "rank/cost_curve.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::by_epochs;
using test::offer;

const std::vector<Offer> kSamePrice{offer("a", "a", "3.6"), offer("b", "b", "3.6")};

TEST(Crossovers, ByHand) {
  // a takes 100 s + 10 s per epoch, b 10 s + 20 s per epoch. They are equal at 9 epochs (190 s),
  // where a ranking has a first by its name.
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)}, kSamePrice, {});
  EXPECT_EQ(ranking.chosen[0].candidate->machine_type, "b");
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 9);
  EXPECT_EQ(ranking.crossovers[0].before->machine_type, "b");
  EXPECT_EQ(ranking.crossovers[0].after->machine_type, "a");
}

TEST(Crossovers, BeforeThePlan) {
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 50), by_epochs("b", 10, 20, 50)}, kSamePrice, {});
  EXPECT_EQ(ranking.chosen[0].candidate->machine_type, "a");
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 9);
  EXPECT_EQ(ranking.crossovers[0].before->machine_type, "b");
}

TEST(Crossovers, FarAwayIsFoundExactly) {
  // a takes 1,000,000 s + 10 s per epoch, b 10 s + 20 s: they are equal at 99,999, a first by name.
  const Ranking ranking = rank({by_epochs("a", 1e6, 10, 50'000), by_epochs("b", 10, 20, 50'000)},
                               kSamePrice, {.by = Objective::time});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 99'999);
}

// Both need less than an hour at all numbers of epochs that are tried, so their bills are equal,
// and a ranking has the faster one first: b below 9 epochs; at 9 (190 s each) a comes first by
// name.
TEST(Crossovers, OfEqualBillsAreThoseOfTheTime) {
  std::vector<Offer> hourly = kSamePrice;
  for (Offer& o : hourly) o.billing.step_ns = 3'600'000'000'000;
  const Ranking ranking = rank({by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)}, hourly, {});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 9);
  EXPECT_EQ(ranking.crossovers[0].after->machine_type, "a");
}

TEST(Crossovers, NameTheOffersOfOneCandidate) {
  // An hour of one offer costs 1 USD and is billed whole, one of the other 3.6 USD by the second:
  // below 1000 s the second is cheaper. 10 s an epoch: from 100 epochs on the first one is.
  std::vector<Offer> offers{offer("hourly", "m", "1"), offer("by the second", "m", "3.6")};
  offers[0].billing.step_ns = 3'600'000'000'000;
  const Ranking ranking = rank({by_epochs("m", 0, 10, 50)}, offers, {});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 101);  // at 100 the bills are equal, and names decide
  EXPECT_EQ(ranking.crossovers[0].offer_before->name, "by the second");
  EXPECT_EQ(ranking.crossovers[0].offer_after->name, "hourly");
}

// a: 100 s + 10 s per epoch, b: 10 s + 20 s. With a deadline of 150 s, a (up to 5 epochs) is never
// faster; from 8 epochs on (170 s) both are late.
TEST(Crossovers, KeepTheLimitsAtEveryNumberOfEpochs) {
  Preferences preferences;
  preferences.deadline = Seconds{150};
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)}, kSamePrice, preferences);
  EXPECT_EQ(ranking.chosen[0].candidate->machine_type, "b");
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 8);
  EXPECT_EQ(ranking.crossovers[0].before->machine_type, "b");
  EXPECT_FALSE(ranking.crossovers[0].after);
}

// At 8 epochs the cheap one takes 170 s, and only the dear one keeps to the deadline of 150 s. Up
// to 7 epochs (150 s) the cheap one does, too.
TEST(Crossovers, CountWhatMissesTheLimitsOnlyAtTheEpochsAskedFor) {
  Preferences preferences;
  preferences.deadline = Seconds{150};
  const Ranking ranking =
      rank({by_epochs("cheap", 10, 20, 8), by_epochs("dear", 1, 1, 8)},
           {offer("cheap", "cheap", "1"), offer("dear", "dear", "100")}, preferences);
  ASSERT_EQ(ranking.chosen.size(), 1u);
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 8);
  EXPECT_EQ(ranking.crossovers[0].before->machine_type, "cheap");
  EXPECT_EQ(ranking.crossovers[0].after->machine_type, "dear");
  preferences.risk = 0.05;  // what that is at other numbers of epochs is not known
  EXPECT_TRUE(rank({by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)}, kSamePrice, preferences)
                  .crossovers.empty());
}

TEST(Crossovers, AreTheChangesOfTheRankingAtEveryNumberOfEpochs) {
  std::mt19937_64 random(51);
  const auto some = [&](double most) { return std::uniform_real_distribution(0.0, most)(random); };
  for (int i = 0; i < 60; ++i) {
    std::vector<Candidate> candidates;
    std::vector<Offer> offers;
    for (const char* name : {"a", "b", "c", "d"}) {
      // Validations come every so many epochs, so that no time is a line in the epochs.
      const double fixed = some(60), each = 1 + some(9), validation = some(8);
      const double every = std::floor(1 + some(4));
      candidates.push_back(test::candidate(name, 1, 0));
      candidates.back().time_by_epochs = [=](double epochs) {
        return Seconds{fixed + each * epochs + validation * std::floor(epochs / every)};
      };
      offers.push_back(offer(name, name, fmt::format("{:.2f}", 0.5 + some(3))));
      offers.back().billing.step_ns = i % 2 == 0 ? 1'000'000'000 : 60'000'000'000;
    }
    Preferences preferences;
    preferences.by = static_cast<Objective>(i % 3);
    if (i % 4 == 1) preferences.deadline = Seconds{150 + some(100)};
    if (i % 4 == 2) preferences.max_cost = Money::parse("0.1");
    const auto at = [&](double epochs) {
      for (Candidate& candidate : candidates) {
        candidate.epochs = epochs;
        candidate.time = Interval<Seconds>::exactly(candidate.time_by_epochs(epochs));
      }
      return rank(candidates, offers, preferences);
    };
    const Ranking asked = at(8);
    if (asked.chosen.empty()) continue;
    auto next = asked.crossovers.begin();
    std::optional<std::string> first;
    for (int epochs = 1; epochs <= 80; ++epochs) {
      const Ranking ranking = at(epochs);
      const auto now = ranking.chosen.empty() ? "" : ranking.chosen[0].candidate->machine_type;
      if (first && now != *first) {
        ASSERT_TRUE(next != asked.crossovers.end()) << i << " at " << epochs;
        EXPECT_EQ(next->epochs, epochs) << i;
        EXPECT_EQ(next->before ? next->before->machine_type : "", *first) << i;
        EXPECT_EQ(next->after ? next->after->machine_type : "", now) << i;
        ++next;
      }
      first = now;
    }
    EXPECT_TRUE(next == asked.crossovers.end()) << i;
  }
}

TEST(Crossovers, DifferentPlansGrowInProportion) {
  // Counted in epochs of the first choice b (plan 5): a needs 2 epochs where b needs 1, so
  // 100 + 10 * 2 e against 10 + 30 * e: equal at 9, a first by name.
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 10), by_epochs("b", 10, 30, 5)}, kSamePrice, {});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 9);
}

TEST(Crossovers, NoneWhereEpochsAreNotKnown) {
  std::vector<Candidate> candidates{by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)};
  candidates[0].time_by_epochs = nullptr;
  EXPECT_TRUE(rank(candidates, kSamePrice, {}).crossovers.empty());
  candidates[1].time_by_epochs = nullptr;
  EXPECT_TRUE(rank(candidates, kSamePrice, {}).crossovers.empty());
}

}  // namespace

}  // namespace lapcast
