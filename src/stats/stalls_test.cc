#include "stats/stalls.h"

#include <gtest/gtest.h>

#include <vector>

#include "stats/series_test.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;
using Indices = std::vector<std::size_t>;

TEST(RunningMedian, ShiftsItsWindowAtTheEnds) {
  EXPECT_EQ(running_median(Values{}, 1), Values{});
  EXPECT_EQ(running_median(Values{3}, 1), Values{3});
  EXPECT_EQ(running_median(Values{5, 1, 4, 2, 9}, 1), (Values{4, 4, 2, 4, 4}));
  EXPECT_EQ(running_median(Values{5, 1}, 1), (Values{3, 3}));  // fewer than a window
}

TEST(Stalls, NoneInFewValuesOrEqualOnes) {
  EXPECT_TRUE(find_stalls(Values{}).at.empty());
  EXPECT_TRUE(find_stalls(Values{1, 9, 1, 1}).at.empty());
  EXPECT_TRUE(find_stalls(Values(30, 1.0)).at.empty());
}

TEST(Stalls, FoundAndClippedToTheirNeighbours) {
  Values laps(30, 1.0);
  laps[10] = 5;
  laps[11] = 2;
  laps[20] = 1.25;  // less than 30 % above: noise
  const Stalls stalls = find_stalls(laps);
  EXPECT_EQ(stalls.at, (Indices{10, 11}));
  EXPECT_EQ(stalls.events(), 1u);
  const Values calm = clipped(laps, stalls);
  EXPECT_EQ(calm.size(), laps.size());
  EXPECT_EQ(calm[10], 1);
  EXPECT_EQ(calm[20], 1.25);
}

TEST(Stalls, ALevelIsNoStall) {
  Values laps(40, 1.0);
  std::fill(laps.begin() + 15, laps.begin() + 27, 2.0);
  EXPECT_TRUE(find_stalls(laps).at.empty());
}

TEST(Stalls, RareInWildNoise) {
  std::mt19937_64 generator(8);
  std::size_t found = 0;
  for (int i = 0; i < 200; ++i) found += find_stalls(noisy_laps(generator, 50, 0.15)).at.size();
  EXPECT_LE(found, 2u);  // of 10,000 laps
}

// Beyond 16,384 values medians are taken only where a value could be above its limit.
TEST(Stalls, OfALongSeriesAreThoseOfItsPieces) {
  std::mt19937_64 generator(53);
  Values laps = noisy_laps(generator, 40000, 0.1);
  for (std::size_t i = 17; i < laps.size(); i += 997) laps[i] *= 2.5;
  laps[39999] = 9;
  const Stalls all = find_stalls(laps);
  const Values medians = running_median(laps, 5);
  ASSERT_EQ(all.at.size(), 42u);  // 41 of every 997th, and the last
  for (std::size_t i = 0; i < all.at.size(); ++i) EXPECT_EQ(all.usual[i], medians[all.at[i]]);
}

}  // namespace
}  // namespace lapcast
