#include "energy/counted_power.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns a log of 10 samples of a second: 2 s without a process on the GPU (78 W), 3 s of
/// start-up with one (120 W), and 5 s of training (690 W) in two laps that begin at 5.5 s.
LapLog log_of_ten_seconds() {
  LapLog log;
  for (int second = 1; second <= 10; ++second) {
    LoadSample& load = log.loads.emplace_back();
    load.at_ns = second * kSecond;
    load.span_ns = kSecond;
    load.gpu_mw = second <= 2 ? 78'000 : second <= 5 ? 120'000 : 690'000;
    load.gpu_others = 0;
    GpuSample& gpu = log.gpus.emplace_back();
    gpu.at_ns = load.at_ns;
    gpu.busy_percent = second <= 5 ? 0 : 97;
    if (second > 2) gpu.program = 1;
  }
  log.laps = {{.begin_ns = 5 * kSecond + kSecond / 2, .end_ns = 8 * kSecond},
              {.begin_ns = 8 * kSecond, .end_ns = 10 * kSecond, .index = 1}};
  return log;
}

// (2 x 78 + 3 x 120 + 0.5 x 690) / 5.5 = 156.55 W until the first lap.
TEST(CountedPower, OfTheStartUpIsThatUntilTheFirstLap) {
  const LapLog log = log_of_ten_seconds();
  const auto start = start_up_of(log);
  ASSERT_TRUE(start);
  EXPECT_NEAR(*mean_watts(log, &LoadSample::gpu_mw, *start), 861.0 / 5.5, 1e-9);
  EXPECT_NEAR(*mean_watts(log, &LoadSample::gpu_mw, {start->end_ns, 10 * kSecond}), 690, 1e-9);
  EXPECT_FALSE(mean_watts(log, &LoadSample::cpu_mw, *start));
  EXPECT_FALSE(mean_watts(log, &LoadSample::gpu_mw, {0, 30 * kSecond}));  // a third is known
  EXPECT_FALSE(start_up_of({}));
}

TEST(IdlePower, IsThatWithoutAProcessOnTheGpus) {
  LapLog log = log_of_ten_seconds();
  const auto idle = idle_power_of(log);
  ASSERT_TRUE(idle);
  EXPECT_DOUBLE_EQ(idle->watts, 78);
  EXPECT_DOUBLE_EQ(idle->seconds, 2);
  log.loads[0].gpu_others = 1;
  log.gpus[1].busy_percent = 3;
  EXPECT_FALSE(idle_power_of(log));
}

// As in a container, where the driver names processes by numbers that mean nothing here.
TEST(IdlePower, IsNotKnownWhereTheDriverNamesNoProcessOfTheProgram) {
  LapLog log = log_of_ten_seconds();
  for (GpuSample& gpu : log.gpus) gpu.program.reset();
  EXPECT_FALSE(idle_power_of(log));
}

}  // namespace
}  // namespace lapcast
