#include "extrapolate/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

const Gaussian kPair{{0, 0}, {1, 0.5, 0.5, 1}};

TEST(GaussianTest, AnExactObservationMovesTheOtherByItsCovariance) {
  Gaussian known = kPair;
  condition(known, 0, 1, 0);
  EXPECT_DOUBLE_EQ(known.mean[0], 1);
  EXPECT_DOUBLE_EQ(known.mean[1], 0.5);
  EXPECT_DOUBLE_EQ(known.cov(1, 1), 0.75);  // 1 - 0.5^2
}

TEST(GaussianTest, ANoisyObservationMovesItLess) {
  Gaussian known = kPair;
  condition(known, 0, 1, 1);
  EXPECT_DOUBLE_EQ(known.mean[1], 0.25);     // 0.5 / (1 + 1)
  EXPECT_DOUBLE_EQ(known.cov(1, 1), 0.875);  // 1 - 0.25 / 2
}

TEST(GaussianTest, DrawsHaveTheMomentsAndRepeat) {
  const Gaussian known{{3, -1}, {4, 1.2, 1.2, 1}};
  const auto drawn = draws(known, 20000, 7);
  EXPECT_EQ(drawn, draws(known, 20000, 7));
  double a = 0, b = 0, ab = 0;
  for (std::size_t s = 0; s < 20000; ++s) {
    a += drawn[2 * s] / 20000;
    b += drawn[2 * s + 1] / 20000;
    ab += (drawn[2 * s] - 3) * (drawn[2 * s + 1] + 1) / 20000;
  }
  EXPECT_NEAR(a, 3, 0.06);
  EXPECT_NEAR(b, -1, 0.03);
  EXPECT_NEAR(ab, 1.2, 0.08);
}

TEST(GaussianTest, AMixtureOfTheSamePartsIsThatPart) {
  const Interval<double> one = mixture_interval({2, 0.5}, {9, 9}, 0);
  const Interval<double> same = mixture_interval({2, 0.5}, {2, 0.5}, 0.25);
  EXPECT_NEAR(one.low, 2 - 1.959964 * 0.5, 1e-6);
  EXPECT_NEAR(same.low, one.low, 1e-6);
  EXPECT_NEAR(same.high, one.high, 1e-6);
}

TEST(GaussianTest, AMixtureReachesIntoItsSecondPart) {
  const Interval<double> t = mixture_interval({0, 0.01}, {1, 0.01}, 0.25);
  EXPECT_NEAR(t.mid, 0, 0.02);
  EXPECT_NEAR(t.high, 1, 0.03);  // 10 % of the second part lies above: its 90 % quantile
}

}  // namespace
}  // namespace lapcast
