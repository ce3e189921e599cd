#include "forecast/drained_queue.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"

namespace lapcast {
namespace {

/// Adds laps whose ends are not known.
void queue(FakeLog& fake, int count, double seconds) {
  for (int i = 0; i < count; ++i) {
    fake.lap(seconds);
    fake.log.laps.back().finished = false;
  }
  fake.log.on_device = true;
}

/// Adds an epoch of 20 laps of 0.1 s on a device with a queue: the host queues the first two in
/// 0.01 s and 0.02 s, then the queue is full. At the end 0.09 - 0.01 + 0.09 = 0.17 s are queued,
/// which the validation waits for before its own 0.05 s.
void add_queued_epoch(FakeLog& fake) {
  fake.begin_epoch();
  queue(fake, 1, 0.01);
  queue(fake, 1, 0.02);
  queue(fake, 18, 0.1);
  fake.end_epoch().validation(0.22, 400);
}

FakeLog queued_epochs(int count) {
  FakeLog fake(2);
  for (int i = 0; i < count; ++i) add_queued_epoch(fake);
  return fake;
}

TEST(DrainedQueue, OfAValidationBelongsToTheLaps) {
  const FakeLog fake = queued_epochs(3);
  const auto log = with_drained_queue(fake.log);
  ASSERT_TRUE(log);
  for (const ValidationSpan& each : log->validations)
    EXPECT_NEAR(each.span.seconds().count(), 0.05, 1e-6);
  for (const std::size_t last : {19U, 39U, 59U}) {
    EXPECT_TRUE(log->laps[last].finished);
    EXPECT_NEAR(log->laps[last].seconds().count(), 0.27, 1e-6);
  }
  EXPECT_EQ(log->epochs[0].span.end_ns, log->laps[19].end_ns);
  EXPECT_EQ(log->last_ns, fake.log.last_ns);
  EXPECT_EQ(most_queued_at_breaks(*log), Seconds{0});
}

// An epoch takes 0.03 + 18 x 0.1 + 0.17 = 2 s, 20 laps of 0.1 s; the log says that 60 laps took
// 5.49 s, and each validation 0.22 s.
TEST(DrainedQueue, IsCountedOnceInAForecast) {
  const auto profile = profile_of(queued_epochs(3).log, {});
  ASSERT_TRUE(profile);
  EXPECT_NEAR(profile->steady.mean.mid.count(), 0.1, 1e-4);
  EXPECT_NEAR(profile->validation->later.mid.count(), 0.05, 1e-4);
  // The first epoch is the first observation, which is never steady.
  EXPECT_EQ(profile->steady.laps, 38);
}

TEST(DrainedQueue, OfACheckpointBelongsToTheLaps) {
  FakeLog fake(2);
  fake.begin_epoch();
  queue(fake, 1, 0.01);
  queue(fake, 19, 0.1);
  fake.checkpoint(0.2);
  const auto log = with_drained_queue(fake.log);
  ASSERT_TRUE(log);
  EXPECT_NEAR(log->stages[0].span.seconds().count(), 0.11, 1e-6);  // 0.09 s were queued
}

// While the loader starts for 0.5 s nothing is queued: the device begins with the first lap's work.
TEST(DrainedQueue, IsEmptyWhileTheHostWaitsForData) {
  FakeLog fake(2);
  fake.begin_epoch();
  queue(fake, 1, 0.51);
  queue(fake, 1, 0.01);
  queue(fake, 18, 0.1);
  fake.validation(0.25, 400);
  const auto log = with_drained_queue(fake.log);
  ASSERT_TRUE(log);
  EXPECT_NEAR(log->validations[0].span.seconds().count(), 0.25 - 0.18, 1e-6);
}

// The host is the limit, and its laps vary: how much was queued is not known. A lap that waited
// took 0.05 s longer than others, so a validation may have waited as long.
TEST(DrainedQueue, ThatIsNotKnownIsInTheInterval) {
  FakeLog fake(2);
  fake.begin_epoch();
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 30; ++i) queue(fake, 1, 0.1 + 0.01 * (i % 5 - 2));
    fake.lap(0.15);
    queue(fake, 5, 0.1);
    fake.validation(0.2, 400);
  }
  EXPECT_FALSE(with_drained_queue(fake.log));
  EXPECT_NEAR(most_queued_at_breaks(fake.log).count(), 0.05, 1e-6);
  const auto profile = profile_of(fake.log, {});
  ASSERT_TRUE(profile);
  EXPECT_NEAR(profile->validation->later.mid.count(), 0.2, 1e-6);
  EXPECT_NEAR(profile->validation->first.low.count(), 0.15, 1e-6);
}

TEST(DrainedQueue, IsNothingWhereLapsHaveEnds) {
  EXPECT_FALSE(with_drained_queue(whole_training().log));
  EXPECT_EQ(most_queued_at_breaks(whole_training().log), Seconds{0});
  FakeLog waited(2);
  queue(waited, 20, 0.1);
  waited.lap(0.1).validation(0.2, 400);
  EXPECT_FALSE(with_drained_queue(waited.log));
}

}  // namespace
}  // namespace lapcast
