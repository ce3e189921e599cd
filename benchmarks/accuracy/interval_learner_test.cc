#include "accuracy/interval_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/distributions.h"

namespace lapcast {
namespace {

// One kind of shape 2 and scale 10000: first sqrt(2 * 50 * 10000 / 2) = 707.1, then with the hazard
// at age 353.6 719.5.
TEST(SpotLearner, AKnownKindByHand) {
  const LifetimePrior prior{{{2, 10000}}, {1}, 0};
  const IntervalLearner learner(prior);
  EXPECT_NEAR(learner.next_interval(Seconds{50}, Seconds{0}).count(), 719.5, 0.1);
}

// Draws from a Lomax distribution of shape 2 and scale 4800: scale * (u^(-1/2) - 1).
TEST(SpotLearner, FindsThePlantedHazard) {
  const LifetimePrior prior{lifetime_grid(), std::vector<double>(42, 1.0 / 42), 0};
  IntervalLearner learner(prior);
  SeededNumbers numbers(5);
  for (int i = 0; i < 1000; ++i) learner.add({4800 * (1 / std::sqrt(numbers.uniform()) - 1), true});
  for (const double age : {0.0, 3000.0, 20000.0})
    EXPECT_NEAR(learner.hazard(age) / (2 / (4800 + age)), 1, 0.15) << age;
}

TEST(SpotLearner, ThePriorIsLearnedFromPlaces) {
  SeededNumbers numbers(6);
  std::vector<std::vector<Lifetime>> places(10);
  for (auto& place : places)
    for (int i = 0; i < 50; ++i) place.push_back({-3600 * std::log(numbers.uniform()), true});
  const LifetimePrior prior = learned_lifetimes(places);
  double sum = 0;
  for (const double weight : prior.weights) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-9);
  // The kinds have falling hazards; that of exponential lifetimes is met near the mean.
  EXPECT_NEAR(IntervalLearner(prior).hazard(3600) * 3600, 1, 0.2);
  EXPECT_NEAR(learned_lifetimes({}).weights[0], 1.0 / 42, 1e-12);
}

TEST(SpotLearner, IntervalsGrowWithAge) {
  const IntervalLearner learner;
  EXPECT_LT(learner.next_interval(Seconds{60}, Seconds{0}),
            learner.next_interval(Seconds{60}, Seconds{3600}));
}

TEST(SpotLearner, FollowsAChangeOfTheSupply) {
  IntervalLearner learner;
  for (int i = 0; i < 50; ++i) learner.add({50000, true});
  const double before = learner.hazard(0);
  for (int i = 0; i < 50; ++i) learner.add({900, true});
  EXPECT_GT(learner.hazard(0), 5 * before);
}

TEST(SpotLearner, WrongSessionsAreLeftOut) {
  IntervalLearner learner;
  const double before = learner.hazard(0);
  learner.add({std::nan(""), true});
  learner.add({-1, true});
  learner.add({HUGE_VAL, false});
  EXPECT_EQ(learner.hazard(0), before);
  learner.add({0, true});
  learner.add({1e300, false});
  const double interval = learner.next_interval(Seconds{60}, Seconds{1e300}).count();
  EXPECT_TRUE(std::isfinite(interval) && interval > 0);
}

TEST(SpotLearner, TimeOfASessionAddsUp) {
  const IntervalLearner learner;
  const CheckpointCosts costs{Seconds{60}, Seconds{300}};
  const LearnedSession session = use_session(learner, costs, 20000);
  EXPECT_GT(session.kept, 15000);
  EXPECT_LE(session.kept + session.checkpoints + 300, 20000);
  EXPECT_EQ(use_session(learner, costs, 200).kept, 0);
  // With notice nothing but checkpoints and the restart is lost.
  const LearnedSession told = use_session(learner, {Seconds{60}, Seconds{300}, Seconds{60}}, 20000);
  EXPECT_NEAR(told.kept + told.checkpoints + 300, 20000, 60);
}

}  // namespace
}  // namespace lapcast
