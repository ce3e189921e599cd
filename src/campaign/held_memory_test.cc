#include "campaign/held_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// Returns a run of two laps, whose program reports 6 GiB on its device, beside these lines of the
/// machine's loads.
Run run_with(const std::string& gpu_lines) {
  const std::string hello = "lapcast-laps 1\n0 hello clock=1000\n";
  Run run;
  run.started_ns = 1000;
  run.ended_ns = 9000;
  run.usage.peak_rss_bytes = 3 * kGiB;
  run.context.machine.memory_bytes = 16 * kGiB;
  run.lap_logs = {hello + "10 q 8\n10 device-memory 6442450944\n20 q 8\n",
                  hello + "5 load 5 cpus=1\n" + gpu_lines};
  return run;
}

TEST(HeldMemory, IsWhatTheDriverTellsOfTheProgramOnEachGpu) {
  const HeldMemory held = held_memory_of(
      run_with("6 gpu 0 memory=8589934592 of=17179869184 program=1 program-memory=7516192768\n"
               "7 gpu 1 memory=4294967296 of=17179869184\n"));
  EXPECT_EQ(held.host.bytes, 3 * kGiB);
  ASSERT_EQ(held.gpus.size(), 1u);
  EXPECT_EQ(held.gpus.at(0).bytes, 7 * kGiB);
  EXPECT_EQ(held.gpus.at(0).total_bytes, 16 * kGiB);
  EXPECT_FALSE(held.is_exclusive);
}

TEST(HeldMemory, IsElseWhatTheProgramTells) {
  HeldMemory held = held_memory_of(run_with("6 gpu 2 of=17179869184 program=1 exclusive=1\n"));
  EXPECT_EQ(held.gpus.at(2).bytes, 6 * kGiB);
  EXPECT_TRUE(held.is_exclusive);

  lapcast::Run without_driver = run_with("");
  EXPECT_TRUE(held_memory_of(without_driver).gpus.empty());
  without_driver.context.machine.accelerators = {{.vendor = "amd", .memory_bytes = 64 * kGiB}};
  held = held_memory_of(without_driver);
  EXPECT_EQ(held.gpus.at(0).bytes, 6 * kGiB);
  EXPECT_EQ(held.gpus.at(0).total_bytes, 64 * kGiB);
}

HeldMemory of_gpu(std::int64_t number, std::int64_t bytes) {
  HeldMemory held;
  held.gpus[number] = {bytes, 16 * kGiB};
  return held;
}

// 6 + 5 GiB are held and the next may need 6: 17 of 16 GiB. Without the second it is 12.
TEST(HeldMemory, LeavesRoomForTheNextOnEachGpu) {
  const HeldMemory six = of_gpu(0, 6 * kGiB), five = of_gpu(0, 5 * kGiB),
                   other = of_gpu(1, 5 * kGiB);
  EXPECT_TRUE(fit_beside_others(std::vector<const HeldMemory*>{&six}));
  EXPECT_FALSE(fit_beside_others(std::vector<const HeldMemory*>{&six, &five}));
  EXPECT_TRUE(fit_beside_others(std::vector<const HeldMemory*>{&six, &other}));
}

TEST(HeldMemory, TakesHalfOfTheHostsMemoryAtMost) {
  HeldMemory held{.host = {4 * kGiB, 16 * kGiB}};
  EXPECT_TRUE(fit_beside_others(std::vector<const HeldMemory*>{&held, &held}));
  EXPECT_FALSE(fit_beside_others(std::vector<const HeldMemory*>{&held, &held, &held}));
  held.host.total_bytes = 0;  // not known
  EXPECT_TRUE(fit_beside_others(std::vector<const HeldMemory*>{&held, &held, &held}));
}

TEST(HeldMemory, OnAGpuOfOneProcessNothingStays) {
  HeldMemory held = of_gpu(0, 1);
  held.is_exclusive = true;
  EXPECT_FALSE(fit_beside_others(std::vector<const HeldMemory*>{&held}));
}

}  // namespace
}  // namespace lapcast
