#include "spot/spot_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "spot/exact_spot_test.h"

namespace lapcast {
namespace {

SpotJob example() {
  return {Seconds{1000}, Seconds{300}, {Seconds{20}, Seconds{100}, Seconds{0}}};
}

// Work 1000 s in stretches of 300 + 20 s. The first machine is there for 500 s: boot 100, one
// stretch (320), 80 lost. After 50 s without a machine: restart 100, then 700 s of work with two
// checkpoints = 740 s.
TEST(SpotJob, TimesOfATraceByHand) {
  AvailabilityTrace trace;
  trace.extend(Seconds{500}, 1);
  trace.extend(Seconds{550}, 0);
  trace.extend(Seconds{2000}, 1);
  const SpotTimes times = run_on_trace(example(), presence_of(trace), Seconds{0});
  EXPECT_TRUE(times.finished);
  EXPECT_EQ(times.interruptions, 1u);
  EXPECT_EQ(times.boot, Seconds{100});
  EXPECT_EQ(times.training, Seconds{1000});
  EXPECT_EQ(times.checkpoints, Seconds{60});
  EXPECT_EQ(times.lost_work, Seconds{80});
  EXPECT_EQ(times.restarts, Seconds{100});
  EXPECT_EQ(times.waiting, Seconds{50});
  EXPECT_EQ(times.time(), Seconds{500 + 50 + 100 + 740});
}

TEST(SpotJob, ANoticeSavesTheLastWork) {
  SpotJob job = example();
  job.costs.notice = Seconds{30};
  AvailabilityTrace trace;
  trace.extend(Seconds{500}, 1);
  trace.extend(Seconds{550}, 0);
  trace.extend(Seconds{2000}, 1);
  const SpotTimes times = run_on_trace(job, presence_of(trace), Seconds{0});
  // 60 of the last 80 s are kept; 640 s of work and two checkpoints are left.
  EXPECT_EQ(times.lost_work, Seconds{0});
  EXPECT_EQ(times.time(), Seconds{500 + 50 + 100 + 640 + 40});
}

TEST(SpotJob, ATraceThatEndsOrIsNotRecordedLeavesTheJobUnfinished) {
  AvailabilityTrace trace;
  trace.extend(Seconds{500}, 1);
  trace.extend(Seconds{550}, std::nullopt);
  trace.extend(Seconds{5000}, 1);
  EXPECT_FALSE(run_on_trace(example(), presence_of(trace), Seconds{0}).finished);
  EXPECT_TRUE(run_on_trace(example(), presence_of(trace), Seconds{600}).finished);
  EXPECT_FALSE(run_on_trace(example(), presence_of(trace), Seconds{4900}).finished);
  EXPECT_FALSE(run_on_trace(example(), presence_of(trace), Seconds{6000}).finished);
  EXPECT_FALSE(run_on_trace(example(), {}, Seconds{0}).finished);
}

TEST(SpotJob, PartsSumToTheTimeOfTheSessions) {
  SeededNumbers numbers(7);
  for (int i = 0; i < 2000; ++i) {
    const SpotJob job{Seconds{numbers.uniform() * 5000},
                      Seconds{1 + numbers.uniform() * 500},
                      {Seconds{numbers.uniform() * 100}, Seconds{numbers.uniform() * 200},
                       Seconds{numbers.uniform() * 100}}};
    SpotRun run(job);
    double used = 0;
    for (int k = 0; k < 5; ++k) {
      const double session = numbers.uniform() * 1000;
      if (run.use(session)) break;
      used += session;
      ASSERT_NEAR(run.times().billed().count(), used, 1e-6);
    }
    const SpotTimes times = run.times();
    ASSERT_GE(times.lost_work.count(), 0);
    ASSERT_LE(times.training.count(), job.work.count() + 1e-6);
    if (times.finished) ASSERT_NEAR(times.training.count(), job.work.count(), 1e-9);
  }
}

// Compares the mean of many simulated jobs with the closed form: within 0.5 %, for rare and
// frequent interruptions. The standard error of the means is below 0.1 %.
TEST(SpotJob, ExponentialTimesAgreeWithTheClosedForm) {
  for (const double mean_hours : {0.5, 2.0, 12.0}) {
    SpotJob job{Seconds{24 * 3600}, Seconds{1200}, {Seconds{60}, Seconds{300}, Seconds{0}}};
    if (mean_hours == 0.5) job.first_start = Seconds{7200};  // counts: 0.9 % of the time
    const Seconds mean{mean_hours * 3600}, wait{1800};
    const auto sessions = LifetimeDistribution::exponential(mean);
    const auto waits = LifetimeDistribution::exponential(wait);
    SeededNumbers numbers(42);
    double time = 0, billed = 0;
    constexpr int kJobs = 40'000;
    for (int i = 0; i < kJobs; ++i) {
      const SpotTimes times = simulate(job, *sessions, &*waits, numbers);
      ASSERT_TRUE(times.finished);
      time += times.time().count() / kJobs;
      billed += times.billed().count() / kJobs;
    }
    const ExpectedSpotTimes exact = expected_exponential(job, mean, wait);
    EXPECT_NEAR(time / exact.time.count(), 1, 0.005) << mean_hours;
    EXPECT_NEAR(billed / exact.billed.count(), 1, 0.005) << mean_hours;
  }
}

TEST(SpotJob, TheSameSeedGivesTheSameJob) {
  const auto lifetimes = LifetimeDistribution::exponential(Seconds{600});
  SeededNumbers a(3), b(3);
  EXPECT_EQ(simulate(example(), *lifetimes, &*lifetimes, a).time(),
            simulate(example(), *lifetimes, &*lifetimes, b).time());
}

TEST(SpotJob, AJobThatNeverFinishesIsGivenUp) {
  const std::vector<Lifetime> seen{{50, true}};  // the restart takes 100 s
  const auto lifetimes = LifetimeDistribution::of(seen);
  SeededNumbers numbers(1);
  const SpotTimes times = simulate(example(), *lifetimes, &*lifetimes, numbers, 1000);
  EXPECT_FALSE(times.finished);
  EXPECT_EQ(times.interruptions, 1000u);
}

TEST(SpotJob, TimesThatMakeNoSenseAreRefused) {
  EXPECT_FALSE(why_not_valid(example()));
  SpotJob job = example();
  job.interval = Seconds{0};
  EXPECT_TRUE(why_not_valid(job));
  for (const double wrong : {-1.0, 1e308, std::nan("")}) {
    job = example();
    job.work = Seconds{wrong};
    EXPECT_TRUE(why_not_valid(job)) << wrong;
    job = example();
    job.costs.restart = Seconds{wrong};
    EXPECT_TRUE(why_not_valid(job)) << wrong;
  }
}

}  // namespace
}  // namespace lapcast
