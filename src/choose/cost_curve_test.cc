#include <gtest/gtest.h>

#include <cmath>

#include "choose/cost_curve.h"
#include "choose/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::by_epochs;
using test::offer;

const std::vector<Offer> kSamePrice{offer("a", "a", "3.6"), offer("b", "b", "3.6")};

TEST(Crossovers, ByHand) {
  // a takes 100 s + 10 s per epoch, b 10 s + 20 s per epoch. They are equal at 9 epochs (190 s), so
  // a wins from 10 on.
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)}, kSamePrice, {});
  EXPECT_EQ(ranking.chosen[0].candidate->machine_type, "b");
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 10);
  EXPECT_EQ(ranking.crossovers[0].before->machine_type, "b");
  EXPECT_EQ(ranking.crossovers[0].after->machine_type, "a");
}

TEST(Crossovers, BeforeThePlan) {
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 50), by_epochs("b", 10, 20, 50)}, kSamePrice, {});
  EXPECT_EQ(ranking.chosen[0].candidate->machine_type, "a");
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 10);
  EXPECT_EQ(ranking.crossovers[0].before->machine_type, "b");
}

TEST(Crossovers, FarAwayIsFoundExactly) {
  // a takes 1,000,000 s + 10 s per epoch, b 10 s + 20 s: they are equal at 99,999.
  const Ranking ranking = rank({by_epochs("a", 1e6, 10, 50'000), by_epochs("b", 10, 20, 50'000)},
                               kSamePrice, {.by = Objective::time});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 100'000);
}

TEST(Crossovers, EqualBillsAreNoChange) {
  std::vector<Offer> hourly = kSamePrice;
  for (Offer& o : hourly) o.billing.step_ns = 3'600'000'000'000;
  // Both need less than an hour at all numbers of epochs that are tried, so their bills are equal.
  EXPECT_TRUE(
      rank({by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)}, hourly, {}).crossovers.empty());
}

TEST(Crossovers, DifferentPlansGrowInProportion) {
  // Counted in epochs of the first choice b (plan 5): a needs 2 epochs where b needs 1, so
  // 100 + 10 * 2 e against 10 + 30 * e: equal at 9.
  const Ranking ranking =
      rank({by_epochs("a", 100, 10, 10), by_epochs("b", 10, 30, 5)}, kSamePrice, {});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 10);
}

TEST(Crossovers, NoneWhereEpochsAreNotKnown) {
  std::vector<Candidate> candidates{by_epochs("a", 100, 10, 5), by_epochs("b", 10, 20, 5)};
  candidates[0].per_epoch_s = 0;
  EXPECT_TRUE(rank(candidates, kSamePrice, {}).crossovers.empty());
  candidates[1].per_epoch_s = 0;
  EXPECT_TRUE(rank(candidates, kSamePrice, {}).crossovers.empty());
}

using test::by_epochs;
using test::offer;

TEST(Tabulate, RelativeColumnsByHand) {
  // a: 100 s + 10 s per epoch at 3.6 USD/h, b: 20 s + 20 s per epoch at 7.2 USD/h.
  // 5 epochs: 150 s, 0.15 USD; 120 s, 0.24 USD. 20 epochs: 300 s, 0.30 USD; 420 s, 0.84 USD.
  std::vector<Candidate> candidates{by_epochs("a", 100, 10, 5), by_epochs("b", 20, 20, 5),
                                    test::candidate("c", 10)};
  const std::vector<Offer> offers{offer("a", "a", "3.6"), offer("b", "b", "7.2"),
                                  offer("c", "c", "1")};
  const Ranking ranking = rank(candidates, offers, {});
  const std::vector<double> epochs{5, 20};
  const auto rows = tabulate(ranking.chosen, epochs);
  ASSERT_EQ(rows.size(), 2u);  // c, the cheapest, does not know its time per epoch
  EXPECT_EQ(rows[0].candidate->machine_type, "a");
  EXPECT_EQ(rows[0].cells[0]->time, Seconds{150});
  EXPECT_EQ(rows[0].cells[0]->cost, Money::parse("0.15"));
  EXPECT_DOUBLE_EQ(rows[0].cells[0]->relative_time, 1.25);
  EXPECT_DOUBLE_EQ(rows[0].cells[0]->relative_cost, 1);
  EXPECT_DOUBLE_EQ(rows[1].cells[0]->relative_cost, 1.6);
  EXPECT_DOUBLE_EQ(rows[0].cells[1]->relative_time, 1);
  EXPECT_DOUBLE_EQ(rows[1].cells[1]->relative_time, 1.4);
  EXPECT_DOUBLE_EQ(rows[1].cells[1]->relative_cost, 2.8);
}

TEST(Tabulate, ATrainingOfMoreThanACenturyHasNoCell) {
  const std::vector<Candidate> candidates{by_epochs("a", 100, 10, 5), by_epochs("b", 20, 20, 5)};
  const std::vector<Offer> offers{offer("a", "a", "3.6"), offer("b", "b", "7.2")};
  // 3e8 epochs take 3e9 s (95 years) and 6e9 s (190 years).
  const std::vector<double> epochs{5, 3e8};
  const Ranking ranking = rank(candidates, offers, {});
  const auto rows = tabulate(ranking.chosen, epochs);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].cells[1]->relative_time, 1);
  EXPECT_TRUE(rows[1].cells[0]);
  EXPECT_FALSE(rows[1].cells[1]);
}

TEST(Tabulate, NothingAndNonsense) {
  const std::vector<double> none;
  EXPECT_TRUE(tabulate({}, none).empty());
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    const std::vector<double> epochs{bad};
    EXPECT_THROW(tabulate({}, epochs), Error);
  }
}

}  // namespace

}  // namespace lapcast
