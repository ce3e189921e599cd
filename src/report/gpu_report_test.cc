#include "report/gpu_report.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <variant>

namespace lapcast {
namespace {

std::vector<GpuUse> two_gpus() {
  GpuUse busy{.number = 0, .samples = 4, .mean_busy = 0.75, .peak_busy = 1, .idle_share = 0.25};
  busy.peak_memory_bytes = 3LL << 30;
  busy.memory_bytes = 8LL << 30;
  busy.used_by_program = true;
  busy.busy = {0, 1, 1, 1};
  return {busy, GpuUse{.number = 1}};
}

std::string shown(Format format) {
  std::ostringstream out;
  const Table table = gpu_table(two_gpus(), "GPU 1 was idle", true);
  write({table}, format, {.ascii = true}, out);
  return out.str();
}

TEST(GpuTable, ShowsWhatIsKnownOfEachGpu) {
  EXPECT_EQ(shown(Format::table),
            "GPUs, in the training after the first lap\n"
            "\n"
            "GPU  busy  at most  idle  samples  memory, most       of  program on it  busy over "
            "time\n"
            "---  ----  -------  ----  -------  ------------  -------  -------------  "
            "--------------\n"
            "  0  75 %    100 %  25 %        4       3.0 GiB  8.0 GiB  *              0999\n"
            "  1     -        -     -        0             -        -                 -\n"
            "\n"
            "warning: GPU 1 was idle\n");
  EXPECT_EQ(shown(Format::csv),
            "gpu,mean_busy,peak_busy,idle_share,samples,idle,peak_memory_bytes,memory_bytes,"
            "used_by_program\n"
            "0,0.75,1,0.25,4,false,3221225472,8589934592,true\n"
            "1,,,,0,false,,,false\n");
}

std::vector<GpuSample> busy_by(const std::vector<std::int64_t>& percents) {
  std::vector<GpuSample> samples;
  for (const std::int64_t percent : percents) samples.push_back({.busy_percent = percent});
  return samples;
}

// The mean of 90, 0, 80, 99 and 76 is 345 / 5 = 69.
TEST(BusyText, NamesFewGpusAndSumsUpMany) {
  EXPECT_EQ(busy_text({}), "");
  EXPECT_EQ(busy_text(std::vector<GpuSample>(3)), "");
  EXPECT_EQ(busy_text(busy_by({97})), ", GPU 97 %");
  EXPECT_EQ(busy_text(busy_by({97, 0})), ", GPUs 97 % 0 %");
  EXPECT_EQ(busy_text(busy_by({90, 0, 80, 99, 76})), ", GPUs 69 % (0-99)");
}

TEST(GpuSetUpTable, HasTheGpusWhoseSetUpIsKnown) {
  const GpuSetUp set_up{700'000, 1980, "on", "off", "generation 5, 16 lanes", "shared"};
  EXPECT_EQ(
      describe(set_up),
      "limit 700 W, top clock 1980 MHz, ECC on, MIG off, PCIe generation 5, 16 lanes, shared");
  EXPECT_EQ(describe(GpuSetUp{.mig = "on"}), "MIG on");
  MachineDescription machine;
  machine.accelerators = {{.vendor = "amd", .model = "MI300X"},
                          {.vendor = "nvidia", .model = "H200", .set_up = set_up}};
  const Table table = gpu_set_up_table(machine);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(std::get<std::int64_t>(table.rows[0][0]), 1);
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "H200");
  EXPECT_TRUE(gpu_set_up_table({}).rows.empty());
}

// 5 s of start-up at 120 W are 600 J, 5 s of laps at 720 W are 3600 J.
TEST(PowerTable, TellsTheStartUpAndTheTrainingApart) {
  LapLog log;
  for (int second = 1; second <= 10; ++second) {
    LoadSample& load = log.loads.emplace_back();
    load.at_ns = second * 1'000'000'000LL;
    load.span_ns = 1'000'000'000;
    load.gpu_mw = second <= 5 ? 120'000 : 720'000;
  }
  EXPECT_TRUE(power_table(log).rows.empty());  // without a lap nothing is told apart
  log.laps = {{.begin_ns = 5'000'000'000, .end_ns = 10'000'000'000}};
  const Table table = power_table(log);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "start-up");
  EXPECT_DOUBLE_EQ(std::get<Number>(table.rows[0][2]).value, 120);
  EXPECT_DOUBLE_EQ(std::get<Number>(table.rows[0][3]).value, 600 / 3.6e6);
  EXPECT_DOUBLE_EQ(std::get<Number>(table.rows[1][3]).value, 3600 / 3.6e6);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][4]));  // no CPU counter
}

}  // namespace
}  // namespace lapcast
