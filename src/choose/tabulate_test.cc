#include "choose/tabulate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "choose/ranking_fixture_test.h"

namespace lapcast {
namespace {

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
  // 3e8 epochs: 3e9 s (95 years) and 6e9 s (190 years).
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
