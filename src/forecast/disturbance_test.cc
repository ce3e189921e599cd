#include "forecast/disturbance.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

constexpr std::int64_t kMs = 1'000'000;

LoadSample sample(std::int64_t at_ms, std::int64_t delay_ms, std::int64_t others_ms) {
  return {.at_ns = at_ms * kMs,
          .span_ns = 250 * kMs,
          .cpus = 2,
          .run_ns = 300 * kMs,
          .delay_ns = delay_ms * kMs,
          .others_ns = others_ms * kMs};
}

TEST(Disturbance, IsTheLongestWaitAsFarAsOthersRan) {
  EXPECT_DOUBLE_EQ(time_lost_in(sample(250, 50, 100))->count(), 0.05);
  // Threads of the program itself queue for its CPUs: nobody else ran.
  EXPECT_DOUBLE_EQ(time_lost_in(sample(250, 200, 0))->count(), 0);
  LoadSample throttled = sample(250, 120, 100);
  throttled.throttled_ns = 120 * kMs;
  EXPECT_DOUBLE_EQ(time_lost_in(throttled)->count(), 0);
  LoadSample stolen = sample(250, 0, 0);
  stolen.steal_ns = 40 * kMs;  // on two CPUs
  EXPECT_DOUBLE_EQ(time_lost_in(stolen)->count(), 0.02);
}

TEST(Disturbance, IsNotKnownWithoutWaitsOrOthers) {
  LoadSample unknown = sample(250, 50, 100);
  unknown.others_ns.reset();
  EXPECT_FALSE(time_lost_in(unknown));
  EXPECT_FALSE(disturbance_of(std::vector{unknown}));
}

TEST(Disturbance, SaysHowMuchLapsWereSlowed) {
  const auto found = disturbance_of(std::vector{sample(250, 50, 125), sample(500, 75, 125)});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->others_cpus, 0.5);
  EXPECT_DOUBLE_EQ(found->lost_share, 0.25);
  EXPECT_EQ(describe(*found),
            "others on this machine used 0.5 of its 2 CPUs: laps were slowed by 33 %");
  EXPECT_EQ(
      describe(Disturbance{.cpus = 1, .others_cpus = 0.1, .host_cpus = 0.1, .lost_share = 0.2}),
      "others on this machine used 0.1 of its 1 CPUs, and its host took 0.1: laps were slowed "
      "by 25 %");
  EXPECT_EQ(describe(Disturbance{.lost_share = 0.02}), "");
}

TEST(Disturbance, OfAGpuIsTold) {
  std::vector<LoadSample> loads{sample(250, 0, 0), sample(500, 0, 0), sample(750, 0, 0),
                                sample(1000, 0, 0)};
  loads[0].gpu_others = 0;
  loads[1].gpu_others = 1;
  loads[2].gpu_others = 0;
  loads[2].gpu_throttle = 0x40 | 0x4;
  loads[3].gpu_others = 0;
  loads[3].gpu_throttle = 0x4;           // the program's own power
  EXPECT_FALSE(time_lost_in(loads[1]));  // what that costs is not known
  const auto found = disturbance_of(loads);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->gpu_shared, 0.25);
  EXPECT_EQ(found->gpu_slowed, 0.25);
  EXPECT_EQ(describe(*found),
            "others used its GPU for 25 % of the time; heat or power lowered the GPU's clock for "
            "25 % of the time");
}

TEST(Disturbance, OfALapIsThatOfItsSamples) {
  LapLog log;
  log.loads = {sample(250, 0, 0), sample(500, 125, 125)};
  log.laps = {{.begin_ns = 0, .end_ns = 100 * kMs},
              {.begin_ns = 200 * kMs, .end_ns = 300 * kMs},
              {.begin_ns = 400 * kMs, .end_ns = 450 * kMs},
              {.begin_ns = 600 * kMs, .end_ns = 700 * kMs}};
  const auto shares = shares_lost(log);
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_DOUBLE_EQ(*shares[0], 0);
  EXPECT_DOUBLE_EQ(*shares[1], 0.25);
  EXPECT_DOUBLE_EQ(*shares[2], 0.5);
  EXPECT_FALSE(shares[3]);
}

/// Returns a log of 20 laps of 250 ms, each in a sample of its own, of which the first `disturbed`
/// lost half.
LapLog half_disturbed(int disturbed) {
  LapLog log;
  for (int i = 0; i < 20; ++i) {
    log.laps.push_back({.begin_ns = i * 250 * kMs, .end_ns = (i + 1) * 250 * kMs});
    log.loads.push_back(i < disturbed ? sample((i + 1) * 250, 125, 125)
                                      : sample((i + 1) * 250, 1, 125));
  }
  return log;
}

TEST(Undisturbed, NeedsTenLapsWithLittleDelay) {
  EXPECT_FALSE(why_not_undisturbed(half_disturbed(10)));
  EXPECT_EQ(why_not_undisturbed(half_disturbed(11))->text,
            "only 9 of 20 laps were undisturbed by others, 10 are needed");
  LapLog unknown = half_disturbed(0);
  unknown.loads.clear();
  EXPECT_EQ(why_not_undisturbed(unknown)->text, "what else the machine did is not known");
}

}  // namespace
}  // namespace lapcast
