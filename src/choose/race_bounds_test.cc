#include "choose/race_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/anytime_bounds.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

/// 100 s of laps known to +-10 s, 10 s of other work known to +-1 s, two runs differ by 2 %.
Assessment planted(double laps, double effective) {
  LapProfile profile;
  profile.steady.laps = static_cast<std::int64_t>(laps);
  profile.steady.effective_laps = effective;
  Forecast forecast;
  forecast.total = {Seconds{95}, Seconds{110}, Seconds{125}};
  forecast.spread_between_runs = 0.02;
  forecast.parts = {{PartKind::init, {Seconds{1}, Seconds{0}, Seconds{9}}},
                    {PartKind::laps, {Seconds{90}, Seconds{100}, Seconds{110}}},
                    {PartKind::validation, {Seconds{9}, Seconds{10}, Seconds{11}}}};
  return {profile, TrainingPlan{}, forecast};
}

// Of 4 laps the interval is a normal one: a standard error of 10 / 1.96 = 5.102 s, and 10 % of a
// lap give 10 / sqrt(4) = 5. At an error of 0.02 / 2 / 2 = 0.005 the factor is sqrt(5 / 4 x ln(5 /
// 0.005^2)) = sqrt(1.25 x 12.20607) = 3.906096: 19.929 s. The others: z(0.995) = 2.575829, x 1
// / 1.959964 = 1.314222 s; between runs 0.0515166.
TEST(RaceBounds, OfFewLapsByHand) {
  const auto total = anytime_total(planted(4, 4), 0.02);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->mid, Seconds{110});
  const double up = std::log1p(19.9294 / 110) + std::hypot(std::log1p(1.314222 / 110), 0.0515166);
  EXPECT_NEAR(total->high.count(), 110 * std::exp(up), 2e-3);
  const double down =
      -std::log1p(-19.9294 / 110) + std::hypot(std::log1p(-1.314222 / 110), 0.0515166);
  EXPECT_NEAR(total->low.count(), 110 * std::exp(-down), 2e-3);
}

// Of 21 laps worth 11 the interval is Student's with 10 degrees of freedom, 2.228139 standard
// errors.
TEST(RaceBounds, OfManyLapsByTheirEffectiveNumber) {
  const auto total = anytime_total(planted(21, 11), 0.02);
  const double error = 10 / 2.228139;
  const double laps = anytime_half_width(error, 10, 11, 0.01);
  const double up = std::log1p(laps / 110) + std::hypot(std::log1p(1.314222 / 110), 0.0515166);
  EXPECT_NEAR(total->high.count(), 110 * std::exp(up), 1e-3);
}

TEST(RaceBounds, WhatRunsDifferByIsNeverLost) {
  Assessment sure = planted(1000, 1000);
  for (ForecastPart& part : sure.forecast->parts)
    part.time = Interval<Seconds>::exactly(part.time.mid);
  const auto total = anytime_total(sure, 0.02);
  EXPECT_NEAR(total->high / total->mid, std::exp(0.0515166), 1e-6);
  EXPECT_NEAR(total->mid / total->low, std::exp(0.0515166), 1e-6);
}

TEST(RaceBounds, NothingForecastNothingKnown) {
  Assessment none = planted(4, 4);
  none.forecast = because("no laps");
  EXPECT_FALSE(anytime_total(none, 0.02));
}

// z(0.99) = 2.326348: 100 x exp(-2.326348 x 0.3) = 49.7627
TEST(RaceBounds, ARunThatHasNotEnded) {
  EXPECT_NEAR(at_least(Seconds{100}, 0.02).count(), 49.7627, 1e-3);
}

}  // namespace
}  // namespace lapcast
