#include "extrapolate/own_programs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "extrapolate/machine_factors.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr double kFlat = kFlatSd * kFlatSd;

/// Returns a program on two machines with variance 0.05 on each and covariance 0.01, so that the
/// ratio has variance 0.08; the second machine is e^0.3 times as slow.
Gaussian on_two_machines() {
  return {{0, 0.3}, {0.05 + kFlat, 0.01 + kFlat, 0.01 + kFlat, 0.05 + kFlat}};
}

double variance_of_ratio(const Gaussian& program, std::size_t i, std::size_t j) {
  return program.cov(i, i) + program.cov(j, j) - 2 * program.cov(i, j);
}

TEST(OwnProgramsTest, OneProgramOnTwoMachinesHasAClosedForm) {
  // The other program measured a ratio of e^0.8. With r the ratio, z common with 0.4 * 0.08, the
  // rest 0.6 * 0.08 and two laps with 0.1^2: gain 0.032 / (0.08 + 0.02) = 0.32, so the mean moves
  // by 0.32 * 0.5, and the variance is 0.032 * (1 - 0.32) + 0.048. The level of a program, which is
  // not known, tells nothing.
  const OwnTimes other{{0, 1}, {7, 7.8}, {0.1, 0.1}};
  const Gaussian program = given_own_programs(on_two_machines(), std::vector{other}, 0.4);
  EXPECT_NEAR(program.mean[1] - program.mean[0], 0.3 + 0.16, 1e-9);
  EXPECT_NEAR(variance_of_ratio(program, 0, 1), 0.06976, 1e-9);
}

TEST(OwnProgramsTest, ManyProgramsLeaveWhatAProgramHasForItself) {
  const OwnTimes other{{0, 1}, {2, 2.8}, {0.03, 0.03}};
  const std::vector<OwnTimes> many(500, other);
  const Gaussian program = given_own_programs(on_two_machines(), many, 0.4);
  EXPECT_NEAR(program.mean[1] - program.mean[0], 0.8, 0.002);
  EXPECT_NEAR(variance_of_ratio(program, 0, 1), 0.6 * 0.08, 0.0002);
}

TEST(OwnProgramsTest, WithoutOthersEveryFigureIsAsItWas) {
  const Gaussian before = on_two_machines();
  const Gaussian after = given_own_programs(before, {});
  EXPECT_EQ(after.mean, before.mean);
  EXPECT_EQ(after.covariance, before.covariance);
}

TEST(OwnProgramsTest, MoreProgramsNeverWiden) {
  SeededNumbers random(46);
  constexpr std::size_t n = 6;
  for (int round = 0; round < 50; ++round) {
    // A covariance of three random loadings and an own deviation of each machine.
    Gaussian program{std::vector<double>(n), std::vector<double>(n * n, kFlat)};
    std::vector<double> loadings(n * 3);
    for (double& value : loadings) value = 0.3 * random.normal();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) program.cov(i, i) += std::pow(0.02 + 0.3 * random.uniform(), 2);
        for (std::size_t k = 0; k < 3; ++k)
          program.cov(i, j) += loadings[i * 3 + k] * loadings[j * 3 + k];
      }
    std::vector<OwnTimes> others;
    Gaussian before = program;
    for (int more = 0; more < 5; ++more) {
      OwnTimes other;
      for (std::size_t i = 0; i < n; ++i)
        if (i < 2 || random.uniform() < 0.5) {
          other.places.push_back(i);
          other.log_seconds.push_back(random.normal());
          other.noise.push_back(0.03 + 0.1 * random.uniform());
        }
      others.push_back(other);
      const Gaussian after = given_own_programs(program, others, 0.1 + 0.8 * random.uniform());
      const Gaussian fixed = given_own_programs(program, others);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_LE(variance_of_ratio(after, i, j), variance_of_ratio(program, i, j) + 1e-9);
          EXPECT_LE(variance_of_ratio(fixed, i, j), variance_of_ratio(before, i, j) + 1e-9);
        }
      before = fixed;
    }
  }
}

}  // namespace
}  // namespace lapcast
