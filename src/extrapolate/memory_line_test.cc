#include "extrapolate/memory_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lapcast {
namespace {

using Peaks = std::vector<MemoryPeak>;

MemoryLine line_through(const Peaks& peaks) {
  const auto line = MemoryLine::through(peaks);
  EXPECT_TRUE(line) << line.error().text;
  return *line;
}

void expect_interval(const Interval<double>& interval, double mid, double half) {
  EXPECT_NEAR(interval.mid, mid, 1e-9);
  EXPECT_NEAR(interval.low, mid - half, 0.01);
  EXPECT_NEAR(interval.high, mid + half, 0.01);
}

// Batches 10 and 30 have the mean 20 and the sum of squares 200; the slope is 50 bytes a sample.
// The deviation is 1 % of the mean, 15 bytes, and 1.96 times that 29.4.
TEST(MemoryLine, TwoPeaksHaveTheLeastDeviation) {
  const MemoryLine line = line_through({{10, 1000}, {30, 2000}});
  expect_interval(line.at(20), 1500, 29.399 * 1.224745);  // sqrt(1 + 1/2)
  // sqrt(1 + 1/2 + 30^2 / 200) times the margin, and 12 % of the way to 2000 x 50 / 30.
  expect_interval(line.at(50), 3000, std::hypot(29.399 * 2.449490, 40));
  expect_interval(line.of_a_sample(), 50, 29.399 / 14.142136);
}

// The slope is (1 x 100 + 1 x 110) / 2 = 105, so the peaks are 5, -10 and 5 off: a deviation of
// sqrt(150 / (3 - 2)) = 12.247, far above 1 % of 210.
TEST(MemoryLine, ThreePeaksHaveTheirOwnDeviation) {
  const MemoryLine line = line_through({{1, 110}, {2, 200}, {3, 320}});
  expect_interval(line.at(2), 210, 24.004 * 1.154701);  // sqrt(1 + 1/3)
  // sqrt(1 + 1/3 + 3^2 / 2); a peak proportional to the batch would be no higher than the line.
  expect_interval(line.at(5), 525, 24.004 * 2.415229);
}

// They are 5, -10, 0, 10 and -5 off the slope of 100: a deviation of sqrt(250 / 3) = 9.1287, times
// 3.1824 of Student's t with 3 degrees of freedom.
TEST(MemoryLine, FivePeaksHaveStudentsInterval) {
  const MemoryLine line = line_through({{1, 105}, {2, 190}, {3, 300}, {4, 410}, {5, 495}});
  expect_interval(line.at(3), 300, 29.052 * 1.095445);  // sqrt(1 + 1/5)
}

TEST(MemoryLine, PeaksOfOneBatchCountEach) {
  expect_interval(line_through({{1, 110}, {1, 90}, {3, 300}}).at(3), 300,
                  1.959964 * 14.142136 * 1.414214);  // sqrt(1 + 1/3 + (4/3)^2 / (8/3))
}

TEST(MemoryLine, DoesNotFall) {
  const MemoryLine line = line_through({{10, 1000}, {20, 990}, {30, 980}});
  EXPECT_DOUBLE_EQ(line.at(1'000'000).mid, 990);
  EXPECT_EQ(line.of_a_sample().low, 0);
  EXPECT_EQ(line.of_a_sample().mid, 0);
  EXPECT_GT(line.of_a_sample().high, 0);
}

TEST(MemoryLine, IsNotBelowZero) {
  const MemoryLine line = line_through({{10, 10}, {20, 1000}});
  EXPECT_EQ(line.at(1), (Interval<double>{0, 0, 0}));
}

TEST(MemoryLine, NeedsTwoBatches) {
  const auto reason = [](const Peaks& peaks) { return MemoryLine::through(peaks).error().text; };
  EXPECT_EQ(reason({}), "no peak of memory was measured");
  EXPECT_EQ(reason({{32, 100}}), "only batch 32 was measured; a line needs two");
  EXPECT_EQ(reason({{32, 100}, {32, 101}}), "only batch 32 was measured; a line needs two");
  EXPECT_EQ(reason({{32, 100}, {0, 50}}), "a peak of 50 bytes at batch 0");
  EXPECT_EQ(reason({{32, 0}, {64, 50}}), "a peak of 0 bytes at batch 32");
}

// At 48 the upper end is 2900 + sqrt(29.399^2 (1.5 + 28^2 / 200) + (0.12 x 300)^2) = 2977.3, and at
// 49 it is 3029.8.
TEST(MemoryLine, LargestBatchHasAnUpperEndThatFits) {
  const MemoryLine line = line_through({{10, 1000}, {30, 2000}});
  EXPECT_EQ(line.largest_batch(3000), 48);
  EXPECT_EQ(line.largest_batch(2978), 48);
  EXPECT_EQ(line.largest_batch(2977), 47);
  EXPECT_EQ(line.largest_batch(100), 0);
  EXPECT_EQ(line_through({{10, 1}, {30, 1}}).largest_batch(std::int64_t{1} << 60), kMostBatch);
}

// Of 2000 bytes at batch 30, 1500 grow with it. At 50 samples the peak is 3000 +- 82.37, and
// 3082.37 is 1.96 deviations above it.
TEST(MemoryLine, KnowsItsPartOfTheBatchAndChances) {
  const MemoryLine line = line_through({{10, 1000}, {30, 2000}});
  EXPECT_DOUBLE_EQ(line.share_of_batch(), 0.75);
  EXPECT_NEAR(line.chance_below(50, 3000), 0.5, 1e-9);
  EXPECT_NEAR(line.chance_below(50, 3082.37), 0.975, 1e-4);
  EXPECT_EQ(line_through({{8, 1000}, {16, 1000}}).share_of_batch(), 0);
}

// A level line is surest at its mean batch, 12: 1000 + 19.6 sqrt(1.5) = 1024.005. At 1025 bytes the
// batch may be 2.02 away: 14 fits although 1 does not.
TEST(MemoryLine, LargestBatchOfALevelLineIsNearItsMiddle) {
  const MemoryLine line = line_through({{8, 1000}, {16, 1000}});
  EXPECT_EQ(line.largest_batch(1024), 0);
  EXPECT_GT(line.at(1).high, 1025);
  EXPECT_EQ(line.largest_batch(1025), 14);
}

}  // namespace
}  // namespace lapcast
