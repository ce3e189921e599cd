#include "forecast/first_epochs.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"
#include "forecast/forecast.h"

namespace lapcast {
namespace {

TEST(FirstEpochs, KeepsWhatFollowsTheEpochUntilTheNextBegins) {
  const LapLog log = first_epochs(whole_training().log, 2).value();
  ASSERT_EQ(log.epochs.size(), 3U);
  EXPECT_EQ(log.epochs[2].span.begin_ns, log.last_ns) << "the next one's begin";
  EXPECT_FALSE(log.epochs[2].ended);
  EXPECT_EQ(log.epochs[2].laps, 0);
  EXPECT_EQ(log.laps.size(), 40U);
  EXPECT_EQ(log.validations.size(), 2U);
  EXPECT_EQ(log.stages.size(), 2U);
  EXPECT_FALSE(log.said_bye);
  // init 2; epochs of 14 and 10 s; validations 1.5 and 1; checkpoints and boundaries 2 * 0.35.
  EXPECT_EQ(log.last_ns, 29'200'000'000);
}

TEST(FirstEpochs, ForecastTheWholeFromTwo) {
  const LapLog log = first_epochs(whole_training().log, 2).value();
  const LapProfile profile = profile_of(log, {.wall = from_ns(log.last_ns)}).value();
  const Forecast result = forecast(profile, plan_of({}, profile).value()).value();
  EXPECT_NEAR(result.total.mid.count(), kWholeTrainingSeconds, 0.35);  // the tear-down is not seen
}

TEST(FirstEpochs, NoneAtAllIsALogWithoutLaps) {
  const LapLog log = first_epochs(whole_training().log, 0).value();
  EXPECT_TRUE(log.laps.empty());
  ASSERT_EQ(log.epochs.size(), 1U);
  EXPECT_EQ(log.epochs[0].laps, 0);
}

TEST(FirstEpochs, SaysWhyNot) {
  EXPECT_EQ(first_epochs(whole_training().log, 3).error().text, "it has no more than 3 epochs");
  EXPECT_EQ(first_epochs(FakeLog().lap(1).log, 1).error().text, "its log reports no epochs");
}

}  // namespace
}  // namespace lapcast
