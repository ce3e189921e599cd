#include "stats/anytime_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/seeded_numbers.h"

namespace lapcast {
namespace {

// sqrt(5 / 4 x ln(5 / 0.05^2)) = sqrt(1.25 x ln 2000) = sqrt(1.25 x 7.600902) = 3.082390
TEST(AnytimeBounds, NormalMixtureByHand) {
  EXPECT_NEAR(anytime_z_factor(4, 0.05), 3.082390, 1e-6);
  EXPECT_TRUE(std::isinf(anytime_z_factor(0, 0.05)));
}

// n = 10: widened 91, limit (91 / 0.0025)^(1/10) = exp(ln 36400 / 10) = exp(1.0502324) = 2.858315;
// 9 x 1.858315 / (1 - 2.858315 / 91) = 16.724835 / 0.9685900 = 17.267197, its root 4.155382
TEST(AnytimeBounds, TTestMixtureByHand) {
  EXPECT_NEAR(anytime_t_factor(10, 0.05), 4.155382, 1e-5);
}

// n = 3: widened 28, limit (28 / 0.0025)^(1/3) = 22.37 < 28, but at an error of 0.01 it is 65 > 28.
TEST(AnytimeBounds, TooFewValuesSayNothing) {
  EXPECT_TRUE(std::isfinite(anytime_t_factor(3, 0.05)));
  EXPECT_TRUE(std::isinf(anytime_t_factor(3, 0.01)));
  EXPECT_TRUE(std::isinf(anytime_t_factor(1, 0.05)));
}

TEST(AnytimeBounds, WiderThanOneLookAndNarrowingWithValues) {
  EXPECT_GT(anytime_z_factor(100, 0.05), 1.96);
  EXPECT_GT(anytime_t_factor(1000, 0.05), 1.96);
  EXPECT_LT(anytime_half_width(1, 0, 1000, 0.05), 5);
  EXPECT_LT(anytime_half_width(0.001, 0.1, 2, 0.01), anytime_half_width(0.001, 0.2, 2, 0.01));
}

TEST(AnytimeBounds, OfFewValuesTheAssumedDeviationCounts) {
  // 0.1 / sqrt(4) x sqrt(5 / 4 x ln(5 / 0.025^2)) = 0.05 x sqrt(1.25 x 8.987197) = 0.1675863
  EXPECT_NEAR(anytime_half_width(0.0001, 0.1, 4, 0.001 * 50),
              std::min(0.1675863, 0.0001 * anytime_t_factor(4, 0.025)), 1e-6);
  EXPECT_NEAR(anytime_half_width(0.0001, 0.1, 2, 0.05),
              0.1 / std::sqrt(2.0) * anytime_z_factor(2, 0.025), 1e-12);
}

/// Shares of 1,000 series of 200 normal values in which the mean was outside at any n looked at.
double ever_outside(bool known) {
  int outside = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SeededNumbers random(seed);
    double sum = 0, squares = 0;
    for (int n = 1; n <= 200; ++n) {
      const double value = random.normal();
      sum += value;
      squares += value * value;
      const double mean = sum / n;
      const double deviation = n < 2 ? 1 : std::sqrt((squares - n * mean * mean) / (n - 1));
      const double half = known ? anytime_z_factor(n, 0.1) / std::sqrt(n)
                                : anytime_t_factor(n, 0.1) * deviation / std::sqrt(n);
      if (std::abs(mean) <= half) continue;
      ++outside;
      break;
    }
  }
  return outside / 1000.0;
}

TEST(AnytimeBounds, HoldAtAllLooksTogether) {
  EXPECT_LE(ever_outside(true), 0.1);
  EXPECT_LE(ever_outside(false), 0.1);
  EXPECT_GT(ever_outside(true) + ever_outside(false), 0.02);  // and are not hopelessly wide
}

}  // namespace
}  // namespace lapcast
