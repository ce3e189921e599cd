#include "spot/spot_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "spot/spot_job.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

SpotStep step(SpotActivity what, double begin, double end) {
  return {what, Seconds{begin}, Seconds{end}};
}

/// A machine for 500 s, 50 s without one, and a machine until 2000 s.
std::vector<PresenceSpan> interrupted_once() {
  return {{Seconds{0}, Seconds{500}, Presence::there},
          {Seconds{500}, Seconds{550}, Presence::absent},
          {Seconds{550}, Seconds{2000}, Presence::there}};
}

// Work of 1000 s in stretches of 300 + 20 s, a restart of 100 s. The first machine: boot 100, a
// stretch to 420, 80 lost. The second one: restart to 650, stretches to 970 and 1290, and the last
// 100 s of work.
TEST(SpotSteps, OfATraceByHand) {
  const SpotJob job{Seconds{1000}, Seconds{300}, {Seconds{20}, Seconds{100}, Seconds{0}}};
  SpotSteps steps;
  run_on_trace(job, interrupted_once(), Seconds{0}, &steps);
  using enum SpotActivity;
  EXPECT_THAT(steps.all(),
              ElementsAre(step(boot, 0, 100), step(work, 100, 400), step(checkpoint, 400, 420),
                          step(lost, 420, 500), step(waiting, 500, 550), step(restart, 550, 650),
                          step(work, 650, 950), step(checkpoint, 950, 970), step(work, 970, 1270),
                          step(checkpoint, 1270, 1290), step(work, 1290, 1390)));
  EXPECT_FALSE(steps.is_cut());
}

// A notice of 30 s is long enough to save: of the last 80 s 60 are work that is kept.
TEST(SpotSteps, ACheckpointWithinTheNotice) {
  const SpotJob job{Seconds{1000}, Seconds{300}, {Seconds{20}, Seconds{100}, Seconds{30}}};
  SpotSteps steps;
  run_on_trace(job, interrupted_once(), Seconds{0}, &steps);
  ASSERT_GT(steps.all().size(), 5u);
  EXPECT_EQ(steps.all()[3], step(SpotActivity::work, 420, 480));
  EXPECT_EQ(steps.all()[4], step(SpotActivity::checkpoint, 480, 500));
  EXPECT_EQ(steps.all()[5], step(SpotActivity::waiting, 500, 550));
}

// 1,000 checkpoints on one machine are one step, and of 10,000 steps 7 are kept.
TEST(SpotSteps, AreFewWhereCheckpointsAreMany) {
  const SpotJob job{Seconds{1001}, Seconds{1}, {Seconds{1}, Seconds{5}, Seconds{0}}};
  const std::vector<PresenceSpan> always{{Seconds{0}, Seconds{1e6}, Presence::there}};
  SpotSteps steps(Seconds{10});
  run_on_trace(job, always, Seconds{10}, &steps);
  ASSERT_EQ(steps.all().size(), 3u);
  EXPECT_EQ(steps.all()[1], (SpotStep{SpotActivity::work, Seconds{15}, Seconds{2015}, 1000}));
  EXPECT_EQ(steps.all()[2], step(SpotActivity::work, 2015, 2016));
  SpotSteps few(Seconds{0}, 7);
  for (int i = 0; i < 10'000; ++i) few.add(SpotActivity::waiting, 1);
  EXPECT_EQ(few.all().size(), 7u);
  EXPECT_TRUE(few.is_cut());
}

TEST(SpotSteps, FollowEachOtherAndSumToTheTimes) {
  SeededNumbers numbers(11);
  for (int i = 0; i < 300; ++i) {
    const SpotJob job{Seconds{numbers.uniform() * 5000},
                      Seconds{20 + numbers.uniform() * 500},
                      {Seconds{numbers.uniform() * 100}, Seconds{numbers.uniform() * 200},
                       Seconds{numbers.uniform() * 100}}};
    std::vector<PresenceSpan> spans;
    for (double at = 0; spans.size() < 40;) {
      const Seconds begin{at};
      at += numbers.uniform() * 1500;
      spans.push_back(
          {begin, Seconds{at}, spans.size() % 2 == 0 ? Presence::there : Presence::absent});
    }
    SpotSteps steps;
    const SpotTimes times = run_on_trace(job, spans, Seconds{0}, &steps);
    std::map<SpotActivity, double> sums;
    double end = 0;
    for (const SpotStep& each : steps.all()) {
      EXPECT_NEAR(each.begin.count(), end, 1e-6);
      end = each.end.count();
      sums[each.what] += (each.end - each.begin).count();
    }
    using enum SpotActivity;
    EXPECT_NEAR(end, times.time().count(), 1e-6);
    EXPECT_NEAR(sums[boot], times.boot.count(), 1e-6);
    EXPECT_NEAR(sums[work], times.training.count(), 1e-6);
    EXPECT_NEAR(sums[checkpoint], times.checkpoints.count(), 1e-6);
    EXPECT_NEAR(sums[lost], times.lost_work.count(), 1e-6);
    EXPECT_NEAR(sums[restart], times.restarts.count(), 1e-6);
    EXPECT_NEAR(sums[waiting], times.waiting.count(), 1e-6);
  }
}

}  // namespace
}  // namespace lapcast
