#include "probe/gpu_sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace lapcast {
namespace {

LoadSample sample_of(std::string_view line) {
  LoadSample load;
  add_gpu_line(
      line, [](pid_t process) { return process != 7; }, load);
  return load;
}

TEST(GpuLine, TellsClockThrottlingTemperatureAndTheProcessesOfOthers) {
  const LoadSample load = sample_of("1980 4 61 7 4711 4712");
  EXPECT_EQ(load.gpu_mhz, 1980);
  EXPECT_EQ(load.gpu_throttle, 4);
  EXPECT_EQ(load.gpu_celsius, 61);
  EXPECT_EQ(load.gpu_others, 2);
}

TEST(GpuLine, MayLackWhatADriverDoesNotTell) {
  const LoadSample load = sample_of("- - 61");
  EXPECT_FALSE(load.gpu_mhz);
  EXPECT_FALSE(load.gpu_throttle);
  EXPECT_EQ(load.gpu_celsius, 61);
  EXPECT_EQ(load.gpu_others, 0);
}

TEST(GpuLine, TellsThePower) {
  EXPECT_EQ(sample_of("1980 4 61 mW=690123 4711").gpu_mw, 690123);
  EXPECT_EQ(sample_of("1980 4 61 mW=690123 4711").gpu_others, 1);
  EXPECT_FALSE(sample_of("1980 4 61 4711").gpu_mw);
  EXPECT_FALSE(sample_of("1980 4 61 mW=-1").gpu_mw);
  EXPECT_FALSE(sample_of("1980 4 61 mW=nan").gpu_mw);
}

TEST(GpuLine, OfAnotherShapeAddsNothing) {
  for (const char* line : {"", "1980", "1980 4", "1980 4 61 x"})
    EXPECT_EQ(sample_of(line), LoadSample{}) << line;
}

/// Returns a sample by the helper, which gets the imitation of the driver's library.
LoadSample sample_with_fake_driver(const std::string& visible) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  auto sampler = GpuSampler::start(visible);
  ::unsetenv("LD_LIBRARY_PATH");
  LoadSample load;
  for (int i = 0; sampler && i < 1000 && !load.gpu_others; ++i) {
    ::usleep(10'000);
    const pid_t helper = sampler->helper();
    sampler->add_to(load, [&](pid_t process) { return process != helper; });
  }
  return load;
}

TEST(GpuSampler, AsksTheDriverAboutAllGpus) {
  const LoadSample load = sample_with_fake_driver("");
  EXPECT_EQ(load.gpu_mhz, 1410);  // the lowest
  EXPECT_EQ(load.gpu_throttle, 0x40);
  EXPECT_EQ(load.gpu_celsius, 61);  // the highest
  EXPECT_EQ(load.gpu_others, 1);    // beside the helper itself
  EXPECT_EQ(load.gpu_mw, 320'000);  // of the moment: the counter was read once
}

TEST(GpuSampler, AsksAboutTheVisibleOnes) {
  const LoadSample load = sample_with_fake_driver("0");
  EXPECT_EQ(load.gpu_mhz, 1980);
  EXPECT_EQ(load.gpu_others, 0);
  EXPECT_EQ(sample_with_fake_driver("GPU-4ba8").gpu_mhz, 1410);  // all, as it has no number
}

TEST(GpuSampler, ComputesThePowerFromTheCounterOfEnergy) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  auto sampler = GpuSampler::start("0");
  ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_TRUE(sampler);
  LoadSample load;
  for (int i = 0; i < 1000 && load.gpu_mw.value_or(70'000) == 70'000; ++i) {
    ::usleep(10'000);
    sampler->add_to(load, [](pid_t) { return false; });
  }
  // 100 J in the time between two lines, which is 1 s or longer.
  EXPECT_GT(load.gpu_mw.value_or(0), 1'000);
  EXPECT_LE(load.gpu_mw.value_or(0), 100'000);
}

TEST(GpuSampler, WithoutADriverThereAreNoSamples) {
  if (std::filesystem::exists("/proc/driver/nvidia/version")) GTEST_SKIP() << "there is a driver";
  auto sampler = GpuSampler::start("");
  ASSERT_TRUE(sampler);
  LoadSample load;
  for (int i = 0; i < 20; ++i) {
    ::usleep(10'000);
    sampler->add_to(load, [](pid_t) { return true; });
  }
  EXPECT_EQ(load, LoadSample{});
}

}  // namespace
}  // namespace lapcast
