#include "probe/gpu_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace lapcast {
namespace {

/// Says of every process but 7 that it is of others, and of 4712 that it is the program's.
const ProcessOwner kOwner{[](pid_t process) { return process == 4712; },
                          [](pid_t process) { return process != 7; }};

LoadSample sample_of(std::string_view line) {
  LoadSample load;
  add_gpu_line(line, kOwner, load);
  return load;
}

std::vector<GpuSample> gpus_of(std::string_view line) {
  LoadSample load;
  return add_gpu_line(line, kOwner, load);
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

TEST(GpuLine, TellsOfEachGpu) {
  const std::string_view line =
      "1980 4 61 mW=69 gpu=0 busy=97 used=3221225472 of=8589934592 4711 4712 gpu=3 used=5 4711";
  EXPECT_THAT(gpus_of(line), ::testing::ElementsAre(GpuSample{.number = 0,
                                                              .busy_percent = 97,
                                                              .memory_bytes = 3221225472,
                                                              .memory_total_bytes = 8589934592,
                                                              .program = 1},
                                                    GpuSample{.number = 3, .memory_bytes = 5}));
  EXPECT_EQ(sample_of(line).gpu_others, 3);
}

TEST(GpuLine, AbsurdFiguresAreNotKnown) {
  EXPECT_THAT(gpus_of("- - - gpu=1 busy=101 used=-4 of=99999999999999999999 new=3"),
              ::testing::ElementsAre(GpuSample{.number = 1}));
  EXPECT_TRUE(gpus_of("- - - busy=97").empty());
}

TEST(GpuLine, OfAnotherShapeAddsNothing) {
  std::string many = "1980 4 61";
  for (int i = 0; i < 65; ++i) many += " gpu=1";
  for (const std::string& line :
       {std::string(), std::string("1980"), std::string("1980 4"), std::string("1980 4 61 x"),
        std::string("1980 4 61 gpu=64"), std::string("1980 4 61 gpu=-1"),
        std::string("1980 4 61 gpu="), many}) {
    EXPECT_EQ(sample_of(line), LoadSample{}) << line;
    EXPECT_TRUE(gpus_of(line).empty()) << line;
  }
}

/// Returns a sample by the helper, which gets the imitation of the driver's library.
LoadSample sample_with_fake_driver(const std::string& visible,
                                   std::vector<GpuSample>* samples = nullptr) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  auto sampler = GpuSampler::start(visible);
  ::unsetenv("LD_LIBRARY_PATH");
  LoadSample load;
  for (int i = 0; sampler && i < 1000 && !load.gpu_others; ++i) {
    ::usleep(10'000);
    const pid_t helper = sampler->helper();
    const auto gpus = sampler->add_to(load, {[&](pid_t process) { return process == helper; },
                                             [&](pid_t process) { return process != helper; }});
    if (samples != nullptr && !gpus.empty()) *samples = gpus;
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
  EXPECT_EQ(sample_with_fake_driver("GPU-4ba8").gpu_mhz, 1980);
  EXPECT_EQ(sample_with_fake_driver("MIG-4ba8").gpu_mhz, 1410);  // all: it is a part of one
}

TEST(GpuSampler, TellsUtilisationMemoryAndWhetherTheProgramIsOnEachGpu) {
  std::vector<GpuSample> gpus;
  sample_with_fake_driver("", &gpus);
  EXPECT_THAT(gpus, ::testing::ElementsAre(GpuSample{.number = 0,
                                                     .busy_percent = 90,
                                                     .memory_bytes = 3LL << 30,
                                                     .memory_total_bytes = 8LL << 30},
                                           GpuSample{.number = 1,
                                                     .busy_percent = 45,
                                                     .memory_bytes = 512LL << 20,
                                                     .memory_total_bytes = 16LL << 30,
                                                     .program = 1,
                                                     .program_bytes = 256LL << 20}));
  sample_with_fake_driver("1", &gpus);
  EXPECT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].number, 1);
}

TEST(GpuSampler, FindsAGpuByTheBeginOfItsUuid) {
  std::vector<GpuSample> gpus;
  sample_with_fake_driver("GPU-77e1", &gpus);
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].number, 1);
  sample_with_fake_driver("1,-1,0", &gpus);  // as CUDA reads it, the 0 does not count
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].number, 1);
}

TEST(GpuSampler, ReturnsEachLineOfTheHelperOnce) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  auto sampler = GpuSampler::start("");
  ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_TRUE(sampler);
  LoadSample load;
  while (sampler->add_to(load, kOwner).empty()) ::usleep(10'000);
  EXPECT_TRUE(sampler->add_to(load, kOwner).empty());
  EXPECT_TRUE(load.gpu_others);
  sampler->forget();
  LoadSample after;
  sampler->add_to(after, kOwner);
  EXPECT_EQ(after, LoadSample{});
}

TEST(GpuSampler, ComputesThePowerFromTheCounterOfEnergy) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  auto sampler = GpuSampler::start("0");
  ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_TRUE(sampler);
  LoadSample load;
  for (int i = 0; i < 1000 && load.gpu_mw.value_or(70'000) == 70'000; ++i) {
    ::usleep(10'000);
    sampler->add_to(load, kOwner);
  }
  // 100 J in the time between two lines, which is 0.2 s or longer.
  EXPECT_GT(load.gpu_mw.value_or(0), 1'000);
  EXPECT_LE(load.gpu_mw.value_or(0), 500'000);
}

TEST(GpuSampler, WithoutADriverThereAreNoSamples) {
  if (std::filesystem::exists("/proc/driver/nvidia/version")) GTEST_SKIP() << "there is a driver";
  auto sampler = GpuSampler::start("");
  ASSERT_TRUE(sampler);
  LoadSample load;
  for (int i = 0; i < 20; ++i) {
    ::usleep(10'000);
    sampler->add_to(load, kOwner);
  }
  EXPECT_EQ(load, LoadSample{});
}

}  // namespace
}  // namespace lapcast
