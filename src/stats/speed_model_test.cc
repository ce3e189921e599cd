#include "stats/speed_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Simulates a machine whose speed is an Ornstein-Uhlenbeck process, in steps of 0.1 s.
class WanderingMachine {
 public:
  WanderingMachine(double deviation, double constant_s, std::uint64_t seed)
      : numbers_(seed), deviation_(deviation), keep_(std::exp(-0.1 / constant_s)) {
    level_ = deviation_ * numbers_.normal();
  }
  /// Returns the mean deviation over the next so many seconds.
  double over(double seconds) {
    double sum = 0;
    const int steps = std::max(1, static_cast<int>(std::lround(seconds / 0.1)));
    for (int i = 0; i < steps; ++i) sum += step();
    return sum / steps;
  }

 private:
  double step() {
    level_ = keep_ * level_ + deviation_ * std::sqrt(1 - keep_ * keep_) * numbers_.normal();
    return level_;
  }
  SeededNumbers numbers_;
  double deviation_;
  double keep_;
  double level_;
};

/// Returns the slices of a sweep of `candidates` in three rounds of one second each; candidate i
/// takes (i + 1) seconds for a lap.
std::vector<SpeedSlice> sweep_on(WanderingMachine& machine, std::size_t candidates) {
  std::vector<SpeedSlice> slices;
  double now = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < candidates; ++i, ++now)
      slices.push_back(
          {i, i, now, now + 1, std::log(static_cast<double>(i + 1)) + machine.over(1), 0.001});
  }
  return slices;
}

/// Returns how many candidates take a time within their interval for a run of 5 s, long after their
/// sweep.
int inside_later(WanderingMachine& machine, const SpeedEstimates& estimates,
                 std::size_t candidates) {
  machine.over(1000);
  int inside = 0;
  for (std::size_t i = 0; i < candidates; ++i) {
    const double real = std::log(static_cast<double>(i + 1)) + machine.over(5);
    const Interval<double> said = estimates.run_of(i, 5);
    inside += said.low <= real && real <= said.high;
  }
  return inside;
}

TEST(SpeedModel, OneRunInTwentyIsOutsideItsInterval) {
  for (const double deviation : {0.01, 0.05}) {
    for (const double constant : {2.0, 60.0}) {
      int inside = 0;
      constexpr int kSweeps = 60;
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        WanderingMachine machine(deviation, constant, 100 + sweep);
        const auto slices = sweep_on(machine, 6);
        SpeedModel model;
        model.learn(SpeedModel::evidence_of(slices));
        const SpeedEstimates estimates = model.estimate(slices);
        inside += inside_later(machine, estimates, 6);
      }
      EXPECT_GE(inside, 0.90 * 6 * kSweeps) << deviation << ' ' << constant;
    }
  }
}

TEST(SpeedModel, EarlierSweepsShowAWanderThatOneSweepCannot) {
  int inside = 0;
  constexpr int kSweeps = 40;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    SpeedModel model;
    for (std::uint64_t earlier = 1; earlier <= 6; ++earlier) {
      WanderingMachine machine(0.2, 60, 1000 * earlier + static_cast<std::uint64_t>(sweep));
      auto slices = sweep_on(machine, 3);
      machine.over(1000);
      for (SpeedSlice slice : sweep_on(machine, 3)) {
        slice.begin_s += 1000;
        slice.end_s += 1000;
        slice.start += 3;
        slices.push_back(slice);
      }
      model.learn(SpeedModel::evidence_of(slices));
    }
    WanderingMachine machine(0.2, 60, 100 + static_cast<std::uint64_t>(sweep));
    const auto slices = sweep_on(machine, 3);
    model.learn(SpeedModel::evidence_of(slices));
    const SpeedEstimates estimates = model.estimate(slices);
    inside += inside_later(machine, estimates, 3);
  }
  EXPECT_GE(inside, 0.90 * 3 * kSweeps);
}

TEST(SpeedModel, WithoutAnySpreadOnlyThePriorIsLeft) {
  const std::vector<SpeedSlice> one{{0, 0, 0, 1, std::log(2.0), 0.001}};
  SpeedModel model;
  // One slice of a candidate says nothing about how speed wanders.
  model.learn(SpeedModel::evidence_of(one));
  const Interval<double> mean = model.estimate(one).mean_of(0);
  EXPECT_NEAR(mean.mid, std::log(2.0), 1e-6);
  EXPECT_GT(mean.high - mean.mid, 0.02);
  EXPECT_LT(mean.high - mean.mid, 0.4);
}

TEST(SpeedModel, NeighboursInTimeAreComparedBetterThanCandidatesFarApart) {
  WanderingMachine machine(0.1, 300, 5);
  const auto slices = sweep_on(machine, 2);
  SpeedModel model;
  for (int sweep = 0; sweep < 20; ++sweep) {
    WanderingMachine earlier(0.1, 300, 50 + sweep);
    model.learn(SpeedModel::evidence_of(sweep_on(earlier, 6)));
  }
  model.learn(SpeedModel::evidence_of(slices));
  const SpeedEstimates estimates = model.estimate(slices);
  double squares = 0;
  const auto draws = estimates.draws(4000, 1, 2);
  const double difference = std::log(2.0);
  for (const auto& draw : draws) squares += std::pow(draw[1] - draw[0] - difference, 2);
  const double of_difference = std::sqrt(squares / static_cast<double>(draws.size()));
  const Interval<double> alone = estimates.mean_of(0);
  const double of_one = (alone.high - alone.low) / 2 / kZ95;
  EXPECT_LT(of_difference, 0.7 * std::sqrt(2) * of_one);  // 1 would be independent
}

TEST(SpeedModel, DrawsHaveTheMeanAndTheIntervalThatTheySay) {
  WanderingMachine machine(0.05, 10, 9);
  const auto slices = sweep_on(machine, 3);
  SpeedModel model;
  model.learn(SpeedModel::evidence_of(slices));
  const SpeedEstimates estimates = model.estimate(slices);
  const Interval<double> said = estimates.mean_of(2);
  int below = 0;
  int above = 0;
  for (const auto& draw : estimates.draws(10000, 3, 4)) {
    below += draw[2] < said.low;
    above += draw[2] > said.high;
  }
  EXPECT_NEAR(below, 250, 100);
  EXPECT_NEAR(above, 250, 100);
}

}  // namespace
}  // namespace lapcast
