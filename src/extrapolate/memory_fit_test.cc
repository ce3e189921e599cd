#include "extrapolate/memory_fit.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

MemoryByBatch measured(std::vector<MemoryUse> uses) {
  return {"m", std::move(uses)};
}

// 12 + 2 batch GiB: at 30 samples the line is 72 of 95 % of 80, at 40 it is 92.
TEST(BatchesThatFit, DecidesByTheAllocatorWhereItsLineIsClear) {
  const auto peaks = measured({{.batch = 4, .device_bytes = 20'000, .driver_bytes = 30'000},
                               {.batch = 8, .device_bytes = 28'000, .driver_bytes = 50'000}});
  const auto fits = BatchesThatFit::in(peaks, true, 80'000);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->meter(), MemoryMeter::allocator);
  EXPECT_EQ(fits->fit(30).needed_bytes.mid, 72'000);
  EXPECT_GT(fits->fit(30).chance, 0.5);
  EXPECT_LT(fits->fit(40).chance, 0.01);
  EXPECT_EQ(fits->largest_likely(), 32);  // 12 + 64 = 76
  EXPECT_LT(fits->largest(), 32);
  EXPECT_GT(fits->largest(), 25);
}

// The allocator's peak stands still: another moment has it. The driver's line is 60 + 1.25 batch.
TEST(BatchesThatFit, DecidesByTheDriverWhereTheAllocatorStandsStill) {
  const auto peaks = measured({{.batch = 4, .device_bytes = 60'000, .driver_bytes = 65'000},
                               {.batch = 8, .device_bytes = 60'000, .driver_bytes = 70'000}});
  const auto fits = BatchesThatFit::in(peaks, true, 80'000);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->meter(), MemoryMeter::driver);
  EXPECT_EQ(fits->fit(16).needed_bytes.mid, 76'800);   // 80'000 is full, which shows 92 to 100 %
  EXPECT_GT(fits->fit(16).chance, 0.5);                // 80 of 1.03 x 80
  EXPECT_LT(fits->fit(24).chance, 0.25);               // 90 of 82.4, and 12 % of the way to 210
  EXPECT_LE(fits->fit(24).needed_bytes.high, 80'000);  // a driver shows no more than there is
}

TEST(BatchesThatFit, AFullDriverLeavesNoRoom) {
  const auto peaks = measured({{.batch = 4, .device_bytes = 60'000, .driver_bytes = 74'000},
                               {.batch = 8, .device_bytes = 60'000, .driver_bytes = 68'000}});
  const auto fits = BatchesThatFit::in(peaks, true, 80'000);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->fit(16).chance, 0);
}

TEST(BatchesThatFit, CpusSayNothingOfAGpu) {
  const auto peaks =
      measured({{.batch = 4, .peak_rss_bytes = 4000}, {.batch = 8, .peak_rss_bytes = 8000}});
  EXPECT_THAT(BatchesThatFit::in(peaks, true, 80'000).error().text,
              HasSubstr("says nothing of a GPU's memory"));
  const auto fits = BatchesThatFit::in(peaks, false, 100'000);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->largest_likely(), 95);  // 1000 each, of 95 %
}

Run run_with_batch(const std::string& id, std::vector<std::string> program, std::int64_t rss) {
  lapcast::Run run;
  run.context.id = id;
  run.context.machine_type.name = "m";
  run.context.program = std::move(program);
  run.context.machine.memory_bytes = 1'000'000;
  run.context.machine.host = "h";
  run.outcome = outcome::Ended{};
  run.started_ns = 1'000'000'000;
  run.ended_ns = 2'000'000'000;
  run.usage.peak_rss_bytes = rss;
  run.lap_logs = {lap_log_opening({run.started_ns, 1000, 7, 0, 1, "h", "test"}) +
                  "1000 i 16\n2000 i 16\n"};
  return run;
}

TEST(MemoryByBatch, GroupsRunsThatDifferInTheirBatchOnly) {
  lapcast::Run of_setting = run_with_batch("c", {"train", "--batch", "{batch}"}, 300);
  of_setting.context.settings = {{"batch", "12"}};
  lapcast::Run failed = run_with_batch("d", {"train", "--batch", "14"}, 400);
  failed.outcome = outcome::Crashed{0, 9, {}, outcome::OutOfMemory{"Killed", "14"}};
  const auto all = memory_by_batch(
      std::vector{run_with_batch("a", {"train", "--batch", "16"}, 200),
                  run_with_batch("b", {"train", "--batch", "8"}, 100), of_setting, failed,
                  run_with_batch("e", {"train", "--batch", "32"}, 500),
                  run_with_batch("f", {"train", "--batch", "8", "--layers", "9"}, 900)});
  ASSERT_THAT(all, SizeIs(2));
  ASSERT_THAT(all[0].uses, SizeIs(5));
  EXPECT_EQ(all[0].uses[0].batch, 8);
  EXPECT_EQ(all[0].uses[0].peak_rss_bytes, 100);
  EXPECT_EQ(all[0].uses[1].run, "c");
  EXPECT_THAT(all[0].uses[2].reason, HasSubstr("out of main memory"));
  EXPECT_EQ(all[0].uses[4].reason, "none of its laps had 32 samples: the training set is smaller");
  EXPECT_EQ(all[0].main_bytes, 1'000'000);
  EXPECT_FALSE(all[0].on_device());
}

}  // namespace
}  // namespace lapcast
