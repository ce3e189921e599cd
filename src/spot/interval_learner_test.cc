#include "spot/interval_learner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/distributions.h"

namespace lapcast {
namespace {

TEST(SpotLearner, WithoutSessionsThePriorDecides) {
  const IntervalLearner learner({2, 1, 1, Seconds{10000}});
  // First sqrt(2 * 50 * 10000 / 2) = 707.1, then with the hazard at age 353.6 719.5.
  EXPECT_NEAR(learner.next_interval(Seconds{50}, Seconds{0}).count(), 719.5, 0.1);
}

// Draws from a Lomax distribution of shape 2 and scale 5000: scale * (u^(-1/2) - 1).
TEST(SpotLearner, FindsThePlantedScale) {
  IntervalLearner learner({2, 1, 1, Seconds{20000}});
  SeededNumbers numbers(5);
  for (int i = 0; i < 400; ++i) learner.add({5000 * (1 / std::sqrt(numbers.uniform()) - 1), true});
  EXPECT_NEAR(learner.scale() / 5000, 1, 0.2);  // standard error 0.07
}

TEST(SpotLearner, IntervalsGrowWithAge) {
  const IntervalLearner learner;
  EXPECT_LT(learner.next_interval(Seconds{60}, Seconds{0}),
            learner.next_interval(Seconds{60}, Seconds{3600}));
}

TEST(SpotLearner, FollowsAChangeOfTheSupply) {
  IntervalLearner learner({2.5, 0.9, 1, Seconds{20000}});
  for (int i = 0; i < 50; ++i) learner.add({50000, true});
  const double before = learner.scale();
  for (int i = 0; i < 50; ++i) learner.add({900, true});
  EXPECT_LT(learner.scale(), before / 10);
}

TEST(SpotLearner, WrongSessionsAreLeftOut) {
  IntervalLearner learner;
  const double before = learner.scale();
  learner.add({std::nan(""), true});
  learner.add({-1, true});
  learner.add({HUGE_VAL, false});
  EXPECT_EQ(learner.scale(), before);
  learner.add({0, true});
  learner.add({1e300, false});
  EXPECT_TRUE(std::isfinite(learner.next_interval(Seconds{60}, Seconds{1e300}).count()));
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
