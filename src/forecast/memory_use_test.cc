#include "forecast/memory_use.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMib = 1 << 20;

/// Returns 100 laps of 1 s, from second 0 on.
std::vector<Lap> hundred_laps() {
  std::vector<Lap> laps;
  for (std::int32_t i = 0; i < 100; ++i)
    laps.push_back({i * 1'000'000'000LL, (i + 1) * 1'000'000'000LL, i, 8});
  return laps;
}

/// Returns a sample each second, of first + each x second bytes.
std::vector<MemorySample> samples_of(std::int64_t first, std::int64_t each) {
  std::vector<MemorySample> samples;
  for (std::int64_t second = 1; second <= 100; ++second)
    samples.push_back({second * 1'000'000'000, first + each * second});
  return samples;
}

// Of the laps from 25 on, the thirds end at samples 50, 75 and 100 of 1 MiB each: 50 MiB in two
// thirds of 75 laps, which take 1 s each.
TEST(MemoryGrowth, IsTheSlopeOfThePeaksOfThirds) {
  const auto growth = growth_of(samples_of(100 * kMib, kMib), hundred_laps());
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->bytes_per_lap, kMib, 0.03 * kMib);
  EXPECT_NEAR(growth->bytes_per_second, kMib, 0.03 * kMib);
}

TEST(MemoryGrowth, IsNoneWhereThePeakStands) {
  EXPECT_FALSE(growth_of(samples_of(100 * kMib, 0), hundred_laps()));
  std::vector<MemorySample> once = samples_of(100 * kMib, 0);
  for (std::size_t i = 90; i < once.size(); ++i) once[i].bytes *= 2;  // in one third only
  EXPECT_FALSE(growth_of(once, hundred_laps()));
  EXPECT_FALSE(growth_of(samples_of(100 * kMib, kMib), {}));
}

Run run_with(std::int64_t rss, const std::string& events) {
  lapcast::Run run;
  run.context.id = "a";
  run.context.machine.memory_bytes = 1000 * kMib;
  run.context.machine.host = "h";
  run.outcome = outcome::Ended{};
  run.started_ns = 1'000'000'000;
  run.ended_ns = 201'000'000'000;
  run.usage.peak_rss_bytes = rss;
  run.lap_logs = {lap_log_opening({run.started_ns, 1000, 7, 0, 1, "h", "test"}) + events};
  return run;
}

TEST(MemoryOfARun, KeepsTheMetersApart) {
  const lapcast::Run run = run_with(300 * kMib,
                                    "1000 i 8\n2000 i 8\n3000 device-memory 1000\n"
                                    "4000 load 1000 memory=400000000\n"
                                    "5000 gpu 0 memory=900 of=4000 program=1 program-memory=3000\n"
                                    "6000 gpu 1 memory=3900 of=4000\n");
  const auto memory = memory_of(run, *laps_of(run));
  ASSERT_EQ(memory.size(), 3u);
  EXPECT_EQ(memory[0].meter, MemoryMeter::process);
  EXPECT_EQ(memory[0].peak_bytes, 400'000'000);  // all processes, more than the largest
  EXPECT_EQ(memory[1].meter, MemoryMeter::allocator);
  EXPECT_EQ(memory[1].peak_bytes, 1000);
  EXPECT_EQ(memory[2].meter, MemoryMeter::driver);
  EXPECT_EQ(memory[2].peak_bytes, 3000);  // GPU 1 is that of others
  EXPECT_EQ(memory[2].share(), 0.75);
}

TEST(MemoryOfARun, IsTheMostOfLapsValidationsAndCheckpointsApart) {
  const lapcast::Run run = run_with(100,
                                    "1000 i 8\n1500 load 1000 memory=200\n2000 i 8\n"
                                    "2000 checkpoint-begin\n2500 load 1000 memory=900\n"
                                    "3000 checkpoint-end 5\n3000 validation-begin\n"
                                    "3500 load 1000 memory=700\n4000 validation-end 10\n"
                                    "4500 load 1000 memory=300\n5000 i 8\n");
  const auto memory = memory_of(run, *laps_of(run));
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(memory[0].peak_bytes, 900);
  EXPECT_EQ(memory[0].training_bytes, 300);
  EXPECT_EQ(memory[0].validation_bytes, 700);
  EXPECT_EQ(memory[0].checkpoint_bytes, 900);
}

TEST(MemoryOfARun, OnACpuHasNoGpuMemory) {
  const lapcast::Run run = run_with(300 * kMib, "1000 i 8\n");
  const auto memory = memory_of(run, *laps_of(run));
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(describe(memory[0]), "main memory: at most 300.0 MiB of 1000.0 MiB (30 %)");
}

TEST(MemoryOfARun, IsThatOfItsOwnMachineWhereItWasImported) {
  lapcast::Run run = run_with(300 * kMib, "1000 i 8\n");
  run.context.imported = true;
  const auto memory = memory_of(run, *laps_of(run));
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(memory[0].share(), 0.3);
}

TEST(MemoryWarnings, SayWhatMayRunOut) {
  MeteredMemory memory{.peak_bytes = 500 * kMib, .memory_bytes = 1000 * kMib};
  EXPECT_THAT(memory_warnings(std::vector{memory}), IsEmpty());
  memory.growth = MemoryGrowth{kMib, 2 * kMib};
  EXPECT_THAT(memory_warnings(std::vector{memory}),
              ElementsAre(HasSubstr("by 1.0 MiB a lap: it would be full in 500 laps, 4 min 10 s")));
  memory.growth.reset();
  memory.training_bytes = 400 * kMib;
  memory.validation_bytes = 500 * kMib;
  EXPECT_THAT(memory_warnings(std::vector{memory}),
              ElementsAre(HasSubstr("validations take 500.0 MiB of main memory, the laps 400.0")));
  std::swap(memory.validation_bytes, memory.checkpoint_bytes);
  EXPECT_THAT(memory_warnings(std::vector{memory}),
              ElementsAre(HasSubstr("checkpoints take 500.0 MiB of main memory, the laps 400.0")));
  EXPECT_THAT(memory_warnings(std::vector<MeteredMemory>{
                  {.peak_bytes = 950 * kMib, .memory_bytes = 1000 * kMib}}),
              ElementsAre(HasSubstr("at most 950.0 MiB of 1000.0 MiB (95 %)")));
}

}  // namespace
}  // namespace lapcast
