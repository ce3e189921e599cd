#include "data/io_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace lapcast::workloads {
namespace {

TEST(IoPatterns, TheSameSeedGivesTheSameObservationsOnAnyNumberOfThreads) {
  IoObservations one = make_observations(300, 5, IoPart::kTraining, 1);
  const IoObservations three = make_observations(300, 5, IoPart::kTraining, 3);
  EXPECT_EQ(one.patterns, three.patterns);
  EXPECT_EQ(one.features, three.features);
  EXPECT_NE(one.features, make_observations(300, 5, IoPart::kTest, 1).features);
  EXPECT_NE(one.features, make_observations(300, 6, IoPart::kTraining, 1).features);
  one.keep_first(100);
  EXPECT_EQ(one.features, make_observations(100, 5, IoPart::kTraining, 2).features);
}

TEST(IoPatterns, ASmallSetHasEveryClass) {
  std::array<int, kIoPatterns> counts{};
  for (uint8_t label : make_observations(64, 3, IoPart::kTraining, 1).patterns) ++counts[label];
  for (int count : counts) EXPECT_GE(count, 21);
}

TEST(IoPatterns, EveryPatternIsAsFrequent) {
  const IoObservations all = make_observations(9000, 1, IoPart::kTraining, 2);
  std::array<int, kIoPatterns> counts{};
  for (uint8_t pattern : all.patterns) ++counts[pattern];
  for (int count : counts) EXPECT_EQ(count, 3000);
}

TEST(IoPatterns, TheFiveNumbersFitTogether) {
  const IoObservations all = make_observations(3000, 1, IoPart::kTraining, 2);
  for (int64_t i = 0; i < all.count(); ++i) {
    const double* f = all.features.data() + i * kIoFeatures;
    EXPECT_LE(f[0], f[1]);
    EXPECT_LE(f[1], f[2]);
    EXPECT_GE(f[0], 512);
    EXPECT_GE(f[3], 1);
    EXPECT_LE(f[3], 128);
    // A process with its own file continues where its last request ended.
    if (all.patterns[static_cast<size_t>(i)] == 0 && f[0] == f[2] && f[4] > 0) {
      EXPECT_EQ(f[4], f[1]);
    }
  }
}

/// Returns the best share of observations that one threshold on one feature classifies correctly,
/// for one pattern against the others.
double best_threshold(const IoObservations& all, int64_t feature, uint8_t pattern) {
  const std::vector<double> values = all.column(feature);
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  const auto n = static_cast<int64_t>(order.size());
  int64_t right = n - std::count(all.patterns.begin(), all.patterns.end(), pattern), best = right;
  for (int64_t i = 0; i < n; ++i) {
    right += all.patterns[order[static_cast<size_t>(i)]] == pattern ? 1 : -1;
    const bool between = i + 1 == n || values[order[static_cast<size_t>(i)]] !=
                                           values[order[static_cast<size_t>(i + 1)]];
    if (between) best = std::max({best, right, n - right});
  }
  return static_cast<double>(best) / static_cast<double>(n);
}

/// Checks that the set is not trivial.
TEST(IoPatterns, NoSingleNumberTellsThePatterns) {
  const IoObservations all = make_observations(6000, 1, IoPart::kTraining, 2);
  for (int64_t feature = 0; feature < kIoFeatures; ++feature) {
    double worst = 1;
    for (uint8_t pattern = 0; pattern < kIoPatterns; ++pattern) {
      worst = std::min(worst, best_threshold(all, feature, pattern));
    }
    EXPECT_LT(worst, 0.85) << kIoColumns[static_cast<size_t>(feature)];
  }
}

}  // namespace
}  // namespace lapcast::workloads
