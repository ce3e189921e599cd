#include "stats/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(SeededNumbers, AreThoseOfSplitMix64) {
  SeededNumbers numbers(0);  // reference: 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4
  EXPECT_DOUBLE_EQ(numbers.uniform(), 0xe220a8397b1dcdafp-64);
  EXPECT_DOUBLE_EQ(numbers.uniform(), 0x6e789e6aa1b965f4p-64);
}

TEST(SeededNumbers, NormalOnesHaveTheMomentsOfTheDistribution) {
  SeededNumbers numbers(7);
  double sum = 0, squares = 0;
  int outside = 0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const double z = numbers.normal();
    sum += z;
    squares += z * z;
    outside += std::abs(z) > 1.959964;
  }
  EXPECT_NEAR(sum / n, 0, 0.015);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(outside / double{n}, 0.05, 0.004);
}

TEST(SeededNumbers, ChiSquaredHasItsMeanAndVariance) {
  SeededNumbers numbers(7);
  double sum = 0, squares = 0;
  constexpr int n = 50'000;
  for (int i = 0; i < n; ++i) {
    const double x = numbers.chi_squared(6);
    EXPECT_GT(x, 0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 6, 0.1);
  EXPECT_NEAR(squares / n - 36, 12, 0.6);  // variance 2 k
}

TEST(SeededNumbers, TheLargestOfManyIsWhereExtremeValuesAre) {
  SeededNumbers numbers(7);
  double two = 0, hundred = 0;
  constexpr int n = 20'000;
  for (int i = 0; i < n; ++i) {
    two += numbers.largest_normal(2) / n;
    hundred += numbers.largest_normal(100) / n;
  }
  EXPECT_NEAR(two, 1 / std::sqrt(std::acos(-1)), 0.02);  // expectation: 1 / sqrt(pi)
  EXPECT_NEAR(hundred, 2.508, 0.02);                     // tabulated (Harter 1961)
  EXPECT_TRUE(std::isfinite(numbers.largest_normal(1e9)));
}

}  // namespace
}  // namespace lapcast
