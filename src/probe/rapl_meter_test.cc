#include "probe/rapl_meter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kMeterSecond = 1'000'000'000;

class RaplMeterTest : public FolderTest {
 protected:
  /// Writes a zone as Linux shows it.
  void set(const std::string& zone, const std::string& name, const std::string& count,
           const std::string& range = "1000000000") {
    const std::filesystem::path folder = folder_ / "sys/class/powercap" / zone;
    std::filesystem::create_directories(folder);
    write_text(folder / "name", name + "\n");
    write_text(folder / "energy_uj", count + "\n");
    write_text(folder / "max_energy_range_uj", range + "\n");
  }
};

TEST_F(RaplMeterTest, AddsUpPackagesAndTheirMemory) {
  set("intel-rapl:0", "package-0", "5000000");
  set("intel-rapl:1", "package-1", "999000000");
  set("intel-rapl:0:0", "core", "1");
  set("intel-rapl:0:1", "dram", "1000000");
  RaplMeter meter(folder_.string());
  EXPECT_FALSE(meter.milliwatts(kMeterSecond));
  set("intel-rapl:0", "package-0", "105000000");
  set("intel-rapl:1", "package-1", "9000000");  // past its range: 10 J
  set("intel-rapl:0:0", "core", "90000000");    // part of the package
  set("intel-rapl:0:1", "dram", "11000000");
  // 100 J, 10 J and 10 J in 2 s.
  EXPECT_EQ(meter.milliwatts(3 * kMeterSecond), 60'000);
  EXPECT_FALSE(meter.milliwatts(3 * kMeterSecond));
}

TEST_F(RaplMeterTest, KnowsNothingWhereACounterIsMissingOrWasReset) {
  RaplMeter none(folder_.string());
  EXPECT_FALSE(none.milliwatts(kMeterSecond));
  EXPECT_FALSE(none.milliwatts(2 * kMeterSecond));
  set("intel-rapl:0", "package-0", "5000000");
  RaplMeter meter(folder_.string());
  meter.milliwatts(kMeterSecond);
  set("intel-rapl:0", "package-0", "4000000");
  EXPECT_FALSE(meter.milliwatts(2 * kMeterSecond));
  set("intel-rapl:0", "package-0", "nonsense");
  EXPECT_FALSE(meter.milliwatts(3 * kMeterSecond));
  set("intel-rapl:0", "package-0", "6000000");
  EXPECT_FALSE(meter.milliwatts(4 * kMeterSecond));
  set("intel-rapl:0", "package-0", "7000000");
  EXPECT_EQ(meter.milliwatts(5 * kMeterSecond), 1000);
}

TEST_F(RaplMeterTest, LeavesOutAbsurdPower) {
  set("intel-rapl:0", "package-0", "0", "9000000000000000000");
  RaplMeter meter(folder_.string());
  meter.milliwatts(kMeterSecond);
  set("intel-rapl:0", "package-0", "8000000000000000000", "9000000000000000000");
  EXPECT_FALSE(meter.milliwatts(2 * kMeterSecond));
}

}  // namespace
}  // namespace lapcast
