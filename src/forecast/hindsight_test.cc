#include "forecast/hindsight.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

ForecastMoment moment(double elapsed, double low, double mid, double high) {
  return {Seconds{elapsed}, {Seconds{low}, Seconds{mid}, Seconds{high}}};
}

// A run of 200 s: 1 % are 2 s, 5 % 10 s, 10 % 20 s, 25 % 50 s, 50 % 100 s.
TEST(Hindsight, TakesTheLastForecastUntilThen) {
  const std::vector<ForecastMoment> forecasts{moment(3, 100, 150, 199), moment(9, 150, 190, 220),
                                              moment(10, 160, 220, 300), moment(60, 199, 200, 201),
                                              moment(101, 0, 0, 0)};
  const std::vector<Hindsight> rows = hindsight(forecasts, Seconds{200});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].share, 0.01);
  EXPECT_EQ(rows[0].forecast, std::nullopt);
  EXPECT_EQ(rows[1].forecast, forecasts[2]);
  EXPECT_NEAR(rows[1].error, 0.10, 1e-12);
  EXPECT_TRUE(rows[1].inside);
  EXPECT_EQ(rows[3].forecast, forecasts[2]);
  EXPECT_EQ(rows[4].forecast, forecasts[3]);
  EXPECT_NEAR(rows[4].error, 0, 1e-12);
}

TEST(Hindsight, AnIntervalBesideTheTruthDoesNotHoldIt) {
  const std::vector<Hindsight> rows =
      hindsight(std::vector{moment(1, 100, 150, 199)}, Seconds{200});
  EXPECT_NEAR(rows[0].error, -0.25, 1e-12);
  EXPECT_FALSE(rows[0].inside);
}

TEST(Hindsight, NothingOfARunWithoutTime) {
  EXPECT_TRUE(hindsight({}, Seconds{0}).empty());
  EXPECT_EQ(hindsight({}, Seconds{5}).size(), 5U);
}

}  // namespace
}  // namespace lapcast
