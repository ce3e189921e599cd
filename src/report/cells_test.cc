#include "report/cells.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace lapcast {
namespace {

// As t(1) is 12.706, the mean of two values is known to +- 6.353 times their difference only.

TEST(MeanCells, ADurationIsNotBelowZero) {
  const auto cell = std::get<Interval<Seconds>>(mean_time(std::array{0.001, 0.002}));
  EXPECT_EQ(cell.low, Seconds{0});
  EXPECT_DOUBLE_EQ(cell.mid.count(), 0.0015);
  EXPECT_NEAR(cell.high.count(), 0.0015 + 6.353e-3, 1e-6);
}

TEST(MeanCells, AnAccuracyIsAShare) {
  const auto cell =
      std::get<Interval<double>>(mean_of(parse_run_metric("accuracy"), std::array{0.9, 1.0}));
  EXPECT_NEAR(cell.low, 0.95 - 0.6353, 1e-4);
  EXPECT_EQ(cell.high, 1);
}

TEST(MeanCells, ALossHasNoBounds) {
  const auto cell =
      std::get<Interval<double>>(mean_of(parse_run_metric("val_loss"), std::array{0.1, 0.9}));
  EXPECT_LT(cell.low, 0);
  EXPECT_GT(cell.high, 1);
}

TEST(MeanCells, OfOneValueAndOfNone) {
  EXPECT_EQ(std::get<Interval<Seconds>>(mean_time(std::array{2.0})),
            Interval<Seconds>::exactly(Seconds{2}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(mean_time({})));
}

}  // namespace
}  // namespace lapcast
