#include "choose/crossovers.h"

#include <gtest/gtest.h>

#include "choose/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::by_epochs;
using test::offer;

const std::vector<Offer> kSamePrice{offer("a", "a", "3.6"), offer("b", "b", "3.6")};

TEST(Crossovers, ByHand) {
  // a: 100 s + 10 s per epoch, b: 10 s + 20 s per epoch: equal at 9 epochs (190 s), so a wins from
  // 10 on.
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
  // a: 1,000,000 s + 10 s, b: 10 s + 20 s per epoch: equal at 99,999.
  const Ranking ranking = rank({by_epochs("a", 1e6, 10, 50'000), by_epochs("b", 10, 20, 50'000)},
                               kSamePrice, {.by = Objective::time});
  ASSERT_EQ(ranking.crossovers.size(), 1u);
  EXPECT_EQ(ranking.crossovers[0].epochs, 100'000);
}

TEST(Crossovers, EqualBillsAreNoChange) {
  std::vector<Offer> hourly = kSamePrice;
  for (Offer& o : hourly) o.billing.step_ns = 3'600'000'000'000;
  // Both need less than an hour at all numbers of epochs that are tried: equal bills.
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

}  // namespace
}  // namespace lapcast
