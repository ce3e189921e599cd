#include "extrapolate/batch_search.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

TEST(BatchSteps, ArePowersOfTwoAndHalfwayBetweenThem) {
  const std::vector<std::int64_t> sizes{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(batch_of_step(static_cast<int>(i)), sizes[i]);
    EXPECT_EQ(batch_step_at(sizes[i]), static_cast<int>(i));
  }
  EXPECT_EQ(batch_step_at(5), 3);
  EXPECT_EQ(batch_step_at(47), 9);
}

/// Plays a program on a machine: it takes `fixed` bytes and `each` for a sample, and up to 95 % of
/// `memory` fit.
struct PlayedSearch {
  std::int64_t fixed, each, memory;
  std::int64_t floor = 0;  // it takes no less, whatever the batch
  std::int64_t samples = 1'000'000;
  std::vector<BatchTry> tries = {};
  int failures = 0;

  std::int64_t peak(std::int64_t batch) const { return std::max(floor, fixed + each * batch); }
  std::int64_t run() {
    SearchedMemory known{.main_bytes = memory};
    while (const auto batch = next_batch(tries, known)) {
      EXPECT_LT(tries.size(), 40u);
      if (tries.size() >= 40) break;
      const bool fits = *batch <= samples && 20 * peak(*batch) <= 19 * memory;
      tries.push_back({*batch, fits});
      failures += !fits;
      if (fits) known.peaks.uses.push_back({.batch = *batch, .peak_rss_bytes = peak(*batch)});
    }
    return largest_that_fits(tries).value_or(0);
  }
};

// 100 + 10 batch <= 0.95 x 4000 holds to 370 samples: 256 is the largest size, and 384 the next.
TEST(BatchSearch, FollowsTheForecast) {
  PlayedSearch search{100, 10, 4000};
  EXPECT_EQ(search.run(), 256);
  EXPECT_LE(search.tries.size(), 4u);
  EXPECT_EQ(search.tries[0].batch, kFirstBatch);
}

TEST(BatchSearch, FindsTheLargestSizeInFewTries) {
  for (const std::int64_t fixed : {0, 100, 1000, 3000})
    for (const std::int64_t each : {1, 3, 7, 20, 55, 130, 600}) {
      PlayedSearch search{fixed, each, 10'000};
      const std::int64_t found = search.run();
      const int step = batch_step_at(std::max<std::int64_t>(1, (9500 - fixed) / each));
      EXPECT_EQ(found, batch_of_step(step)) << fixed << " " << each;
      EXPECT_LE(search.tries.size(), 6u) << fixed << " " << each;
      EXPECT_LE(search.failures, each > 900 ? 3 : 2) << fixed << " " << each;
    }
}

// Up to 90 samples the start of the program takes the most: the line is level and then rises.
TEST(BatchSearch, FindsItBehindALevelLine) {
  PlayedSearch search{100, 20, 4000, 1900};
  EXPECT_EQ(search.run(), 128);  // 2660; 192 samples would be 3940 of 3800
  EXPECT_LE(search.tries.size(), 6u);
}

TEST(BatchSearch, EndsAtTheTrainingSetAndWhereNothingFits) {
  PlayedSearch small{100, 1, 1'000'000, 0, 60};
  EXPECT_EQ(small.run(), 48);
  EXPECT_LE(small.tries.size(), 6u);
  PlayedSearch none{5000, 1, 4000};
  EXPECT_EQ(none.run(), 0);
  EXPECT_LE(none.tries.size(), 4u);
}

}  // namespace
}  // namespace lapcast
