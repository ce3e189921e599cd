#include "rank/measuring_value.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rank/probe_value.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::candidate;
using test::offer;

constexpr double kThousandHours = 3.6e6;

Ranking by_cost(double share_of_a, double share_of_b, const char* price = "1") {
  return rank({candidate("a", kThousandHours, share_of_a),
               candidate("b", 1.02 * kThousandHours, share_of_b)},
              {offer("oa", "a", price), offer("ob", "b", price)}, {});
}

TEST(MeasuringValue, IsTheRegretThatItSavesTimesTheBill) {
  const Ranking ranking = by_cost(0.2, 0.2);
  const std::vector<MeasuringValue> values = measuring_values(ranking);
  ASSERT_EQ(values.size(), 2u);
  for (const MeasuringValue& value : values) {
    EXPECT_EQ(value.price, Money::parse("0.05"));  // three minutes at 1 USD an hour
    EXPECT_LT(value.regret_after, ranking.expected_regret);
    const double saved = value.worth.dollars() / 1000;  // of the bill of 1000 USD
    EXPECT_NEAR(saved, ranking.expected_regret - value.regret_after, 0.005);
    EXPECT_GT(saved, 0.005);
  }
}

TEST(MeasuringValue, TheLessCertainOneIsWorthMore) {
  const Ranking ranking = by_cost(0.03, 0.3);
  const std::vector<MeasuringValue> values = measuring_values(ranking);
  ASSERT_FALSE(values.empty());
  EXPECT_EQ(values.front().choice->candidate->machine_type, "b");
}

TEST(MeasuringValue, WhereNothingIsOpenNothingIsWorthIt) {
  const Ranking sure = rank({candidate("a", 1000, 0.02), candidate("b", 2000, 0.02)},
                            {offer("oa", "a", "1"), offer("ob", "b", "1")}, {});
  EXPECT_TRUE(measuring_values(sure).empty());
  const Ranking cheap = rank({candidate("a", 10, 0.2), candidate("b", 10.2, 0.2)},
                             {offer("oa", "a", "1"), offer("ob", "b", "1")}, {});
  EXPECT_TRUE(measuring_values(cheap).empty());  // the training costs less than the probe
}

TEST(MeasuringValue, OnlyARankingByCostHasIt) {
  const Ranking by_time =
      rank({candidate("a", 1e6, 0.2), candidate("b", 1e6, 0.2)},
           {offer("oa", "a", "1"), offer("ob", "b", "1")}, {.by = Objective::time});
  EXPECT_TRUE(measuring_values(by_time).empty());
}

TEST(ProbeValue, WhatSaysNothingSavesNothing) {
  // Two choices of which each is better in half of the cases, by ln 2 or 0: a perfect number saves
  // all of the regret, a constant one nothing.
  const ValueCases cases{2, {0, 0.7, 0.7, 0, 0, 0.7, 0.7, 0}};
  const std::vector<double> perfect{0, 1, 0, 1}, constant{1, 1, 1, 1};
  EXPECT_NEAR(regret_given(cases, perfect), 0, 1e-9);
  EXPECT_NEAR(regret_given(cases, constant), mean_regret(cases, 0), 1e-9);
}

}  // namespace
}  // namespace lapcast
