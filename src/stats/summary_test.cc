#include "stats/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(Summary, OfNothingIsUnknown) {
  EXPECT_TRUE(std::isnan(mean(Values{})));
  EXPECT_TRUE(std::isnan(median(Values{})));
  EXPECT_TRUE(std::isnan(standard_deviation(Values{})));
  EXPECT_TRUE(std::isnan(median_absolute_deviation(Values{})));
  const Summary none = summarise(Values{});
  EXPECT_EQ(none.n, 0u);
  EXPECT_TRUE(std::isnan(none.min) && std::isnan(none.max));
}

TEST(Summary, OfOneValueHasNoDeviation) {
  const Summary one = summarise(Values{3.5});
  EXPECT_EQ(one.n, 1u);
  EXPECT_EQ(one.mean, 3.5);
  EXPECT_EQ(one.median, 3.5);
  EXPECT_EQ(one.mad, 0);
  EXPECT_TRUE(std::isnan(one.sd));
}

// 2, 4, 4, 4, 5, 5, 7, 9 have mean 40/8 = 5; the squares are 9+1+1+1+0+0+4+16 = 32, 32/7 = 4.571...
TEST(Summary, KnownSample) {
  const Summary s = summarise(Values{9, 2, 4, 5, 4, 7, 4, 5});
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.sd, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(s.median, 4.5);
  EXPECT_DOUBLE_EQ(s.mad, 0.5);  // distances to 4.5: 2.5 .5 .5 .5 .5 .5 2.5 4.5
  EXPECT_DOUBLE_EQ(s.min, 2);
  EXPECT_DOUBLE_EQ(s.max, 9);
}

// Type 7 has rank = p (n - 1); for 1..5 and p = 0.1 that is 0.4, between 1 and 2.
TEST(Quantile, Interpolates) {
  const Values values{5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 5);
  EXPECT_DOUBLE_EQ(quantile(values, 7), 5);
}

TEST(RobustDeviation, IsBlindToAnOutlier) {
  EXPECT_DOUBLE_EQ(robust_deviation(Values{1, 2, 3, 4, 1000}), 1.4826);
}

TEST(WeightedValues, TheQuantileIsWhereTheWeightIsReached) {
  WeightedValues values;
  values.add(3, 1);
  values.add(1, 2);
  values.add(2, 5);  // sorted: 1 (2), 2 (7), 3 (8)
  EXPECT_EQ(values.weight(), 8);
  EXPECT_EQ(values.quantile(0), 1);
  EXPECT_EQ(values.quantile(0.25), 1);  // 2 of 8
  EXPECT_EQ(values.quantile(0.26), 2);
  EXPECT_EQ(values.quantile(0.875), 2);  // 7 of 8
  EXPECT_EQ(values.quantile(0.9), 3);
  EXPECT_EQ(values.quantile(1), 3);
}

TEST(WeightedValues, OneThatIsAddedLaterCounts) {
  WeightedValues values;
  values.add(5, 1);
  EXPECT_EQ(values.quantile(0.5), 5);
  values.add(4, 1);
  EXPECT_EQ(values.quantile(0.5), 4);
}

TEST(WeightedValues, AnInfiniteValueIsOneOfThem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  WeightedValues values;
  values.add(30, 0.2);
  values.add(10, 0.5);
  values.add(20, 0.1);
  values.add(kInfinity, 0.2);
  EXPECT_EQ(values.quantile(0.75), 30);
  EXPECT_EQ(values.quantile(0.9), kInfinity);
  EXPECT_DOUBLE_EQ(values.share_up_to(20), 0.6);
  EXPECT_DOUBLE_EQ(values.share_up_to(1e300), 0.8);
}

TEST(WeightedValues, AMixtureKeepsItsShares) {
  WeightedValues early, late, mixed;
  early.add(1, 1);
  late.add(9, 1);
  mixed.add(early, 0.25);
  mixed.add(late, 0.75);
  EXPECT_DOUBLE_EQ(mixed.weight(), 1);
  EXPECT_DOUBLE_EQ(mixed.share_up_to(5), 0.25);
  EXPECT_EQ(mixed.quantile(0.5), 9);
}

TEST(WeightedValues, WithoutWeightThereIsNone) {
  WeightedValues values;
  values.add(7, 0);
  values.add(7, -1);
  EXPECT_EQ(values.weight(), 0);
  EXPECT_TRUE(std::isnan(values.quantile(0.5)));
}

using testing::ElementsAre;

TEST(Blocks, MeansOfWholeBlocks) {
  const std::vector<double> values{1, 3, 5, 7, 9};
  EXPECT_THAT(block_means(values, 2), ElementsAre(2, 6));
  EXPECT_THAT(block_means(values, 1), ElementsAre(1, 3, 5, 7, 9));
  EXPECT_TRUE(block_means(values, 6).empty());
}

TEST(Blocks, ThinnedTakesOneOfEachStretch) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(thinned(values, 1000), values);
  const std::vector<double> ten = thinned(values, 10);
  ASSERT_EQ(ten.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_GE(ten[i], 100.0 * static_cast<double>(i));
    EXPECT_LT(ten[i], 100.0 * static_cast<double>(i + 1));
  }
}

// Every fourth value is another one: every 100th value alone would be of one kind.
TEST(Blocks, ThinnedDoesNotFallIntoStep) {
  std::vector<double> values(400000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 4 == 0 ? 2 : 1;
  EXPECT_NEAR(mean(thinned(values, 4000)), 1.25, 0.03);
}

}  // namespace
}  // namespace lapcast
