#include "run/attempts.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

lapcast::Run run_of_5_s() {
  lapcast::Run run;
  run.started_ns = 1'000'000'000;
  run.ended_ns = 6'000'000'000;
  return run;
}

TEST(Attempts, EachIsInTheTimeThatCostsAndTheLostWorkIsPartOfIt) {
  lapcast::Run run = run_of_5_s();
  run.preparation = {{"queue", Seconds{100}, 0}};
  for (const PreparationStep& step :
       steps_of(std::vector<CutOffAttempt>{{Seconds{10}, Seconds{2}}, {Seconds{3}, Seconds{3}}}))
    run.preparation.push_back(step);
  EXPECT_EQ(time_of_attempts(run), Seconds{18});  // 5 + 10 + 3
  EXPECT_EQ(lost_work(run), Seconds{5});          // 2 + 3
  EXPECT_EQ(training_time(run), Seconds{13});     // 18 - 5
  ASSERT_EQ(run.preparation.size(), 4u);
  EXPECT_EQ(run.preparation[3], (PreparationStep{"lost work", Seconds{5}, 0}));
}

TEST(Attempts, ARunThatWasNeverCutOffHasItsWallTime) {
  EXPECT_TRUE(steps_of({}).empty());
  EXPECT_EQ(time_of_attempts(run_of_5_s()), Seconds{5});
  EXPECT_EQ(training_time(run_of_5_s()), Seconds{5});
  EXPECT_EQ(lost_work(run_of_5_s()), Seconds{0});
}

}  // namespace
}  // namespace lapcast
