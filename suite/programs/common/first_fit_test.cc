#include "common/first_fit.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lapcast::workloads {
namespace {

TEST(FirstFit, TakesTheLowestGapThatIsLargeEnough) {
  FirstFit places(100);
  EXPECT_EQ(places.take(10), 0);
  EXPECT_EQ(places.take(30), 10);
  EXPECT_EQ(places.take(10), 40);
  places.give_back(0);
  EXPECT_EQ(places.take(20), 50);  // the gap of 10 is too small
  EXPECT_EQ(places.take(4), 0);
  EXPECT_EQ(places.take(6), 4);
  EXPECT_EQ(places.take(31), std::nullopt);
  EXPECT_EQ(places.take(30), 70);
}

TEST(FirstFit, JoinsGapsOnBothSides) {
  FirstFit places(30);
  for (int i = 0; i < 3; ++i) places.take(10);
  places.give_back(0);
  places.give_back(20);
  EXPECT_EQ(places.take(11), std::nullopt);
  places.give_back(10);
  EXPECT_EQ(places.take(30), 0);
}

TEST(FirstFit, IgnoresAPlaceThatNobodyHas) {
  FirstFit places(10);
  places.give_back(3);
  EXPECT_EQ(places.take(10), 0);
}

// Whatever the order, pieces never overlap, and the whole range is there again at the end.
TEST(FirstFit, NeverGivesAPlaceTwice) {
  std::mt19937 random(1);
  FirstFit places(1000);
  std::vector<std::pair<int64_t, int64_t>> pieces;
  std::vector<bool> used(1000);
  for (int i = 0; i < 20'000; ++i) {
    if (!pieces.empty() && random() % 2) {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      const auto [begin, size] = pieces.back();
      pieces.pop_back();
      for (int64_t at = begin; at < begin + size; ++at) used[static_cast<size_t>(at)] = false;
      places.give_back(begin);
    } else if (const int64_t size = 1 + random() % 60; const auto begin = places.take(size)) {
      for (int64_t at = *begin; at < *begin + size; ++at) {
        ASSERT_FALSE(used[static_cast<size_t>(at)]);
        used[static_cast<size_t>(at)] = true;
      }
      pieces.emplace_back(*begin, size);
    }
  }
  for (const auto& [begin, size] : pieces) places.give_back(begin);
  EXPECT_EQ(places.take(1000), 0);
}

}  // namespace
}  // namespace lapcast::workloads
