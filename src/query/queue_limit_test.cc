#include "query/queue_limit.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::int64_t kMinuteNs = 60'000'000'000;

Seconds minutes(double count) {
  return Seconds{60 * count};
}

/// A training of 24 minutes, 20 to 30.
QueuedTraining training() {
  return {.forecast = Interval<Seconds>{minutes(20), minutes(24), minutes(30)}};
}

TEST(QueueLimit, LeavesRoomAboveTheForecast) {
  const QueueLimit limit = *queue_limit(training());
  EXPECT_EQ(limit.ns, 36 * kMinuteNs);  // 1.2 x 30
  EXPECT_THAT(limit.text, HasSubstr("1.2 times the upper end of its forecast (30 min"));
  EXPECT_EQ(limit.warning, "");
}

TEST(QueueLimit, IsTheUsersWhereThatIsShorter) {
  QueuedTraining short_one = training();
  short_one.max_time = minutes(10);
  EXPECT_EQ(queue_limit(short_one)->ns, 10 * kMinuteNs);
  EXPECT_THAT(queue_limit(short_one)->text, HasSubstr("--max-time"));
  short_one.max_time = minutes(600);
  EXPECT_EQ(queue_limit(short_one)->ns, 36 * kMinuteNs);
  short_one.asked = minutes(50);
  EXPECT_EQ(queue_limit(short_one)->ns, 50 * kMinuteNs);
  EXPECT_THAT(queue_limit(short_one)->text, HasSubstr("--time-limit"));
}

TEST(QueueLimit, OfThePartitionCutsOffOrRefuses) {
  QueuedTraining queued = training();
  queued.partition = PartitionLimit{"short", minutes(35)};  // above the upper end
  EXPECT_EQ(queue_limit(queued)->ns, 35 * kMinuteNs);
  EXPECT_EQ(queue_limit(queued)->warning, "");
  queued.partition->most = minutes(28);
  EXPECT_THAT(queue_limit(queued)->warning, HasSubstr("may be cut off"));
  queued.partition->most = minutes(15);
  EXPECT_THAT(queue_limit(queued).error().text, StartsWith("the partition short lets a job run"));
  queued.goes_on = true;
  EXPECT_EQ(queue_limit(queued)->ns, 15 * kMinuteNs);
  EXPECT_THAT(queue_limit(queued)->warning, HasSubstr("goes on in another job"));
}

TEST(QueueLimit, OfMaxTimeEndsATrainingThatCouldGoOn) {
  QueuedTraining queued = training();
  queued.goes_on = true;
  queued.max_time = minutes(10);
  EXPECT_THAT(queue_limit(queued)->warning, HasSubstr("ends after 10 min 00 s as --max-time says"));
  EXPECT_THAT(queue_limit(queued)->warning, Not(HasSubstr("another job")));
  queued.max_time = minutes(25);
  queued.partition = PartitionLimit{"short", minutes(15)};  // cuts it off before that
  EXPECT_THAT(queue_limit(queued)->warning, HasSubstr("goes on in another job"));
}

TEST(QueueLimit, MayNotBeAboveThePartitions) {
  QueuedTraining queued = training();
  queued.partition = PartitionLimit{"short", minutes(35)};
  queued.asked = minutes(36);
  EXPECT_THAT(queue_limit(queued).error().text, HasSubstr("short allows 35 min"));
}

TEST(QueueLimit, WithoutAForecastIsThePartitions) {
  QueuedTraining unknown{.partition = PartitionLimit{"long", minutes(120)}};
  EXPECT_EQ(queue_limit(unknown)->ns, 120 * kMinuteNs);
  EXPECT_THAT(queue_limit(unknown)->text, HasSubstr("no forecast"));
  unknown.partition->most.reset();
  EXPECT_EQ(queue_limit(unknown)->ns, kNoTimeLimit);
  EXPECT_THAT(queue_limit(unknown)->text, StartsWith("as long as it needs"));
  unknown.partition.reset();
  EXPECT_EQ(queue_limit(unknown)->ns, 0);
  unknown.max_time = minutes(5);
  EXPECT_EQ(queue_limit(unknown)->ns, 5 * kMinuteNs);
}

}  // namespace
}  // namespace lapcast
