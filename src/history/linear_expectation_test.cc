#include "history/linear_expectation.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

using Times = std::vector<double>;

Run run_on(std::vector<int> cpus, int cores, double clock) {
  Run run;
  run.context.machine_type.cpus = std::move(cpus);
  run.context.machine.allowed_cpus = {0, 1, 2, 3, 4, 5, 6, 7};
  run.context.machine.cores = cores;
  run.context.machine.max_clock_ghz = clock;
  return run;
}

// Lawrence 2017: 309 min on 2 cores of 2.5 GHz let expect 309 x 5 / 13.6 = 113.6 min on 4 cores of
// 3.4 GHz, of which 134 were measured: 134 / 113.6 = 1.180.
TEST(LinearExpectation, IsLawrencesOfHisMachines) {
  const auto expected = linear_expectation(Times{309 * 60}, 2 * 2.5, Times{134 * 60}, 4 * 3.4);
  ASSERT_TRUE(expected);
  EXPECT_NEAR(expected->seconds.mid / 60, 113.6, 0.05);
  EXPECT_NEAR(expected->ratio.mid, 1.180, 0.0005);
  EXPECT_EQ(expected->ratio.low, expected->ratio.high);  // one run each
}

// 10, 12 and 14 s: 12 +- 4.303 x 2 / sqrt(3) = 7.03 to 16.97 s, and half of it on twice the cores.
TEST(LinearExpectation, HasTheIntervalsOfWhatItIsMadeOf) {
  const auto expected = linear_expectation(Times{10, 12, 14}, 3.0, Times{9, 10, 11}, 6.0);
  ASSERT_TRUE(expected);
  EXPECT_NEAR(expected->seconds.low, 7.03 / 2, 0.01);
  EXPECT_NEAR(expected->seconds.high, 16.97 / 2, 0.01);
  EXPECT_NEAR(expected->ratio.mid, 10.0 / 6, 1e-9);
  EXPECT_LT(expected->ratio.low, 10.0 / 6);
  EXPECT_GT(expected->ratio.high, 10.0 / 6);
}

TEST(LinearExpectation, NeedsTimesAndBothCapacities) {
  EXPECT_FALSE(linear_expectation(Times{}, 1.0, Times{1}, 1.0));
  EXPECT_FALSE(linear_expectation(Times{1}, 1.0, Times{}, 1.0));
  EXPECT_FALSE(linear_expectation(Times{1}, std::nullopt, Times{1}, 1.0));
  EXPECT_FALSE(linear_expectation(Times{1}, 1.0, Times{1}, std::nullopt));
}

TEST(CoresTimesClock, CountsTheCoresThatTheRunsMayUse) {
  const auto of = [](lapcast::Run run) { return cores_times_clock(std::vector{std::move(run)}); };
  EXPECT_DOUBLE_EQ(*of(run_on({}, 4, 3)), 4 * 3);      // 8 CPUs are 4 cores
  EXPECT_DOUBLE_EQ(*of(run_on({}, 0, 3)), 8 * 3);      // physical cores are not known
  EXPECT_DOUBLE_EQ(*of(run_on({0, 1}, 4, 3)), 2 * 3);  // pinned
  lapcast::Run limited = run_on({}, 4, 3);
  limited.context.machine_type.cpu_quota = 0.5;
  EXPECT_DOUBLE_EQ(*of(limited), 1.5);
  limited.context.machine.cpu_limit = 0.25;
  EXPECT_DOUBLE_EQ(*of(limited), 0.75);
  EXPECT_FALSE(of(run_on({}, 4, 0)));
  EXPECT_DOUBLE_EQ(*cores_times_clock(std::vector{run_on({0}, 4, 3), run_on({0}, 4, 2)}), 2.5);
  lapcast::Run on_gpu = run_on({}, 4, 3);
  on_gpu.context.settings["device"] = "cuda";
  EXPECT_FALSE(of(on_gpu));
  EXPECT_FALSE(cores_times_clock({}));
}

}  // namespace
}  // namespace lapcast
