#include "energy/power_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/moment.h"

namespace lapcast {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PowerSeries every_second(const std::vector<double>& watts) {
  std::vector<PowerReading> readings;
  for (std::size_t i = 0; i < watts.size(); ++i)
    readings.push_back({static_cast<double>(i), watts[i]});
  return power_series(readings);
}

TEST(PowerSeries, LeavesOutWhatCannotBeAReading) {
  const std::vector<PowerReading> readings{{0, 100},  {1, kNan}, {2, -5},  {3, 1e308},
                                           {kNan, 1}, {4, 200},  {4, 300}, {3, 300}};
  const PowerSeries series = power_series(readings);
  EXPECT_EQ(series.readings, (std::vector<PowerReading>{{0, 100}, {4, 200}}));
  EXPECT_EQ(series.refused.at("not a number"), 2u);
  EXPECT_EQ(series.refused.at("power below 0"), 1u);
  EXPECT_EQ(series.refused.at("power above 100 kW"), 1u);
  EXPECT_EQ(series.refused.at("not later than the reading before"), 2u);
}

TEST(Meter, IsReadWithAndWithoutAHeader) {
  const auto named =
      read_meter("time,watts\n2026-11-25T12:00:00Z,310.5\n2026-11-25T12:00:02Z,312\n");
  ASSERT_TRUE(named);
  ASSERT_EQ(named->readings.size(), 2u);
  EXPECT_EQ(named->readings[1].at_s - named->readings[0].at_s, 2);
  EXPECT_TRUE(named->refused.empty());
  const auto plain = read_meter("10,5\n11,6,more\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->readings, (std::vector<PowerReading>{{10, 5}, {11, 6}}));
}

TEST(Meter, ReadsWhatNvidiaSmiLogs) {
  const auto meter = read_meter(
      "index, timestamp, power.draw [W]\n0, 2026/11/25 12:00:00.250, 300.00 W\n"
      "1, 2026/11/25 12:00:00.250, 100.00 W\n0, 2026/11/25 12:00:01.250, 301.00 W\n");
  ASSERT_TRUE(meter);
  ASSERT_EQ(meter->readings.size(), 2u);
  EXPECT_EQ(meter->readings[0].watts, 400);
  EXPECT_DOUBLE_EQ(meter->readings[0].at_s, parse_moment("2026-11-25T12:00:00.25Z").value());
}

// Two accelerators are read 2 ms apart, once a second.
TEST(Meter, SumsTheAcceleratorsOfAMoment) {
  const auto pairs = read_meter("1,300\n1.002,100\n2,310\n2.002,90\n3,300\n3.002,100\n");
  ASSERT_EQ(pairs->readings.size(), 3u);
  for (const PowerReading& reading : pairs->readings) EXPECT_EQ(reading.watts, 400);
  EXPECT_EQ(read_meter("1,300\n1.1,100\n2,310\n3,90\n3.5,300\n4,100\n")->readings.size(), 6u);
}

TEST(Meter, CountsLinesThatAreNoReading) {
  const auto meter = read_meter("10,5\n11,\n12\nx,y\n13,nan\n14,1e308\n15,-1\n16,7 W\n17,8\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->readings, (std::vector<PowerReading>{{10, 5}, {16, 7}, {17, 8}}));
  EXPECT_EQ(meter->refused.at("no time and power"), 3u);  // "11,", "12", "x,y"
  EXPECT_FALSE(read_meter(""));
  EXPECT_FALSE(read_meter("time,watts\n"));
  EXPECT_FALSE(read_meter(std::string("\0\xff,\xfe\n", 5)));
}

TEST(Counter, GivesTheMeanPowerBetweenReadings) {
  // 30 J in 2 s = 15 W, then 5 J in 1 s.
  const std::vector<CounterReading> readings{{0, 1'000'000}, {2, 31'000'000}, {3, 36'000'000}};
  const PowerSeries series = power_of_counter(readings, {1e-6, 0});
  EXPECT_EQ(series.readings, (std::vector<PowerReading>{{2, 15}, {3, 5}}));
}

TEST(Counter, BeginsAgainAtZeroAfterItsRange) {
  // 100 - 90 + 20 = 30 counts in 1 s.
  const std::vector<CounterReading> readings{{0, 90}, {1, 20}};
  const PowerSeries series = power_of_counter(readings, {1, 100});
  ASSERT_EQ(series.readings.size(), 1u);
  EXPECT_DOUBLE_EQ(series.readings[0].watts, 30);
}

TEST(Counter, ThatGoesBackwardsLeavesAStretchOut) {
  const std::vector<CounterReading> back{{0, 40}, {1, 20}, {2, 30}, {3, -1}, {4, 50}};
  const PowerSeries series = power_of_counter(back, {1, 100});
  EXPECT_EQ(series.readings, (std::vector<PowerReading>{{2, 10}}));
  EXPECT_EQ(series.refused.at("the counter was reset"), 3u);
  EXPECT_TRUE(power_of_counter(std::vector<CounterReading>{{0, 90}, {1, 20}}, {1, 0})
                  .readings.empty());  // it has no range
}

TEST(Joules, AreTheAreaUnderTheReadings) {
  // 10 W at 0 s to 30 W at 2 s: from 0.5 s (15 W) to 1.5 s (25 W) it is 20 J.
  const PowerSeries series = every_second({10, 20, 30});
  EXPECT_DOUBLE_EQ(*joules_between(series, 0, 2), 40);
  EXPECT_DOUBLE_EQ(*joules_between(series, -1, 3), 10 + 40 + 30);
  EXPECT_FALSE(joules_between(series, 0.5, 1.5));  // one reading
  EXPECT_FALSE(joules_between(series, 2, 2));
  EXPECT_FALSE(joules_between(series, 0, kNan));
  EXPECT_FALSE(joules_between({}, 0, 1));
}

TEST(FirstSeconds, CountTheBeginOnceAndTheSecondHalfForTheRest) {
  // 3 s at 100 W, a slope of 1 s with 150 J, 4 s at 200 W: 1250 J in 8 s, and 200 W from 4 s on.
  const PowerSeries series = every_second({100, 100, 100, 100, 200, 200, 200, 200, 200});
  const auto first = first_seconds(series, 0, 8);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->joules, 3 * 100 + 150 + 4 * 200);
  EXPECT_DOUBLE_EQ(first->watts.mid, 200);
  EXPECT_DOUBLE_EQ(first->watts.high, 200 * 1.04);
  const Interval<double> whole = joules_of_training(*first, 18);
  EXPECT_DOUBLE_EQ(whole.mid, 1250 + 10 * 200);
  EXPECT_DOUBLE_EQ(whole.high, 1250 + 10 * 208);
  EXPECT_DOUBLE_EQ(joules_of_training(*first, 4).mid, 625);
  EXPECT_DOUBLE_EQ(joules_of_training(*first, kNan).mid, 0);
}

TEST(FirstSeconds, NeedTwoReadingsInEitherHalf) {
  EXPECT_FALSE(first_seconds(every_second({1, 2, 3}), 0, 20));
  EXPECT_FALSE(first_seconds(every_second({}), 0, 20));
}

TEST(FirstSeconds, OfNoPowerNeedNoEnergy) {
  const auto first = first_seconds(every_second({0, 0, 0, 0, 0, 0}), 0, 5);
  ASSERT_TRUE(first);
  EXPECT_EQ(joules_of_training(*first, 100), Interval<double>::exactly(0));
}

}  // namespace
}  // namespace lapcast
